# Two meshes in all kinds of poses: verdicts, counts, lists and exit codes.
try() { echo "> $*"; graze collide "$@"; echo "exit $?"; }
graze make box -n 12 -o box.ply -q
graze make knot -n 2k -o knot.ply -q
graze make torus -n 1k -o torus.stl -q
try box.ply box.ply
try box.ply box.ply --count
try box.ply box.ply --pose b:'0.25 0.25 0.25' --all
# Touching is contact, and the last bit decides.
try box.ply box.ply --pose b:'1 0 0'
try box.ply box.ply --pose b:'1.0000000000000002 0 0'
try box.ply box.ply --pose b:'1 0 0 / 90deg about 0 0 1' --count
try box.ply box.ply --pose b:'1 0 0 / -450deg about 0 -3 0' --pose 'a:/ 180deg about 1 0 0' --count
try box.ply box.ply --pose 'b:1 0 0 / 1.5707963267948966rad about 0 0 1'
try box.ply box.ply --pose 'b:1 0 0 1 0 1 0 0 0 0 1 0'
try box.ply box.ply --pose 'b:0 0 3/30deg about 1 1 1'
try box.ply box.ply --pose 'b:3 0 0' --pose 'a:3 0 0'
try box.ply box.ply --pose 'b:9 0 0' --pose 'b:0 0 0' # the last one counts
# Tolerance, units and limits.
try box.ply box.ply --pose 'b:1.5 0 0' --tolerance 0.5
try box.ply box.ply --pose 'b:1.5 0 0' --tolerance 0.49999999999999994
try box.ply box.ply --pose 'b:1.5 0 0' --tolerance 0.5 --count
try box.ply box.ply --pose 'b:1500mm 0 0' --tolerance 50cm --unit m
try box.ply box.ply --pose 'b:1500mm 0 0' --tolerance 49cm --unit m
try box.ply box.ply --tolerance 0
try knot.ply torus.stl --count
try knot.ply torus.stl --count --limit 10
try knot.ply torus.stl --all --limit 1 | sed 's/ *[0-9]\{2,\}/ N/g'
try knot.ply torus.stl --count --limit 100k
try knot.ply torus.stl --work-limit 1
graze collide knot.ply torus.stl --stats | sed 's/^  \([a-z ]*[a-z]\)  .*/\1/'
# Nothing cannot touch.
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n' >empty.ply
try empty.ply box.ply --count
try box.ply - --count <box.ply
