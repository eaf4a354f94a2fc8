# A clash check of small boxes: every kind, in a table, as JSON and as CSV; sides, rules and groups.
# Times and memory differ from run to run.
tidy() {
    sed -E 's/; [0-9.e+]+ (us|ms|s), [0-9.]+ .?B of memory, .* read$/; TIME, MEMORY, BYTES/;
        s/"(read|check)_seconds": [0-9.e+-]+/"\1_seconds": T/g;
        s/"(process_bytes|bytes_read|triangles_loaded)": [0-9]+/"\1": N/g'
}
# box NAME X Y Z SIZE: a cube, closed; of "open" ones the top is missing. In OBJ.
vertices=0
box() {
    local x=$2 y=$3 z=$4 s=$5 b=$vertices f
    echo "o $1"
    awk -v x="$x" -v y="$y" -v z="$z" -v s="$s" 'BEGIN { for (i = 0; i < 8; ++i)
        printf "v %.9g %.9g %.9g\n", x + s * (i % 2), y + s * (int(i / 2) % 2), z + s * int(i / 4) }'
    for f in "1 3 4 2" "1 2 6 5" "3 7 8 4" "1 5 7 3" "2 4 8 6" "5 6 8 7"; do
        [[ $1 == open* && $f == "5 6 8 7" ]] && continue
        set -- "$1" $f
        echo "f $(($2 + b)) $(($3 + b)) $(($4 + b)) $(($5 + b))"
    done
    vertices=$((vertices + 8))
}
{
    box base 0 0 0 1000
    box deep 950 100 100 300   # 50 in base
    box inside 400 400 400 100 # of base
    box open-tray 100 100 900 200
    box touching 1000 500 500 200
    box near 1220 500 500 100 # 20 from touching
    box far 5000 0 0 10
} >parts.obj
vertices=0
{
    box lid 0 0 1000.05 1000 # 0.05 over base
    box far 5000 0 0 10      # the same as of the other file
} >more.obj

graze clash -q parts.obj --unit mm | tidy
echo "exit ${PIPESTATUS[0]}"
graze clash -q parts.obj more.obj --unit mm --clearance 25mm --list-touching | tidy
echo "exit ${PIPESTATUS[0]}"
graze clash -q parts.obj more.obj --unit mm --json | tidy
graze clash parts.obj --unit mm --clearance 2.5cm --csv 2>summary
echo "exit $?"
tidy <summary

echo "--- no unit: a millionth of the size"
graze clash -q parts.obj --b far | tidy
graze clash -q parts.obj --touch 60 | tidy

echo "--- sides"
graze clash -q parts.obj more.obj --unit mm --a '*/base' --b '**/d*' --b '*/in*' | tidy
graze clash -q parts.obj more.obj --unit mm --a '*/[!b]*' --b '**/[!b]*' | tidy
graze clash -q parts.obj more.obj --unit mm --ignore-same-group --list-touching | tidy

echo "--- rules"
cat >rules.json <<'END'
{"touch": "1mm",
 "sets": {"base": ["**/base"], "rest": {"match": ["**"], "except": ["**/base", "**/near"]}},
 "rules": [{"a": "base", "b": "rest", "touch": "60mm"},
           {"a": "rest", "b": "*", "clearance": "3cm"}],
 "ignore": {"pairs": [["base", "inside"]], "kinds": ["crossing"]}}
END
graze clash -q parts.obj --unit mm --rules rules.json --json | tidy
graze clash -q parts.obj --unit mm --rules - <rules.json | tidy
echo "exit ${PIPESTATUS[0]}"
