# Every shape, in both binary formats; the bits never change.
set -e
for shape in sphere torus knot box cylinder cone gear plates turbine cup spoon wrinkled spiral bowl digit grid terrain soup needles nasty; do
    graze make $shape -n 2000 -s 3 --size 2.5 -o $shape.ply --quiet
    graze make $shape -n 2000 -s 3 --size 2.5 -o $shape.stl --quiet
done
sha256sum -- *.ply *.stl | cut -c 1-16,65-
