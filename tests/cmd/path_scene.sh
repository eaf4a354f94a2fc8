# Movers through scenes: which objects are hit, told as a table, as rows, as JSON and as a page, and the
# same as clash checks and distances of the two files tell.
set -e
graze make box -n 12 -o box.ply -q
graze make sphere -n 80 -o ball.ply -q
cat >site.json <<'SITE'
{"unit": "m", "files": [
    {"path": "box.ply", "group": "left"},
    {"path": "box.ply", "group": "middle", "pose": {"position": [3, 0, 0]}},
    {"path": "ball.ply", "group": "right", "pose": {"position": [6, 0, 0]}}]}
SITE
awk 'BEGIN { for (i = 0; i < 33; ++i) printf "%s%.17g 0 0 0 0 0 1\n", i % 8 == 0 ? "at" i " " : "", -2 + i / 4 }' >walk.txt
steady() { sed -E 's/(mean|p99|most) [0-9.]+ (us|ms|s)/\1 T/g; s/of step [0-9]+$/of step N/; s/(at most|graze|cache) [0-9.]+ [kM]?B(ytes)?/\1 SIZE/g; s/[0-9]+ loaded, [0-9.]+ [a-zA-Z]+ read/N loaded, SIZE read/'; }
status=0
graze path ball.ply site.json --poses walk.txt --unit m >told || status=$?
echo "exit $status"
steady <told
graze path ball.ply site.json --poses walk.txt --unit m --kinds --touch 1mm --tolerance 30cm | steady |
    sed -E 's/[0-9.]+ mm deep /D deep /'
# Rows, and the file of --output.
graze path ball.ply site.json --poses walk.txt --unit m --kinds --distance --csv -q -o rows.csv >rows || true
diff rows rows.csv
head -n 1 rows
grep contact rows | cut -d , -f 1-7 | head -n 4
grep nearest rows | cut -d , -f 1-6,12 | sed -n '1,3p;14,15p'
# In each step the nearest is as far as graze distance says, and contact is where that is 0.
for step in 1 4 12 20; do
    pose=$(sed -n "${step}p" walk.txt | sed 's/^at[0-9]* //' | cut -d ' ' -f 1-3)
    for place in "0 0 0" "3 0 0"; do
        graze distance ball.ply box.ply --pose "a:$pose" --pose "b:$place" --json -q |
            grep -oE '"distance": [0-9.e-]+'
    done | sort -k2 -g | head -n 1 | cut -d ' ' -f 2 >least
    awk -F , -v step=$step '$1 == step && $4 == "nearest" { print $12 }' rows >told
    diff least told && echo "step $step: $(cat told)"
done
# JSON: one object a step.
graze path ball.ply site.json --poses walk.txt --unit m --distance --json -q >lines || true
wc -l <lines
if command -v jq >/dev/null; then
    jq -c 'keys_unsorted' lines | sort -u
    jq -c 'select(.step == 9) | [.label, .verdict, .contacts, [.nearest[] | [.mover, .other, .distance]]]' lines
    jq -r '.step as $s | .contacts[] | [$s, .mover, .other] | @csv' lines | tr -d '"' >from_json
    awk -F , '$4 == "contact" { print $1 "," $5 "," $6 }' rows | diff - from_json && echo "the same contacts"
fi
# Several movers: poses in turn.
awk 'BEGIN { for (i = 0; i < 10; ++i) printf "%d 0 0 0 0 0 1\n%d 1 0 0 0 0 1\n", i - 1, 8 - i }' >both.txt
graze path ball.ply box.ply site.json --poses both.txt --unit m --csv -q | cut -d , -f 1-6
# The same in a folder, in a mesh file with several objects, and from a pipe.
mkdir parts
cp box.ply ball.ply parts
graze path ball.ply parts --poses - --csv -q <walk.txt | cut -d , -f 1,5,6 | tail -n +2 | sort -t , -k3 -u
graze make plates -n 1k -o plates.glb -q
graze path ball.ply plates.glb --poses walk.txt --csv -q | head -n 2 | cut -d , -f 1-4
# A page.
graze path ball.ply site.json --poses walk.txt --unit m --kinds --report page.html -q >/dev/null || true
grep -A 8 'Objects that were hit' page.html
grep -c 'pairs of objects' page.html
