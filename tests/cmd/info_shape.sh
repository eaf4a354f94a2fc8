# What collide works on, and how much memory it takes: of a mesh with instances, all of them.
graze make knot -n 20k -o knot.ply -q
graze make plates -n 5k -o plates.glb -q
graze info knot.ply --shape --counts-only | sed -n '/^  shape/,$p' | sed 's/[0-9.]\+/N/g'
graze info knot.ply --shape --counts-only --layout compact | grep layout | sed 's/[0-9.]\+/N/g'
command -v jq >/dev/null || exit 0
graze info knot.ply --shape --counts-only --json |
    jq -c '.shape | keys, .triangles, .bytes_a_triangle < 60, .extra_bytes_a_triangle <= 20'
graze info knot.ply --shape --counts-only --layout compact --json |
    jq -c '.shape.layout, .shape.extra_bytes_a_triangle <= 6'
graze info plates.glb --shape --json | jq -c '[.shape.triangles, .triangles]'
printf 'OFF\n0 0 0\n' >empty.off
graze info empty.off --shape --json | jq -c '.shape | [.triangles, .bytes_a_triangle]'
graze info - --shape <knot.ply
echo "exit $?"
graze info missing.ply --shape
echo "exit $?"
