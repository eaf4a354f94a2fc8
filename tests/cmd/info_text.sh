# Reports for people: of closed, open, broken and many-part meshes.
set -e
graze make knot -n 2000 -o knot.ply -q
graze make grid -n 200 -o grid.stl --size 3 -q
graze make nasty -o nasty.obj -q
graze make plates -n 400 -o plates.glb -q
graze make box -n 12 -o box.ply --double -q
graze info knot.ply grid.stl
echo; graze info nasty.obj --objects
echo; graze info plates.glb --objects
echo; graze info box.ply --unit mm
echo; graze info box.ply --unit 0.5 --counts-only
echo; graze info - <knot.ply
