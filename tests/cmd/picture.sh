# Pictures of meshes and models: a disc for a ball, from every side; whatever fails leaves nothing.
try() { "$@"; echo "exit $?"; }
size() { sed -E 's/png, [0-9.]+ (kB|MB|bytes)/png, SIZE/; s/"bytes": [0-9]+/"bytes": N/'; }
# The width and height of a picture, the part of it that is drawn, and the colour of its first pixel.
look() {
    python3 - "$1" <<'PROGRAM'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, parts = 8, {}
while at < len(data):
    count, name = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + count]
    assert struct.unpack(">I", data[at + 8 + count:at + 12 + count])[0] == zlib.crc32(name + body)
    parts[name] = body
    at += 12 + count
width, height = struct.unpack(">II", parts[b"IHDR"][:8])
rows, above = zlib.decompress(parts[b"IDAT"]), bytes(3 * width)
assert len(rows) == height * (3 * width + 1)
drawn = 0
for y in range(height):
    row = rows[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
    assert row[0] == 2
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above))
    first = above[:3] if y == 0 else first
    drawn += sum(above[3 * x] != 255 for x in range(width))
print(width, height, round(drawn / (width * height), 2), first.hex())
PROGRAM
}
graze make sphere -n 5000 -o ball.ply -q
graze build ball.ply -o ball.graze -q
graze picture ball.ply -o a.png 2>&1 | size
look a.png
for side in front back left right top bottom corner; do
    graze picture ball.graze --view $side -w 100 -o b.png 2>&1 | size
    look b.png
done
graze picture ball.graze -w 200 --error 0 -o c.png --json | size
graze picture ball.graze -w 200 --error 20% -o d.png --json | size
# Placed objects, something long, something flat, and nothing.
graze make plates -n 2000 -o plates.glb -q
graze picture plates.glb -w 64 -o e.png -q
look e.png | cut -d ' ' -f 1,4
printf 'OFF\n3 1 0\n0 0 0\n1000 0 0\n0 1 0\n3 0 1 2\n' >long.off
graze picture long.off -w 160 -o f.png -q
look f.png
printf 'OFF\n3 1 0\n0 0 0\n0 0 5\n0 1 0\n3 0 1 2\n' >flat.off
graze picture flat.off -w 32 -o g.png -q
look g.png
graze picture flat.off --view right --up z -w 32 -o g.png -q # 1 to the left, 5 up
look g.png
printf 'OFF\n0 0 0\n' >none.off
graze picture none.off -w 32 -o h.png -q
look h.png

try graze picture ball.ply
try graze picture ball.ply -o x.png -w 1
try graze picture ball.ply -o x.png -w 100000
try graze picture ball.ply -o x.png --error 1%
try graze picture ball.graze -o x.png --view inside
try graze picture missing.ply -o x.png
try graze picture ball.ply -o nowhere/x.png
try graze picture ball.ply -o x.png --memory 3M
(
    ulimit -f 1
    try graze picture ball.ply -o x.png
) | cat # the limit is not for what is printed

ls
