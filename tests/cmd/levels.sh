# Levels of detail: meshes as coarse as an error allows, in parts of the model's size and in lengths.
try() { "$@"; echo "exit $?"; }
coarse() { graze export "$@" -o c.ply 2>&1 | sed -E 's/c\.ply, [0-9.]+ (kB|MB|bytes)/c.ply, SIZE/; s/within 0\.[0-9]+/within BOUND/g'; }
graze make knot -n 5000 -o a.ply -q
graze build a.ply -o a.graze -q
coarse a.graze --error 0
coarse a.graze --error 0.1%
coarse a.graze --error 1%
coarse a.graze --error 0.02
coarse a.graze --error 100%
coarse a.graze --error 1000000
graze info c.ply | grep "^  triangles"
# In lengths, where the unit is known.
graze build a.ply -o mm.graze --unit mm -q
coarse mm.graze --error 0.02mm
coarse mm.graze --error 0.00002m
coarse mm.graze --error 0.02
coarse a.graze --error 0.00002m
try graze export a.graze --error 0.00002m -o d.ply
for bad in -1 -1% nan inf x 1%% '' % 3parsecs; do
    try graze export a.graze --error "$bad" -o d.ply
done
try graze build a.ply -o b.graze --error 1%
ls
# Without levels, there is the original only; asked about it or not.
graze build a.ply -o plain.graze --no-levels -q
graze check plain.graze
graze info plain.graze | grep levels
coarse plain.graze --error 100%
graze export plain.graze -o b.stl -q
graze convert a.ply -o a.stl -q
cmp a.stl b.stl
coarse a.graze --error 1% --json | sed -E 's/"bytes": [0-9]+/"bytes": N/; s/ward": 0\.[0-9]+/ward": BOUND/g'
# For programs: the bounds of what was exported, and of each level. What people read is not below them.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
size=$(graze info a.ply --json --counts-only | jq '.bounds | [.max[0] - .min[0], .max[1] - .min[1], .max[2] - .min[2]] | max')
for error in 0 0.1 1 4; do
    graze export a.graze --error $error% -o c.ply --json 2>/dev/null |
        jq -c --argjson most "$(jq -n "$error / 100 * $size")" '[.triangles, .forward <= $most, .backward <= $most, .forward > 0, .backward > 0]'
done
graze export a.graze -o c.ply --json 2>/dev/null | jq -c '[.triangles, .forward, .backward]'
graze convert a.ply -o c.ply --json | jq -c 'has("forward")'
graze info a.graze --json >about
jq -c '.levels[] | keys_unsorted' about | uniq -c
jq -c '.levels | [.[].triangles]' about
jq -c '.levels[0]' about
# Exported with the larger bound of a level, a mesh is at least as coarse as that level.
jq -c '.levels[1:][] | [.triangles, ([.forward, .backward] | max)]' about | tr -d '[]' | while IFS=, read -r triangles bound; do
    graze export a.graze --error "$bound" -o c.ply --json 2>/dev/null | jq -c --argjson most "$triangles" '.triangles <= $most'
done
graze info a.graze | sed -nE 's/^ +(levels +)?[0-9,]+ triangles, within ([0-9.e-]+) and ([0-9.e-]+)$/\2 \3/p' >shown
jq -r '.levels[1:][] | "\(.forward) \(.backward)"' about | paste -d ' ' shown - |
    awk '{ print ($1 >= $3 && $2 >= $4 && $1 <= $3 * 1.000001 && $2 <= $4 * 1.000001 ? "a bound" : "not a bound: " $0) }'
