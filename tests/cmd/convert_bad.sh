# Conversions that fail leave no file, and an old one as it was.
try() { graze convert "$@"; echo "exit $?"; }
graze make knot -n 20k -o good.ply -q
head -c 100000 good.ply >cut.ply
try missing.ply -o a.ply
try cut.ply -o a.stl
try cut.ply -o a.obj
echo old >kept.glb
try cut.ply -o kept.glb
cat kept.glb
try good.ply -o a.off
try good.ply -o missing/a.ply
try good.ply -o a.glb --memory 300k
(ulimit -f 100; try good.ply -o a.obj)
ls
