# Placed objects and instances: what is found in the file, and what is found as placed.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
# A box of 8 vertices and 12 triangles; $1: meshes, $2: nodes.
zero='\0000\0000\0000\0000' one='\0000\0000\0200\0077'
positions() {
    for x in "$zero" "$one"; do for y in "$zero" "$one"; do for z in "$zero" "$one"; do
        printf "%b" "$x$y$z"
    done; done; done
}
indices() { printf '\0\1\2\1\3\2\4\6\5\5\6\7\0\4\1\1\4\5\2\3\6\3\7\6\0\2\4\2\6\4\1\5\3\3\5\7'; }
data=$({ positions; indices; } | base64 -w 0)
scene() {
    cat <<END
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
 "buffers": [{"byteLength": 132, "uri": "data:application/octet-stream;base64,$data"}],
 "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 36}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
               {"bufferView": 1, "componentType": 5121, "count": 36, "type": "SCALAR"}],
 "meshes": [$1], "nodes": [$2]}
END
}
mesh='{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}'
scene "$mesh" '{"mesh": 0}, {"mesh": 0, "translation": [10, 0, 0]}' >instances.gltf
scene "$mesh, $mesh" '{"mesh": 0}, {"mesh": 1, "translation": [10, 0, 0]}' >alike.gltf
scene "$mesh, $mesh" '{"mesh": 0}, {"mesh": 1}' >twice.gltf
scene "$mesh" '{"mesh": 0}, {"mesh": 0}' >shared.gltf
for name in instances alike twice shared; do
    graze info $name.gltf | tail -n +2
    # What is found as placed is what is found where every object has triangles of its own.
    graze convert $name.gltf -o $name.ply -q
    graze info $name.gltf --json | jq -c '[.triangles, .placed.triangles, .closed, .defects, .summary]'
    diff <(graze info $name.ply --json | jq '.findings | map_values(.count)') \
        <(graze info $name.gltf --json | jq '(.placed // .).findings | map_values(.count)') && echo same
done
graze info instances.gltf --counts-only | tail -n 2
graze info instances.gltf --counts-only --json | jq -c .placed.findings.parts
graze info alike.ply --json | jq -c .placed
