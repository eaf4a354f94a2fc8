# Models are asked as the meshes that they were built from, with the names of their objects.
graze make sphere -n 20000 -o a.ply -q && graze make plates -n 9000 -o b.obj -q || exit
graze build a.ply -o a.graze -q && graze build b.obj --one -o b.graze -q || exit
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
# How deep: what meshes answer, to the last digit.
graze make torus -n 9000 -o c.ply -q && graze build c.ply -o c.graze -q || exit
for a in a.ply a.graze; do
    for c in c.ply c.graze; do
        graze collide $a $c --depth --pose b:"0.4 0 0.1 / 30deg about 1 2 3" --count >$a.$c.deep
        echo "exit $?"
        cmp $a.$c.deep a.ply.c.ply.deep
    done
done
brief() { sed -E 's/([0-9]\.[0-9]{6})[0-9]+/\1/g'; }
brief <a.graze.c.graze.deep
graze collide a.graze c.graze --depth --pose b:"0.4 0 0.1 / 30deg about 1 2 3" --count --memory 4M |
    cmp - a.ply.c.ply.deep
graze collide a.graze b.graze --depth --pose b:"0.4 0 0 / 30deg about 0 0 1" --count --json \
    --memory 8M | grep -o '"depth".*' | brief
graze make box -n 12 --size 9 -o hall.ply -q && graze build hall.ply -o hall.graze -q || exit
graze collide a.graze hall.graze --depth | brief # it is in there, and touches nothing
