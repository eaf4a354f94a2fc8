# Models are asked as the meshes that they were built from, with the names of their objects.
graze make sphere -n 20000 -o a.ply -q && graze make plates -n 9000 -o b.obj -q || exit
graze build a.ply -o a.graze -q && graze build b.obj -o b.graze -q || exit
for a in a.ply a.graze; do
    for b in b.obj b.graze; do
        graze collide $a $b --pose b:"0.4 0 0 / 30deg about 0 0 1" --all >$a.$b.list
        echo "exit $?"
        cmp $a.$b.list a.ply.b.obj.list
        graze distance $a $b --pose b:"1.4 0 0 / 30deg about 0 0 1"
    done
done
head -6 a.graze.b.graze.list
graze collide a.graze b.graze --pose b:"0.4 0 0 / 30deg about 0 0 1" --all --memory 8M |
    cmp - a.ply.b.obj.list
graze collide a.graze b.graze --memory 2M
echo "exit $?"
graze collide a.graze b.graze --depth
echo "exit $?"
