# Objects that a file places are written where they are: by matrix, or with the matrix applied.
set -e
cp "$DATA/placed.gltf" two.gltf
graze info two.gltf --objects | sed -n '/triangles\|objects\|bounds\|  [yz] \|frame/p'
for name in two.ply two.stl two.obj two.glb; do
    graze convert two.gltf -o $name
    graze info $name --objects | sed -n '/triangles\|objects\|bounds\|  [yz] \|left\|right/p'
done
