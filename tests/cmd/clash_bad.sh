# What a clash check refuses, and how it says so. Nothing is left behind.
say() {
    echo "--- $*"
    echo "--- $*" >&2
}
check() {
    say "$*"
    graze clash "$@" | sed -E 's/; [0-9.e+]+ (us|ms|s), .* read$/; TIME, MEMORY, BYTES/'
    echo "exit ${PIPESTATUS[0]}"
}
graze make box -o a.ply -q
graze make sphere -n 500 -o b.stl -q
graze make box --unit m -o metres.glb -q
graze convert a.ply -o a.obj -q
check
check missing.glb
check a.ply missing.glb
check a.ply --json --csv
check a.ply b.stl --touch 1mm
check a.ply b.stl --touch -1
check a.ply b.stl --a ''
check a.ply b.stl --memory 1M
check a.ply b.stl --memory 60M --threads 1 2>&1 | grep exit
check a.ply b.stl --rules r.json --a '*'
check - a.ply -

say "an object without triangles"
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n' >empty.ply
check a.ply empty.ply

say "different units"
graze build a.ply --unit mm -o a.graze -q
check metres.glb a.graze

say "rule files"
check a.ply b.stl --rules missing.json
printf '{"touch": "1 yard"}' >r.json
check a.ply b.stl --rules r.json
printf '{"touch": "1mm"}' >r.json
check a.ply b.stl --rules r.json
printf '{"sets": {"x": ["nothing/**"]}, "rules": [{"a": "x", "b": "y"}]}' >r.json
check a.ply b.stl --rules r.json
printf '{"sets": {"x": ["nothing/**"]}, "rules": [{"a": "x", "b": "*"}], "ignore": {"pairs": [["p", "q"]]}}' >r.json
check a.ply b.stl --rules r.json
printf '{"rules": []' >r.json
check a.ply b.stl --rules r.json --json

say "folders"
mkdir nothing parts parts/more
check nothing
cp a.ply parts/one.ply
cp b.stl parts/more/two.stl
echo hello >parts/readme.txt
check parts

say "a full disk for results"
graze clash a.ply a.obj >/dev/full
echo "exit $?"
ls
