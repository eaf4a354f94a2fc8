# Sizes with units, precision, byte order, another seed; what was written is said, or not.
set -e
graze make box -n 12 -o a.ply
graze make box -n 12 -o b.ply --size 25mm --unit mm --double
graze make box -n 12 -o c.ply --size=1in --unit=mm --big-endian
graze make box -n 12 -o d.stl -q
graze make plates -n 1k -o e.ply
graze make plates -n 1k -o e.ply --json --quiet
graze make soup -n 20 -s 1 -o one.ply -q
graze make soup -n 20 -s 2 -o two.ply -q
cmp -s one.ply two.ply && echo "the seed changed nothing"
head -c 240 b.ply | tr -s ' '
od -A n -j 240 -N 24 -t fD --endian=little b.ply
head -c 240 c.ply | tr -s ' '
od -A n -j 240 -N 12 -t fF --endian=big c.ply
ls
