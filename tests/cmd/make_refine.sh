# A mesh made finer: closed stays closed, from any format, and what comes out is never in memory.
try() { graze "$@"; echo "exit $?"; }
graze make torus -n 2k -o t.stl -q
graze make refine t.stl --factor 9 -o a.ply
graze info a.ply | tail -n 1
graze make refine t.stl -n 18k -o b.ply -q
cmp a.ply b.ply
graze make refine t.stl --factor 9 --relief 10% -s 0 -o b.ply -q
cmp a.ply b.ply
graze make refine t.stl --factor 9 --seed 1 -o b.ply -q
cmp -s a.ply b.ply && echo "the seed changed nothing"
graze make refine t.stl --factor 9 --relief 0 --double -o c.obj --json
graze make plates -n 1k -o p.glb -q
graze make refine p.glb -o q.glb
graze info q.glb --objects | tail -n 4
graze make refine - --factor 16 -o from_pipe.ply <t.stl
# Half a million triangles and ten megabytes in four: the memory is for 20000 triangles and tables.
graze make torus -n 20k -o t.ply -q
graze make refine t.ply --factor 25 --memory 4M -o large.ply
try make refine t.ply --memory 1M -o large.ply
try make refine t.ply --memory 2M -o large.ply
printf 'OFF\n3 1 0\n0 0 0\n1 1 1\n2 2 2\n3 0 1 1\n' >none.off
try make refine none.off -o x.ply
try make refine missing.ply -o x.ply
try make refine
try make refine t.ply
try make refine t.ply t.stl -o x.ply
try make refine t.ply --factor 9 -n 20 -o x.ply
try make refine t.ply --factor 0 -o x.ply
try make refine t.ply --factor 2T -o x.ply
try make refine t.ply --factor 1T -o x.ply
try make refine t.ply --relief 200% -o x.ply
try make refine t.ply --size 2 -o x.ply
try make torus t.ply -o x.ply
try make torus --factor 4 -o x.ply
try make refnie t.ply -o x.ply
ls
