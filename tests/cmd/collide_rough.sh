# Matrices of few digits: the nearest rotation is used, and a warning says how far off they were.
graze make box -n 12 -o box.ply -q
try() { graze collide box.ply box.ply --pose "$1"; echo "exit $?"; }
try 'b:0.866025 -0.5 0 0.1 0.5 0.866025 0 0 0 0 1 0'
try 'b:0.866 -0.5 0 0.1 0.5 0.866 0 0 0 0 1 0'
try 'a:0.8660254037 -0.5 0 3 0.5 0.8660254037 0 0 0 0 1 0'
try 'b:1 0 0 0 0 1 0 0 0 0 1.00009 0'
# Beyond that they scale, shear or mirror.
try 'b:1 0 0 0 0 1 0 0 0 0 1.00011 0'
try 'b:1 0.00021 0 0 0 1 0 0 0 0 1 0'
try 'b:-0.866025 0.5 0 0.1 0.5 0.866025 0 0 0 0 1 0'
try 'b:1.001 0 0 0 0 1.001 0 0 0 0 1.001 0'
# Quiet means quiet; one line for a whole path, also where it ends badly.
graze collide box.ply box.ply --pose 'b:0.866025 -0.5 0 0.1 0.5 0.866025 0 0 0 0 1 0' -q
cat >poses.txt <<END
0.866025 -0.5 0 0.1 0.5 0.866025 0 0 0 0 1 0
exact 1 0 0 0 0 1 0 0 0 0 1 0
rough 0.70711 -0.70711 0 9 0.70711 0.70711 0 0 0 0 1 0
0.9210610 -0.3894183 0 0 0.3894183 0.9210610 0 0 0 0 1 0
END
graze collide box.ply box.ply --path poses.txt
echo "1 0 0" >>poses.txt
head -n 1 poses.txt | graze collide box.ply box.ply --path -
graze collide box.ply box.ply --path poses.txt >/dev/null
# The distance is that of the rotation that was meant, to as many digits.
turned() { graze distance box.ply box.ply --json --pose "b:$1" 2>/dev/null |
    sed 's/.*"distance": *\([0-9.]*\).*/\1/'; }
few=$(turned '0.955336 -0.29552 0 3 0.29552 0.955336 0 1 0 0 1 0')
many=$(turned '0.955336489125606 -0.29552020666134 0 3 0.29552020666134 0.955336489125606 0 1 0 0 1 0')
awk -v a="$few" -v b="$many" 'BEGIN { print (a - b < 2e-6 && b - a < 2e-6 && a > 1) ? "equal" : a " " b }'
