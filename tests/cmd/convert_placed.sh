# Objects that a file places are written where they are: by matrix, or with the matrix applied.
set -e
cat >two.gltf <<'END'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"name": "frame", "translation": [10, 0, 0], "children": [1, 2]},
           {"name": "left", "mesh": 0},
           {"name": "right", "mesh": 0, "scale": [2, 2, 2], "translation": [0, 5, 0]}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"byteLength": 36, "uri":
  "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]}
END
graze info two.gltf --objects | sed -n '/triangles\|objects\|bounds\|  [yz] \|frame/p'
for name in two.ply two.stl two.obj two.glb; do
    graze convert two.gltf -o $name
    graze info $name --objects | sed -n '/triangles\|objects\|bounds\|  [yz] \|left\|right/p'
done
