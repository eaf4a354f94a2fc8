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
coarse a.graze --error 1% --json | sed -E 's/"bytes": [0-9]+/"bytes": N/'
