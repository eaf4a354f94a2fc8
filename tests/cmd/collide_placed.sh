# Placed objects and instances are asked about where they stand, and units are brought together.
cp "$DATA/placed.gltf" two.gltf
printf 'v 0 0 -1\nv 0 0 1\nv 0.01 0 1\nf 1 2 3\n# end of file\n' >needle.obj
try() { echo "> $*"; graze collide two.gltf needle.obj --unit m --all "$@"; echo "exit $?"; }
try --pose 'b:0.2 0.2 0'   # where the mesh is before it is placed
try --pose 'b:10.2 0.2 0'  # left
try --pose 'b:11.9 5.05 0' # right, which is twice as large
try --pose 'b:12 5 0'      # its corner
try --pose 'b:12.000000000000004 5 0'
# One placed object alone, which shares nothing.
sed 's/"children": \[1, 2\]/"children": [1]/' two.gltf >one.gltf
graze collide one.gltf needle.obj --unit m --pose 'b:0.2 0.2 0' --count
graze collide one.gltf needle.obj --unit m --pose 'b:10.2 0.2 0' --count
# In millimetres the needle is a thousand times smaller.
graze collide two.gltf needle.obj --unit mm --pose 'b:10.2 0.2 0.0005' --count
graze collide two.gltf needle.obj --unit mm --pose 'b:10.2 0.2 0.0011' --count
graze collide two.gltf needle.obj --unit mm --pose 'b:10.2 0.2 0.0011' --tolerance 0.2mm --count
graze collide needle.obj two.gltf --unit mm --pose 'a:10200 200 0.5' --count
graze collide needle.obj two.gltf --unit in --pose 'a:10.2m 20cm 0' --count
graze collide needle.obj two.gltf --pose 'a:10200mm 20cm 0' --count
graze collide needle.obj two.gltf --quiet --pose 'a:10.2 0.2 0' --count
echo "exit $?"
