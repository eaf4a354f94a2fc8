# The potentially colliding set in colours: red where there is contact, pale where there can be none.
try() { "$@"; echo "exit $?"; }
size() { sed -E 's/png, [0-9.]+ (kB|MB|bytes)/png, SIZE/; s/"bytes": [0-9]+/"bytes": N/'; }
# Of the pixels that are drawn, which part is red, which another colour, and which grey.
look() {
    python3 - "$1" <<'PROGRAM'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, parts = 8, {}
while at < len(data):
    count, name = struct.unpack(">I4s", data[at:at + 8])
    parts[name] = data[at + 8:at + 8 + count]
    at += 12 + count
width, height = struct.unpack(">II", parts[b"IHDR"][:8])
rows, above = zlib.decompress(parts[b"IDAT"]), bytes(3 * width)
kinds = {"red": 0, "coloured": 0, "grey": 0}
for y in range(height):
    row = rows[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above))
    for x in range(width):
        r, g, b = above[3 * x:3 * x + 3]
        if (r, g, b) != (255, 255, 255):
            kind = "grey" if max(r, g, b) - min(r, g, b) < 24 else \
                "red" if r > 2 * max(g, b) or (g == b and r > 1.4 * g) else "coloured"
            kinds[kind] += 1
drawn = sum(kinds.values()) or 1
print(width, height, *(f"{kind} {100 * count // drawn} %" for kind, count in kinds.items()))
PROGRAM
}
# Squares, one before the other; the small ones stick through the large one, or stand apart.
square() { # NAME X Y Z SIZE
    awk -v x="$2" -v y="$3" -v z="$4" -v s="$5" -v name="$1" -v first="$corner" 'BEGIN {
        print "o " name
        print "v", x, y, z "\nv", x + s, y, z "\nv", x + s, y + s, z "\nv", x, y + s, z
        print "f", first, first + 1, first + 2 "\nf", first, first + 2, first + 3 }'
    corner=$((corner + 4))
}
corner=1
{ square wall 0 0 0 4; square near 1 1 2 1; echo "# end of file"; } >apart.obj
corner=1
{ square wall 0 0 0 4; square same 0 0 0 4; echo "# end of file"; } >meet.obj
for frame in apart meet; do
    graze picture --pcs $frame.obj -w 64 -o $frame.png 2>&1 | size
    look $frame.png
done
graze picture --pcs apart.obj -w 64 -o apart.png --tolerance 2 --json | size
look apart.png

graze make tori -n 800 --frame 40 -o tori.glb -q
graze picture --pcs tori.glb -w 200 -o tori.png 2>&1 | size | sed -E 's/^graze: [0-9,]+ left/graze: N left/'
graze cull tori.glb --all --csv -q | awk -F , 'NR > 1 { met[$3 " " $5]; met[$4 " " $6] } END { print length(met) " in contact" }'
graze make cloth -n 800 --frame 100 -o cloth.ply -q
graze picture --pcs cloth.ply --view corner -w 200 -o cloth.png 2>&1 | size
graze picture --pcs cloth.ply --self --view corner -w 200 -o cloth.png 2>&1 | size | sed -E 's/^graze: [0-9,]+ left/graze: N left/'
graze cull cloth.ply --self --all --csv -q | awk -F , 'NR > 1 { met[$5]; met[$6] } END { print length(met) " in contact" }'
printf 'OFF\n0 0 0\n' >none.off
graze picture --pcs none.off -w 32 -o none.png 2>&1 | size
look none.png
graze build tori.glb -o scene.graze -q
graze build cloth.ply -o model.graze -q

try graze picture --pcs tori.glb
try graze picture --pcs tori.glb -o x.png --error 1%
try graze picture --pcs tori.glb -o x.png --self --only-self
try graze picture --pcs tori.glb -o x.png --resolution 8
try graze picture --pcs tori.glb -o x.png -w 1
try graze picture --pcs cloth.ply -o x.png --tolerance 1mm
try graze picture --pcs scene.graze -o x.png
try graze picture --pcs model.graze -o x.png
try graze picture --pcs missing.ply -o x.png
try graze picture tori.glb --self -o x.png
try graze picture tori.glb --tolerance 1 -o x.png
ls
