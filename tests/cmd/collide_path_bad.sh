# Files of poses that are none: the line and the byte are named, and what came before is answered.
graze make box -n 12 -o box.ply -q
good='1 0 0 0 0 1 0 0 0 0 1 0'
try() {
    printf "$1" >poses.txt
    graze collide box.ply box.ply --path poses.txt
    echo "exit $?"
}
try "$good\nfar 1 0 0 9 0 1 0 0 0 0 1 0\n1 0 0\n"
try '1 0 0 0 0 1 0 0 0 0 1\n'
try 'label 1 0 0 0 0 1 0 0 0 0 1\n'
try "two labels $good\n"
try "$good 1 1\n"
try '# fine\n\n1 0 0 nan 0 1 0 0 0 0 1 0'
try '1 0 0 0 0 1 0 inf 0 0 1 0'
try '1 0 0 0 0 1 0 1e999 0 0 1 0'
try '1 0 0 0 0 1 0 0x10 0 0 1 0'
try '1 0 0 0 0 1 0 1,5 0 0 1 0'
try '2 0 0 0 0 2 0 0 0 0 2 0'
try 'mirror -1 0 0 0 0 1 0 0 0 0 1 0'
try '0 0 0 0 0 0 0 0 0 0 0 0'
try "1e308 0 0 0 0 1e308 0 0 0 0 1e308 0"
try "$good\n1 0 0 1e308 0 1 0 1e308 0 0 1 1e308\n$good\n"
try "$good\n\\0binary\n"
head -c 100000 /dev/zero | tr '\0' ' ' >poses.txt
graze collide box.ply box.ply --path poses.txt
echo "exit $?"
graze collide box.ply box.ply --path box.ply
echo "exit $?"
graze collide box.ply box.ply --path .
echo "exit $?"
head -c 3000000 /dev/urandom >random
graze collide box.ply box.ply --path random 2>/dev/null
echo "exit $?"
