# JSON for programs: valid, with the members that the manual names.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
graze make box -n 12 -o box.ply -q
graze make box -n 12 --unit mm --size 1000mm -o big.glb -q
graze make plates -n 500 -o plates.glb -q
try() { graze collide "$@" --json >out; echo "exit $?"; jq -c . out; }
try box.ply box.ply
try box.ply box.ply --count --pose 'b:1 0 0' --tolerance 1e-9
try box.ply box.ply --all --pose 'b:0.5 0.5 1'
try box.ply box.ply --all --pose 'b:9 0 0'
graze collide plates.glb box.ply --all --unit m --pose 'b:0.3 0.3 0.3' --json | jq -c '.pairs[:2][]'
graze collide plates.glb box.ply --all --limit 7 --pose 'b:0.3 0.3 0.3' --json -q | jq -c '[.complete, (.pairs | length)]'
try box.ply big.glb --count --unit mm
graze make knot -n 2k -o knot.ply -q
try knot.ply knot.ply --work-limit 1 --pose 'b:0.1 0.2 0.3'
printf 'here 1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 9 0 1 0 0 0 0 1 0\n"q\\ 1 0 0 1 0 1 0 0 0 0 1 0\nx\n' >poses.txt
try box.ply box.ply --path poses.txt --count
try box.ply missing.ply
graze collide box.ply box.ply --stats --json | jq -c '.stats | keys'
graze collide box.ply box.ply --stats --json | jq -c '.stats | map(type) | unique'
# The same pairs with the files swapped.
graze collide plates.glb box.ply --all --unit m --pose 'b:0.3 0.2 0.1 / 20deg about 1 2 3' --json |
    jq -c '.pairs | map([.a, .b, .object_a.name]) | sort' >one
graze collide box.ply plates.glb --all --unit m --pose 'a:0.3 0.2 0.1 / 20deg about 1 2 3' --json |
    jq -c '.pairs | map([.b, .a, .object_b.name]) | sort' >two
cmp one two && jq length one
