# Pictures of two models where they meet, coloured by level of detail; the report says which colour.
try() { "$@"; echo "exit $?"; }
size() { sed -E 's/png, [0-9.]+ (kB|MB|bytes)/png, SIZE/; s/"bytes": [0-9]+/"bytes": N/'; }
# Which hues a picture has, in hundredths of what is drawn, the ring among them.
look() {
    python3 - "$1" <<'PROGRAM'
import colorsys, struct, sys, zlib
data = open(sys.argv[1], "rb").read()
at, parts = 8, {}
while at < len(data):
    count, name = struct.unpack(">I4s", data[at:at + 8])
    parts[name] = data[at + 8:at + 8 + count]
    at += 12 + count
width, height = struct.unpack(">II", parts[b"IHDR"][:8])
rows, above = zlib.decompress(parts[b"IDAT"]), bytes(3 * width)
hues = {"orange": 35, "yellow": 54, "green": 115, "teal": 181, "blue": 217, "violet": 263, "ring": 333}
seen, drawn = dict.fromkeys(hues, 0), 0
for y in range(height):
    row = rows[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
    above = bytes((a + b) & 255 for a, b in zip(row[1:], above))
    for x in range(width):
        hue, grey, light = colorsys.rgb_to_hsv(*(c / 255 for c in above[3 * x:3 * x + 3]))
        if grey < 0.2:
            continue
        drawn += 1
        seen[min(hues, key=lambda name: abs(hues[name] - 360 * hue))] += 1
print(width, height, [name for name in hues if seen[name] * 100 >= 2 * drawn])
PROGRAM
}
graze make sphere -n 20k -o ball.ply -q
graze make gear -n 20k -o gear.ply -q
graze build ball.ply -o ball.graze -q
graze build gear.ply -o gear.graze -q
# The cuts are those of the answer.
at="b:0.98 0 0"
graze collide ball.graze gear.graze --error 0.4% --pose "$at" --json |
    python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["verdict"], a["cut"])'
graze picture ball.graze gear.graze --levels --error 0.4% --pose "$at" -w 200 -o a.png 2>&1 | size
look a.png
graze picture ball.graze gear.graze --levels --error 0.4% --pose "$at" -w 100 --view top -o b.png --json |
    size | sed -E 's/"error_reached": [0-9.e-]+/"error_reached": E/'
# Exact: all is of level 0. Apart: where they are closest. Twice the same: b has the same colours.
graze picture ball.graze gear.graze --levels --error 0 --pose "$at" -w 100 -o c.png 2>&1 | size
look c.png
graze picture ball.graze gear.graze --levels --error 2% --pose "b:1.5 0 0" -w 100 -o d.png 2>&1 | size
graze picture ball.graze ball.graze --levels --error 2% --pose "b:0.9 0 0" -w 100 -o e.png 2>&1 | size

try graze picture ball.graze --levels --error 1% -o x.png
try graze picture ball.graze gear.graze --error 1% -o x.png
try graze picture ball.graze gear.graze --levels -o x.png
try graze picture ball.graze gear.graze --levels --error 1% --clash 1 -o x.png
try graze picture ball.graze --pose "$at" -o x.png
try graze picture ball.graze gear.graze --levels --error 1% --touch 1mm -o x.png
try graze picture ball.graze gear.ply --levels --error 1% -o x.png
try graze picture ball.graze missing.graze --levels --error 1% -o x.png
try graze picture ball.graze gear.graze --levels --error 1% -o gear.graze
try graze picture ball.graze gear.graze --levels --error 1% -o x.png --memory 20M
try graze picture ball.graze gear.graze --levels --error 1% -o nowhere/x.png
ls
