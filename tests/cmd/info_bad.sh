# Files that are no meshes, or are damaged: one sentence each, exit code 3.
try() { graze info "$@" >/dev/null; echo "exit $?"; }
mkdir folder
: >empty.ply
graze make knot -n 500 -o good.ply -q
head -c 3000 good.ply >cut.ply
printf 'ply\nformat ascii 1.0\nelement vertex -5\n' >negative.ply
printf 'ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n' >claim.ply
printf 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n' >word.stl
printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >range.obj
cat >escape.gltf <<'END'
{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"uri": "../../../../etc/passwd", "byteLength": 36}]}
END
printf 'glTF\2\0\0\0' >short.glb
head -c 100 /dev/zero >zeros.bin
printf 'OFF\n3 1 0\n0 0 0\n1 0 0\n' >short.off
gzip -c good.ply | head -c 500 >cut.ply.gz
for file in missing.ply folder empty.ply cut.ply negative.ply claim.ply word.stl range.obj \
    escape.gltf short.glb zeros.bin short.off cut.ply.gz; do
    try $file
done 2>messages
sed 's/^graze: //; s/:.*//' messages >names # one line for each, which names the file
printf '%s\n' missing.ply folder empty.ply cut.ply negative.ply claim.ply word.stl range.obj \
    escape.gltf short.glb zeros.bin short.off cut.ply.gz | diff - names
# The worst code wins, and the good file is still reported.
graze info good.ply missing.ply | head -n 1
echo "exit ${PIPESTATUS[0]}"
if [ "$(id -u)" != 0 ]; then
    chmod a-r good.ply
    graze info good.ply >/dev/null 2>&1
    [ $? = 3 ] || echo "a file without permission was no hindrance"
fi
