# Pictures of clashes: the two objects in their colours, the rest grey, a ring around the contact.
try() { "$@"; echo "exit $?"; }
size() { sed -E 's/png, [0-9.]+ (kB|MB|bytes)/png, SIZE/; s/"bytes": [0-9]+/"bytes": N/'; }
# How many hundredths of a picture are of each colour, and where the ring is, in hundredths.
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
count = {"orange": 0, "blue": 0, "grey": 0, "white": 0, "ring": 0}
ring = [width, height, 0, 0]
for y in range(height):
    row = rows[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above))
    for x in range(width):
        r, g, b = above[3 * x:3 * x + 3]
        colour = ("ring" if r > g + 100 and b > g + 30 else "orange" if r > b + 30
                  else "blue" if b > r + 40 else "white" if r == g == b == 255 else "grey")
        count[colour] += 1
        if colour == "ring":
            ring = [min(ring[0], x), min(ring[1], y), max(ring[2], x + 1), max(ring[3], y + 1)]
part = lambda n, of: round(100 * n / of)
print(width, height, {k: part(n, width * height) for k, n in count.items()},
      [part(ring[0], width), part(ring[1], height), part(ring[2], width), part(ring[3], height)])
PROGRAM
}
# box NAME X Y Z DX DY DZ: a closed box, in OBJ.
vertices=0
box() {
    echo "o $1"
    awk -v x="$2" -v y="$3" -v z="$4" -v a="$5" -v b="$6" -v c="$7" 'BEGIN {
        for (i = 0; i < 8; ++i)
            printf "v %.9g %.9g %.9g\n", x + a * (i % 2), y + b * (int(i / 2) % 2), z + c * int(i / 4) }'
    for f in "1 3 4 2" "1 2 6 5" "3 7 8 4" "1 5 7 3" "2 4 8 6" "5 6 8 7"; do
        read -r i j k l <<<"$f"
        echo "f $((i + vertices)) $((j + vertices)) $((k + vertices)) $((l + vertices))"
    done
    vertices=$((vertices + 8))
}
{
    box beam 0 0 0 100 10 10
    box duct 40 5 -45 10 10 100 # 5 in the beam
    box wall 0 -20 -45 100 2 100
    box sign 80 11 0 10 10 2 # 1 from the beam
    box far 5000 0 0 10 10 10
} >parts.obj
graze build parts.obj -o parts.graze -q
graze clash -q parts.obj --clearance 2 | sed '/objects,/d'
graze picture parts.obj --clash 1 -w 200 -o a.png 2>&1 | size
look a.png
graze picture parts.graze --clash 1 -w 200 -o b.png -q # the same from a scene file
cmp a.png b.png
echo '{"files": [{"path": "parts.obj", "pose": [1, 0, 0, 4096, 0, 1, 0, -512, 0, 0, 1, 64]}]}' >moved.json
graze picture moved.json --clash 1 -w 200 -o b.png -q # all of it somewhere else
look b.png
for side in front top right; do
    graze picture parts.obj --clash 1 --view $side -w 100 -o c.png -q
    look c.png
done
graze picture parts.obj --clash 2 --clearance 2 -w 200 -o d.png --json | size
look d.png
graze picture parts.obj --clash 1 --clearance 2 --b sign --up z -w 64 -o e.png -q
look e.png

try graze picture parts.obj --clash 2 -o x.png
try graze picture parts.obj --clash 0 -o x.png
try graze picture parts.obj --clash 1 --a far -o x.png
try graze picture parts.obj --clash 1 --touch 1mm -o x.png
try graze picture parts.obj --clash 1 --error 1 -o x.png
try graze picture parts.obj --clash 1 -o x.png -w 1
try graze picture parts.obj --clash 1 -o x.jpg
try graze picture parts.obj --clash 1 -o parts.obj
try graze picture parts.obj --a beam -o x.png
try graze picture missing.obj --clash 1 -o x.png
try graze picture parts.obj --clash 1 -o nowhere/x.png -q
try graze picture parts.obj --clash 1 -o x.png --memory 90M --threads 1 2>&1 | grep exit
(
    ulimit -f 1
    try graze picture parts.graze --clash 1 -o y.png -q
) | cat # the limit is not for what is printed
ls
