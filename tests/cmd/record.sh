# A record over revisions: runs, statuses, reviews and reports. Times differ from run to run.
tidy() {
    sed -E 's/; [0-9.e+]+ (us|ms|s), [0-9.]+ .?B of memory, .* read$/; TIME, MEMORY, BYTES/;
        s/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/TIME/g; s/"(read|check)_seconds": [0-9.e+-]+/"\1_seconds": T/g;
        s/"(process_bytes|bytes_read|triangles_loaded)": [0-9]+/"\1": N/g; s/"version": "[0-9.]+"/"version": "V"/'
}
# box NAME X Y Z SIZE: a cube, closed. In OBJ.
vertices=0
box() {
    local b=$vertices f
    echo "o $1"
    awk -v x="$2" -v y="$3" -v z="$4" -v s="$5" 'BEGIN { for (i = 0; i < 8; ++i)
        printf "v %.9g %.9g %.9g\n", x + s * (i % 2), y + s * (int(i / 2) % 2), z + s * int(i / 4) }'
    for f in "1 3 4 2" "1 2 6 5" "3 7 8 4" "1 5 7 3" "2 4 8 6" "5 6 8 7"; do
        set -- "$1" $f
        echo "f $(($2 + b)) $(($3 + b)) $(($4 + b)) $(($5 + b))"
    done
    vertices=$((vertices + 8))
}
{
    box base 0 0 0 1000
    box deep 950 100 100 300 # 50 in base
    box =formula 990 500 500 200
    box inside 400 400 400 100
    box far 5000 0 0 10
} >one.obj
vertices=0
{
    box base 0 0 0 1000
    box deep 980 100 100 300         # moved out: 20 in base
    box 'renamed,"x"' 990 500 500 200
    box far 5000 0 0 10
    box near 990 800 100 100         # came
} >two.obj

echo "--- run 1"
graze clash one.obj --unit mm -o review.sqlite | tidy
echo "exit ${PIPESTATUS[0]}"
echo "--- run 2, of the same"
graze clash -q one.obj --unit mm -o review.sqlite | tail -n 1
graze review review.sqlite --list open
echo "--- reviews"
export GRAZE_AUTHOR=anna
graze review review.sqlite --set 2 approved --comment 'agreed, "on site"'
graze review --set 1,3 reviewed review.sqlite --assign ben -q
graze review review.sqlite --set 3 --comment '=1+1' --author carl
echo "--- run 3, of the next revision"
graze clash -q two.obj --unit mm -o review.sqlite | tidy
echo "--- where rows are for programs"
graze clash -q two.obj --unit mm -o review.sqlite --json | tail -n 1 | tidy
graze clash two.obj --unit mm -o review.sqlite --csv 2>&1 >rows.csv | tidy
wc -l <rows.csv
graze review review.sqlite | tidy
graze review review.sqlite --list all
graze review review.sqlite --list new
graze review review.sqlite --show 1-3 | tidy
graze review review.sqlite --show 2 --json | tidy
graze review review.sqlite --list resolved --csv | cut -d, -f1-5
graze review review.sqlite --json | tidy
echo "--- reports"
graze report review.sqlite --csv clashes.csv --json clashes.json
head -c 3 clashes.csv | od -An -tx1
cut -d, -f1-9 clashes.csv
jq -r '.[] | .name, .mode, (.clashes | length)' clashes.json
jq -c '.[0].clashes[] | [.number, .status, .a_name, .b_name, .type, (.events | length)]' clashes.json
graze report review.sqlite --json - | cmp - clashes.json
echo "--- a dump has no times"
graze review review.sqlite --dump | tidy | grep -c TIME
graze review review.sqlite --dump | cut -d' ' -f1 | uniq -c
ls
