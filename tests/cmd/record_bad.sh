# What records, reviews and reports refuse, and how they say so. Nothing is changed, nothing left.
try() {
    echo "--- $*"
    echo "--- $*" >&2
    graze "$@" | sed -E 's/; [0-9.e+]+ (us|ms|s), .* read$/; TIME, MEMORY, BYTES/'
    echo "exit ${PIPESTATUS[0]}"
}
graze make box -o a.ply -q
graze make sphere -n 200 -o b.ply -q
try clash -q a.ply b.ply -o review.sqlite
echo "no database at all, but a text of some length" >text.sqlite
try clash a.ply b.ply -o text.sqlite
try review text.sqlite
try review missing.sqlite
try report missing.sqlite --csv x.csv
try clash a.ply -o missing/review.sqlite
cp review.sqlite newer.sqlite
printf '\000\000\000\143' | dd of=newer.sqlite bs=1 seek=60 conv=notrunc status=none
try clash a.ply b.ply -o newer.sqlite
cp review.sqlite other.sqlite
printf '\000\000\000\001' | dd of=other.sqlite bs=1 seek=68 conv=notrunc status=none
try review other.sqlite --list all
cp review.sqlite damaged.sqlite
printf '\377\377\377\377\377\377\377\377' | dd of=damaged.sqlite bs=1 seek=8192 conv=notrunc status=none
try review damaged.sqlite 2>&1 | sed 's/(.*)/(WHAT)/'
head -c 5000 review.sqlite >cut.sqlite
try review cut.sqlite 2>&1 | sed 's/(.*)/(WHAT)/'
mkdir folder
try clash a.ply -o folder
cp review.sqlite same.sqlite
try review review.sqlite --set 1000 approved
try review review.sqlite --set 1 --show 1
try review review.sqlite --set 1
try review review.sqlite --set 1 new
try review review.sqlite approved
try review review.sqlite --set x approved
try review review.sqlite --set 3-1 approved
try review review.sqlite --comment hello
try review review.sqlite --list
try review review.sqlite --list some
try review review.sqlite --csv
try review review.sqlite --show 1000
try report review.sqlite
try report review.sqlite --csv clashes.txt
try report review.sqlite --csv - --json -
try report review.sqlite --csv review.sqlite
cmp review.sqlite same.sqlite
try report review.sqlite --csv missing/x.csv
graze report review.sqlite --csv - >/dev/full
echo "exit $?"
# A file that may not grow, as on a full disk: what the record held is kept.
cp review.sqlite small.sqlite
graze make plant --objects 60 -n 6k -o plant.glb -q
graze build plant.glb -o plant.graze --no-levels -q
room=$(($(stat -c %s small.sqlite) / 1024 + 4))
(ulimit -f $room; graze clash -q plant.graze -o small.sqlite 2>&1)
echo "exit $?"
graze review small.sqlite --list all | head -n 2 | cut -c1-60
graze clash -q plant.graze -o small.sqlite | tail -n 1
ls
