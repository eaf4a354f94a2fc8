# From format to format and back: the corners keep their bits.
set -e
graze make knot -n 1000 -o a.ply -q
graze convert a.ply -o b.obj
graze convert b.obj -o c.glb -q
graze convert c.glb -o d.stl -q
graze convert d.stl -o e.ply.gz -q
graze convert e.ply.gz -o f.ply.zst --big-endian -q
graze convert f.ply.zst -o g.stl --ascii -q
graze convert g.stl -o h.stl -q
cmp d.stl h.stl
graze convert a.ply -o i.stl -q
cmp d.stl i.stl
# Double stays double where it can.
graze make sphere -n 300 --double --size 3 -o s.ply -q
graze convert s.ply -o s.obj -q
graze convert s.obj -o t.ply -q
graze make sphere -n 300 --double --size 3 --ascii -o s2.ply -q
graze convert t.ply -o t2.ply --ascii -q
cmp s2.ply t2.ply
# What a format cannot hold is said.
graze convert s.ply -o s.stl
graze make plates -n 400 -o p.glb -q
graze convert p.glb -o p.obj
graze convert p.obj -o p.ply
# The output may be an old file.
graze convert a.ply -o old.ply -q
graze convert a.ply -o old.ply --ascii -q
graze convert old.ply -o j.stl -q
cmp d.stl j.stl
graze convert - -o k.stl -q <a.ply
cmp d.stl k.stl
graze convert a.ply -o a.obj --json -q
