# What reading leaves out is said on stderr and in JSON by every command that reads a mesh or a model;
# a cloud of points and an empty mesh are called so.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
try() { echo "> graze $*"; graze "$@"; echo "exit $?"; }
header() {
    printf 'ply\nformat ascii 1.0\nelement vertex %s\nproperty float x\nproperty float y\n' "$1"
    printf 'property float z\nelement face %s\nproperty list uchar int vertex_indices\nend_header\n' "$2"
}
# Three triangles, of which the first one is not finite, and a face of two corners.
{ header 7 4; printf '0 0 nan\n0 0 0\n1 0 0\n0 1 0\n1 0 1\n0 1 1\n0 0 1\n'
  printf '3 0 1 2\n3 1 2 3\n2 1 2\n3 4 5 6\n'; } >nan.ply
{ header 3 1; printf '0.2 0.2 -1\n0.3 0.2 -1\n0.2 0.2 0.5\n3 0 1 2\n'; } >needle.ply
{ header 3 0; printf '0.2 0.2 -1\n0.3 0.2 -1\n0.2 0.2 0.5\n'; } >points.ply
header 0 0 >empty.ply
short() { jq -c "$1"; }

# The second triangle of the file is the first that is left: number 0.
try collide nan.ply needle.ply --all
graze collide nan.ply needle.ply --json 2>messages | short '[.verdict, .triangles, .losses]'
cat messages
printf 'here 1 0 0 0 0 1 0 0 0 0 1 0\n' >poses
graze collide nan.ply needle.ply --path poses --json -q | short .
graze collide needle.ply needle.ply --path poses --json -q | short .
try distance nan.ply needle.ply
graze distance needle.ply nan.ply --json -q | short '[.pair, .triangles, .losses.b]'
graze convert nan.ply -o nan.stl --json | short .losses
graze build nan.ply -o nan.graze --json | short .losses
graze info nan.ply --json -q | short .losses
# A model knows what its mesh had lost.
graze info nan.graze --json | short .losses
graze export nan.graze -o back.ply --json | short .losses
graze export nan.graze --error 10% -o back.ply --json | short .losses
graze picture nan.ply -o nan.png --json | short .losses
graze picture nan.graze -o nan.png --json | short .losses
graze collide nan.graze needle.ply --json | short '[.verdict, .losses.a]'
graze make refine nan.ply -o fine.ply --json | short .losses
graze make knot -o knot.ply --json | short .losses

for file in points empty; do
    try collide $file.ply needle.ply
    try collide needle.ply $file.ply --tolerance 1
    graze collide $file.ply needle.ply --json -q | short '[.verdict, .triangles]'
    try distance $file.ply needle.ply
    graze build $file.ply -o $file.graze -q
    try collide $file.graze needle.ply
    try info $file.ply | tail -n 2
    try convert $file.ply -o $file.stl
done
