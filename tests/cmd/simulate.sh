# Bodies fall, are recorded, and the record is gone along again; pictures; errors; bad scenes.
set -e
graze make box -n 12 -o box.ply -q
graze make box -n 12 --size 10 -o floor.ply -q
graze make sphere -n 320 -o ball.ply -q
graze make torus -n 500 --size 2 -o ring.ply -q
cp "$DATA/../../examples/scenes/fall.json" .
times() { sed -E 's/(mean|p99|most) [0-9.]+ (us|ms|s)/\1 T/g; s/of [0-9,]+$/of N/; s/^(collisions|least gap|energy|in contact) .*/\1/'; }
graze simulate fall.json -d 1s --record run.csv --contact-sheet sheet.png --video-frames frames -q >told
times <told
head -n 1 run.csv
tail -n +2 run.csv | wc -l
find frames | wc -l
head -c 4 sheet.png | tail -c 3
echo
# The same rows for any number of threads, but for the times.
graze simulate fall.json -d 1s --record two.csv -t 2 -q >/dev/null
plain() { cut -d , -f 1-19,21 "$1"; }
diff <(plain run.csv) <(plain two.csv) && echo "the same for two threads"
graze simulate fall.json --replay run.csv
awk -F , -v OFS=, 'NR == 900 { $17 = $17 + 1 } 1' run.csv >changed.csv
graze simulate fall.json --replay changed.csv -q || echo "exit $?"
# The boxes came to rest on the floor, none below it.
awk -F , 'NR > 1 && $6 < 0.25 { print "below: " $0 }' run.csv
# Models, with errors that change.
graze make knot -n 6k -o knot.ply -q
graze build knot.ply -o knot.graze -q
cat >models.json <<'SCENE'
{"step": 0.002, "duration": 0.8, "bodies": [
    {"file": "floor.ply", "position": [0, 0, -5], "static": true},
    {"file": "knot.graze", "name": "knot", "position": [0, 0, 1.1]}]}
SCENE
for error in "" "--error 1%" "--error 0.001" "--metric speed=10ms --metric least=0.001" "--metric size=0.5%"; do
    # shellcheck disable=SC2086 # options
    graze simulate models.json $error --record models.csv -q --json | sed -E 's/.*"held": ([0-9]+),.*/held \1/'
    tail -n 1 models.csv | awk -F , '{ print ($6 > 0.05 && $6 < 1 ? "rests" : "lost"), ($17 > 0 ? "in contact" : "free") }'
    awk -F , 'NR > 1 && $18 != "" && $18 < 0.00012 { print "too near: " $18; exit }' models.csv
    graze simulate models.json $error --replay models.csv -q
done
