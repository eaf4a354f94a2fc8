# Frames of things that deform: names, formats, what is there already, and options that make no sense.
try() { graze "$@"; echo "exit $?"; }
size() { sed -E 's/, [0-9.]+ (kB|MB), /, SIZE, /'; }
graze make tori --frames 3 -n 200 -o frames/ 2>&1 | size
graze make tori --frames 3 -n 200 -o again -q
for number in 0001 0002 0003; do
    cmp frames/$number.glb again/$number.glb
done
cmp -s frames/0001.glb frames/0002.glb && echo "nothing moved"
graze make tori --frame 2 -n 200 -o two.glb 2>&1 | size
cmp frames/0002.glb two.glb
graze make tori --frames 3 -n 200 -s 1 -o two.glb --frame 2 -q
cmp -s frames/0002.glb two.glb && echo "the seed changed nothing"
graze make tori -n 200 --density 1% --objects 2 -o thin.glb -q
graze info thin.glb --objects --counts-only | grep -E 'objects|torus' | tr -s ' '

echo "--- names"
graze make cylinders --frames 2 --objects 3 -n 50 -o 'cylinders_%d.obj' --json
graze make cloth --frames 2 -n 100 -o 'cloth%03d.ply.gz' 2>&1 | size
graze make cloth --frames 2 -n 100 -o 'cloth.v1/%04d.obj' && echo "the folder of a pattern was made"
graze make cloth --frames 1 -n 100 --format stl -o cloth 2>&1 | size
graze make breaking --frames 2 -n 2k --objects 4 --format stl --ascii -o broken -q
grep -c '^solid' broken/0002.stl

echo "--- what is there already"
echo mine >frames/0002.glb
rm frames/0001.glb
try make tori --frames 3 -n 200 -o frames
cat frames/0002.glb
graze make tori --frames 2 -n 200 -o frames --replace 2>&1 | size
cmp frames/0002.glb again/0002.glb
echo mine >notafolder
try make tori --frames 2 -n 200 -o notafolder
try make tori --frames 2 -n 200 -o missing/folder/
(
    ulimit -f 40
    try make tori --frames 2 -n 5k -o large
)
ls

echo "--- options"
try make models -o frame.glb --frames 4
try make tori -o 'x_%d.ply'
try make tori -o 'x_%d.doc'
try make tori -o 'x_%d.glb' --format obj
try make tori --frame 4 --frames 3 -o x.glb
try make tori --frames 0 -o x.glb
try make tori --frames 2M -o x.glb
try make tori --density 100% -o x.glb
try make cloth --density 10% -o x.glb
try make models --objects 3 -o x.glb
try make tori --objects 2M -o x.glb
try make tori --objects 1M -n 1M -o x.glb
try make tori -n 0 -o x.glb
try make tori --unit mm -o x.glb
try make torus --frames 3 -o x.ply
try make plant --density 3% -o x.ply
try make cloth --memory 1M -o x.glb
try make cloth -n 1M --memory 1M -o x.glb
try make tori
try make tory -o x.glb
try make tori frames -o x.glb
find . -name "x*"
