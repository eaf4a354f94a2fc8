# How far apart two meshes are, and where: known distances, limits, paths, JSON and exit codes.
try() { echo "> $*"; graze distance "$@"; echo "exit $?"; }
graze make box -n 12 -o box.ply -q
graze make knot -n 2k -o knot.ply -q
graze make torus -n 1k -o torus.stl -q
graze make plates -n 500 -o plates.glb -q
printf 'v 0 0 0\nv 0.25 0 0\nv 0 0.25 0\nf 1 2 3\n# end of file\n' >tile.obj
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n' >empty.ply
try box.ply tile.obj --pose 'b:4.5 3.5 0.5' # a corner, 4 and 3 away
try box.ply tile.obj --pose 'b:4500mm 3500mm 500mm' --unit m
try box.ply tile.obj --pose 'a:-4.5 -3.5 -0.5'
try box.ply tile.obj --pose 'b:0.25 0.25 0.5'
try box.ply tile.obj --pose 'b:0 0 0.75' --within 0.25
try box.ply tile.obj --pose 'b:0 0 0.75' --within 0.2
try box.ply tile.obj --pose 'b:0 0 0.75' --within 0
try box.ply tile.obj --pose 'b:0 0 75cm' --within 200mm --unit m
try box.ply tile.obj # inside, and touching nothing
try box.ply empty.ply
try box.ply empty.ply --within 3
try plates.glb tile.obj --pose 'b:9 0 0' --unit m
try knot.ply torus.stl --pose 'b:9 0 0' --work-limit 1 | sed 's/at least.*;/some range;/'
try box.ply tile.obj --within 2mm
try box.ply tile.obj --tolerance 2
try box.ply missing.ply
graze distance knot.ply torus.stl --stats --pose 'b:9 0 0' | sed -n 's/^  \([a-z ]*[a-z]\)  .*/\1/p'
# The same along a path, and with the files swapped.
for x in 0 0.5 1 1.5 2; do echo "x=$x 1 0 0 $x 0 1 0 0.25 0 0 1 0"; done >poses.txt
graze distance knot.ply torus.stl --path poses.txt >answers
echo "exit $?: $(cut -d ' ' -f 1 answers | tr '\n' ' ')"
for x in 0 0.5 1 1.5 2; do
    graze distance knot.ply torus.stl --pose "b:$x 0.25 0" | sed -n 's/distance: \([^,]*\).*/\1/p'
done >one
for x in 0 0.5 1 1.5 2; do
    graze distance torus.stl knot.ply --pose "a:$x 0.25 0" | sed -n 's/distance: \([^,]*\).*/\1/p'
done >two
graze distance knot.ply torus.stl --path poses.txt --layout compact | diff - answers
awk '{print $2}' answers | diff - one && diff one two && wc -l <one
# Contact at the distance, and none below it.
d=$(tail -n 1 one)
graze collide knot.ply torus.stl --pose 'b:2 0.25 0' --tolerance "$(awk "BEGIN {printf \"%.17g\", $d * (1 - 1e-15)}")" | cut -d : -f 1
graze collide knot.ply torus.stl --pose 'b:2 0.25 0' --tolerance "$(awk "BEGIN {printf \"%.17g\", $d * (1 + 1e-15)}")" | cut -d : -f 1
printf '1 0 0 0 0 1 0 0 0 0 1\n' >bad.txt
try box.ply tile.obj --path bad.txt
command -v jq >/dev/null || exit 0
try box.ply tile.obj --pose 'b:4.5 3.5 0.5' --json | jq -R -c '. as $line | try fromjson catch $line'
graze distance box.ply tile.obj --pose 'b:4.5 3.5 0.5' --within 1 --json | jq -c .
graze distance box.ply empty.ply --json | jq -c '[.verdict, .distance, .least]'
graze distance plates.glb tile.obj --pose 'b:9 0 0' --unit m --json | jq -c .pair
graze distance box.ply tile.obj --path poses.txt --json | jq -c '[.line, .label, .verdict, .distance]'
