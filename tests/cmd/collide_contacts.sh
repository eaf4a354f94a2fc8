# Contacts: where, which way, how deep; as a table, as JSON, as CSV.
graze make box -n 12 -o box.ply -q
printf 'OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n' >a.off
printf 'OFF\n3 1 0\n0.25 0.25 -0.5\n0.25 0.25 1\n0.5 0.25 1\n3 0 1 2\n' >b.off
try() { graze collide "$@"; echo "exit $?"; }
try a.off b.off --contacts
try a.off b.off --contacts --all
try a.off b.off --contacts --csv
try a.off b.off --contacts --json | grep -o '"verdict".*\|exit.*'
try a.off b.off --contacts --pose 'b:0 0 9' --csv
try a.off a.off --contacts --tolerance 0.5 --pose 'b:0 0 0.25' --csv
printf 'one,two 1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 9\n"q" 1 0 0 0.25 0 1 0 0 0 0 1 0\n' >poses.txt
try a.off b.off --contacts --path poses.txt --csv | cut -d , -f 1-9
try a.off b.off --contacts --path poses.txt
try box.ply box.ply --contacts --csv --limit 2 -q | wc -l
try box.ply box.ply --contacts --csv --limit 2 | grep exit
# One contact for each pair, in the order of the pairs.
graze collide box.ply box.ply --all | tail -n +4 | awk '{ print $1 "," $2 }' >pairs
graze collide box.ply box.ply --contacts --csv | tail -n +2 | cut -d , -f 1,2 | cmp - pairs
try a.off b.off --csv
try a.off b.off --contacts --csv --json
try a.off b.off --contacts --csv --depth
try a.off b.off --contacts --csv --stats
try a.off b.off --limit 3
try a.off b.off --depth --budget 1s
