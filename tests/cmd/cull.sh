# Frames of small boxes whose contacts are known: objects come, go, touch, deform; tables, JSON, CSV.
tidy() {
    sed -E 's/; [0-9.e+]+ (us|ms|s) a frame /; TIME a frame /; s/[0-9.]+ (us|ms|s) on /TIME on /
        s/"(read_seconds|seconds)": [0-9.e+-]+/"\1": T/g
        s/"(objects|groups|triangles)_left": [0-9]+/"\1_left": N/g
        s/"(rounds|triangle_tests|exact_tests)": [0-9]+/"\1": N/g
        s/^ +[0-9,]+ objects, [0-9,]+ groups, [0-9,]+ of ([0-9,]+) triangles left in .* exact;/STATS of \1;/'
}
# box NAME X Y Z SIZE: 12 triangles, in OBJ.
vertices=0
box() {
    local b=$vertices f
    echo "o $1"
    awk -v x="$2" -v y="$3" -v z="$4" -v s="$5" 'BEGIN { for (i = 0; i < 8; ++i)
        printf "v %.17g %.17g %.17g\n", x + s * (i % 2), y + s * (int(i / 2) % 2), z + s * int(i / 4) }'
    for f in "1 3 4 2" "1 2 6 5" "3 7 8 4" "1 5 7 3" "2 4 8 6" "5 6 8 7"; do
        set -- "$1" $f
        echo "f $(($2 + b)) $(($3 + b)) $(($4 + b)) $(($5 + b))"
    done
    vertices=$((vertices + 8))
}
frame() { # NAME X Y Z SIZE...: boxes, and the line that says that it is all
    vertices=0
    while [ $# -gt 0 ]; do
        box "${@:1:5}"
        shift 5
    done
    echo "# end of file"
}
mkdir frames
frame anvil 0 0 0 4 ball 10 0 0 1 dust 0 9 0 1 >frames/9.obj         # nothing meets
frame ball 3.5 1 1 1 anvil 0 0 0 4 >frames/10.obj                    # in each other; no dust
frame anvil 0 0 0 4 ball 4 4 4 1 "" 1 1 1 2 >frames/11.obj           # a corner; one inside
frame anvil 0 0 0 4 ball 4.0009765625 0 0 1 ball 5.5 1 0 1 >frames/12.obj # apart by 1/1024; #2
cp frames/9.obj frames/notes.txt
graze cull frames | tidy
echo "exit ${PIPESTATUS[0]}"
graze cull frames/9.obj frames/12.obj -q | tidy
echo "exit ${PIPESTATUS[0]}"
graze cull frames/12.obj frames/9.obj --tolerance 0.0009765625 -q | tidy
graze cull frames/12.obj --tolerance 0.00097656249999999 -q | tidy
graze cull frames/12.obj --unit m --tolerance 1mm -q | tidy
graze cull frames/12.obj --unit m --tolerance 0.97mm -q | tidy
graze cull - <frames/10.obj -q | tidy

echo "--- triangles, the same as of two files"
graze cull frames/10.obj frames/11.obj --all | tidy
split() { # FILE NAME
    awk -v name="$2" '$1 == "o" { on = $2 == name } $1 == "v" || $1 == "#" || on' "$1"
}
split frames/10.obj ball >ball.obj
split frames/10.obj anvil >anvil.obj
graze collide ball.obj anvil.obj --all -q
graze cull frames/10.obj --all --limit 3 -q | tidy
echo "exit ${PIPESTATUS[0]}"

echo "--- for programs"
graze cull frames --json | tidy
graze cull frames/10.obj --all --limit 2 --json | tidy
graze cull frames/10.obj --stats --json | tidy
graze cull frames/10.obj frames/9.obj --stats | tidy
graze cull frames --csv 2>summary
tidy <summary
graze cull frames/11.obj --all --csv -q
graze cull frames --stats --csv -q | sed -E 's/,[^,]*,[^,]*$/,T,T/' | cut -d , -f 1-8,15-

echo "--- an object and itself"
# A strip of four squares whose last one comes back through the first, and shares no corner with it;
# then two triangles on one edge: beside each other, folded flat onto each other, and turned over it.
printf 'v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 1 0 1\nv 1 1 1\nv .5 0 1\nv .5 1 1\nv .5 0 -1\nv .5 1 -1\no ribbon\nf 1 3 4 2\nf 3 5 6 4\nf 5 7 8 6\nf 7 9 10 8\n# end of file\n' >ribbon.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\no flat\nf 1 2 3\nf 2 4 3\n# end of file\n' >flat.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv .1 .1 0\no fold\nf 1 2 3\nf 2 4 3\n# end of file\n' >fold.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 1 0 0\nv 0 0 1\no turn\nf 1 2 3\nf 4 5 6\n# end of file\n' >turn.obj
graze cull ribbon.obj flat.obj fold.obj turn.obj --self --all | tidy
graze cull ribbon.obj | tidy
graze cull frames/10.obj --self -q | tidy
graze cull frames/10.obj --only-self --tolerance 3.9 -q | tidy

echo "--- engines, threads, order and units"
for scene in "tori -n 200" "breaking -n 2k --objects 5"; do
    graze make $scene --frames 2 -o moving -q --replace
    for self in "" "--self"; do
        graze cull moving --all --csv -q $self >told
        for way in "-t 1" "-t 3" "--engine cpu" "--engine opengl --resolution 64 --passes queries" \
            "--engine opengl --passes batched --resolution 100" "--engine opengl --resolution 16 --passes zfail"; do
            graze cull moving --all --csv -q $self $way | cmp - told || echo "not the same: $way"
        done
        wc -l <told
    done
done
graze cull moving/0002.glb moving/0001.glb --all --csv -q --self | cut -d , -f 3- >backward
grep -E '^2,' told | cut -d , -f 3- >forward
grep -E '^1,' told | cut -d , -f 3- >>forward
tail -n +2 backward | cmp - forward
graze cull moving --self --engine opengl 2>&1 >again | grep -v 'culling is done by the CPU'
# In metres and in millimetres: the second frame is brought to the unit of the first.
graze convert frames/10.obj --unit mm -o ten.glb -q
graze cull frames/10.obj ten.glb --unit mm --tolerance 1um 2>&1 | tidy
graze cull ten.glb frames/10.obj --unit mm --tolerance 1um -q | tidy
graze cull ten.glb frames/10.obj 2>&1 | tidy
# A hundred triangles in a row, the tip of each in the next one: with their corners side by side in
# the file, and all over it.
row() { # ORDER
    awk -v order="$1" 'BEGIN {
        for (i = 0; i < 300; ++i) {
            t = order == "apart" ? i % 100 : int(i / 3)
            k = order == "apart" ? int(i / 100) : i % 3
            print "v", t + (k == 2 ? 1.5 : 0), (k == 0 ? 0 : k == 1 ? 1 : 0.5), 0
        }
        for (t = 0; t < 100; ++t) {
            print "o t" t
            print order == "apart" ? "f " t + 1 " " t + 101 " " t + 201 : "f " 3 * t + 1 " " 3 * t + 2 " " 3 * t + 3
        }
        print "# end of file"
    }'
}
row together >row.obj
row apart >wild.obj
graze cull row.obj wild.obj | tidy | tail -n 1
graze cull row.obj --csv -q | cut -d , -f 3- >together
graze cull wild.obj --csv -q | cut -d , -f 3- | cmp - together
