# A file of poses: one line of answers each, the same as one by one, in bounded memory.
set -e
graze make knot -n 2k -o knot.ply -q
graze make torus -n 1k -o torus.stl -q
awk 'BEGIN {
    print "# a screw"
    for (i = 0; i < 40; ++i) {
        a = i / 7; c = cos(a); s = sin(a)
        printf "%s%.17g %.17g 0 %.17g %.17g %.17g 0 0 0 0 1 %.17g%s\n", i % 3 == 0 ? "at" i " " : "", c, -s,
            i / 20, s, c, i / 40, i % 5 == 0 ? " # fifth\r" : ""
        if (i % 10 == 9) print "   "
    }
}' >poses.txt
status=0
graze collide knot.ply torus.stl --path poses.txt --count >answers || status=$?
echo "exit $status"
cat answers
cut -c 19- answers >verdicts
sed 's/#.*//; s/^at[0-9]* //; /^ *$/d' poses.txt | while read -r matrix; do
    graze collide knot.ply torus.stl --pose "b:$matrix" --count || true
done | sed 's/ share points//; s/: no two.*//; s/: /  /' | diff - verdicts
# Standard input, a last line without an end, an UTF-8 mark, thread counts.
{ printf '\357\273\277'; head -c -1 poses.txt; } |
    graze collide knot.ply torus.stl --path - --count --quiet --threads 1 | cmp - answers
graze collide knot.ply torus.stl --path poses.txt --count -q --layout compact | cmp - answers
graze collide knot.ply torus.stl --path /dev/null
echo "exit $?"
# Lists, and the sum of what it cost.
head -n 3 poses.txt | graze collide knot.ply torus.stl --path - --all --limit 2 | cut -c 1-27 | tr 0-9 N
graze collide knot.ply torus.stl --path poses.txt --stats -q | grep poses
# An undecided pose does not hide the others.
status=0
graze collide knot.ply torus.stl --path poses.txt --work-limit 200 -q >some || status=$?
echo "exit $status: $(grep -oE 'apart|undecided' some | sort -u | tr '\n' ' ')"
# Many poses in little memory.
yes '1 0 0 0.1 0 1 0 0 0 0 1 0' | head -n 100000 |
    graze collide knot.ply torus.stl --path - --memory 4M -q | wc -l
# Whoever waits for an answer before the next pose gets it.
coproc graze collide knot.ply torus.stl --path - -q
for x in 0 9 0; do
    echo "1 0 0 $x 0 1 0 0 0 0 1 0" >&"${COPROC[1]}"
    read -r -t 20 answer <&"${COPROC[0]}"
    echo "$answer"
done
