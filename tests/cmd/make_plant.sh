# A plant, and what was planted: the list agrees with the file; options that make no sense.
try() { graze "$@"; echo "exit $?"; }
graze make plant --objects 200 -n 100k -o plant.glb --list planted.json
graze make plant --objects 200 -n 100k -o again.glb -q
cmp plant.glb again.glb
graze make plant --objects 200 -n 100k -o again.glb --seed 1 -q
cmp -s plant.glb again.glb && echo "the seed changed nothing"
graze info plant.glb --counts-only | sed -n '3,6p;7p'
graze make plant --objects 40 -n 8k --unit mm -o small.obj --json
head -n 5 planted.json
grep -o '"relation": "[a-z]*"' planted.json | sort | uniq -c
# In memory is only what describes it: a million triangles, twenty megabytes, in two.
graze make plant --objects 300 -n 1M --memory 2M -o large.ply 2>&1 | tail -n 1
try make plant
try make plant other -o x.ply
try make plant --objects 0 -o x.ply
try make plant --objects 2M -o x.ply
try make plant --objects -o x.ply
try make plant -n 0 -o x.ply
try make plant -n 70G -o x.ply
try make plant --size 2 -o x.ply
try make plant --factor 2 -o x.ply
try make torus --objects 5 -o x.ply
try make torus --list x.json -o x.ply
try make plnt -o x.ply
try make plant --objects 5 -o x.ply --list missing/x.json
try make plant --objects 5 -o missing/x.ply --list x.json
ls
