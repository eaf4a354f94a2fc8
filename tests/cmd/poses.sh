# Poses in files: 3x4 and 4x4 matrices, positions with quaternions, each with a label or without; all of
# them are the same place.
graze make box -n 12 -o box.ply -q
graze make torus -n 500 -o torus.ply -q
cat >way.txt <<'WAY'
plain    0 -1 0 0.75  1 0 0 0.25  0 0 1 0
four     0 -1 0 0.75  1 0 0 0.25  0 0 1 0  0 0 0 1
turned   0.75 0.25 0  0 0 0.70710678118654752 0.70710678118654752
         0.75 0.25 0  0 0 -0.70710678118654752 -0.70710678118654752 # the same turn
rounded  0.75 0.25 0  0 0 0.70711 0.70711
WAY
graze collide torus.ply box.ply --path way.txt --count
graze distance torus.ply box.ply --path way.txt
graze path box.ply torus.ply --poses way.txt --csv -q | cut -d , -f 1-6
bad() {
    printf "$1" >bad.txt
    graze collide box.ply box.ply --path bad.txt
    echo "exit $?"
}
bad '0 0 0 0 0 0 2\n'
bad '0 0 0 0 0 0 0\n'
bad '1 2 3 0 0 0 x\n'
bad 'a b 0 0 0 0 0 0 1\n'
bad '1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 2\n'
bad '1 0 0 0  0 1 0 0  0 0 1 0  0 0 1e-9 1\n'
bad '1 0 0 0  0 1 0 0  0 0 1 0  0 0 0\n'
