# A mesh becomes a model and a mesh again: the same triangles, by number, with their objects.
set -e
# Times and sizes of packed bytes differ from machine to machine, and bounds get better.
plain() { sed -E 's/[0-9.]+ (kB|MB)/SIZE/; s/[0-9.]+ bytes a triangle/EACH/; s/[0-9]+\.[0-9] s$/TIME/; s/[0-9]+ bytes( while|, from|$)/SIZE\1/; s/within [0-9.e-]+ and [0-9.e-]+/within BOUNDS/'; }
graze make knot -n 3000 -o a.ply -q
graze build a.ply -o a.graze 2>&1 | plain
graze check a.graze
graze info a.graze | plain
graze export a.graze -o b.ply
graze convert a.ply -o a.stl -q
graze convert b.ply -o b.stl -q
cmp a.stl b.stl
# Objects, and a unit that is not in the file; more threads and less memory, and the same bytes.
graze make plates -n 2000 --double -o p.obj -q
graze build p.obj --one -o p.graze --unit mm -q --threads 1
graze build p.obj --one -o p2.graze --unit mm -q --threads 3 --memory 64M
cmp p.graze p2.graze
graze info p.graze --objects | plain | head -n 23
graze export p.graze -o p2.obj -q
graze export p.graze -o p2.glb -q
grep -c '^o ' p2.obj
graze convert p.obj -o p1.stl --ascii -q
graze convert p2.obj -o p2.stl --ascii -q
cmp p1.stl p2.stl
# Standard input, and nothing at all.
graze build - -o c.graze -q <a.ply
cmp a.graze c.graze
printf 'OFF\n0 0 0\n' >empty.off
graze build empty.off -o empty.graze 2>&1 | plain
graze check empty.graze
graze info empty.graze | plain
graze export empty.graze -o empty.ply
# For programs.
graze build a.ply -o a.graze --json -q | sed -E 's/"(bytes|bytes_a_triangle|seconds)": [0-9.e-]+/"\1": N/g'
graze check a.graze p.graze --json
graze info p.graze --json | sed -E 's/"(bytes|page_bytes|resident_bytes|bytes_a_triangle|forward|backward)": [0-9.e-]+/"\1": N/g'
graze info p.graze --json --objects | grep -o '"triangles": 128' | uniq -c
graze export a.graze -o a.ply.gz --json -q | sed -E 's/"bytes": [0-9]+/"bytes": N/'
