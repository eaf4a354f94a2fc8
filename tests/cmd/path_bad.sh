# What graze path is given wrongly, and files that it cannot write: a sentence, an exit code, and what
# was done before that.
graze make box -n 12 -o box.ply -q
good='1 0 0 0 0 1 0 0 0 0 1 0'
printf '%s\nfar 1 0 0 9 0 1 0 0 0 0 1 0\n' "$good" >way.txt
try() { graze path "$@"; echo "exit $?"; }
brief() { cut -d , -f 1-6; }
try box.ply
try box.ply box.ply
try box.ply box.ply --poses missing.txt
try box.ply box.ply --poses .
try missing.ply box.ply --poses way.txt
try box.ply box.ply --poses way.txt --pose 'a:1 0 0'
try box.ply box.ply --poses way.txt --pose 'b:1 x 0'
try box.ply box.ply --poses way.txt --json --csv
try box.ply box.ply --poses way.txt --path way.txt
itself=box.ply
try - box.ply --poses - <"$itself"
for error in -1 -0.1% nan inf 101% x '' 1e999; do
    try box.ply box.ply --poses way.txt --error "$error"
done
try box.ply box.ply --poses way.txt --error 2mm
try box.ply box.ply --unit mm --poses way.txt --error 1e308ft
for budget in 0 0ms 1 -1ms nans 1ns 1e400s ms ''; do
    try box.ply box.ply --poses way.txt --budget "$budget"
done
# A line that is none, and a pose that no question can be asked about: steps before it stand.
printf '%s\n2 0 0 0 0 1 0 0 0 0 1 0\n%s\n' "$good" "$good" >bad.txt
try box.ply box.ply --poses bad.txt --csv -q | brief
printf '%s\n1 0 0 1e308 0 1 0 1e308 0 0 1 1e308\n' "$good" >bad.txt
try box.ply box.ply --poses bad.txt --json -q -o some.csv --report some.html | grep -oE '^exit.*|"(step|error)": [^,]*'
brief <some.csv
grep -c 'ended before all poses' some.html
# Names, and files that are read.
try box.ply box.ply --poses way.txt -o rows.txt
try box.ply box.ply --poses way.txt --report page.png
cp way.txt way.csv
try box.ply box.ply --poses way.csv -o way.csv
cp box.ply box.html
try box.ply box.html --poses way.txt --report ./box.html
cmp box.ply box.html
# Files that cannot be written: known before anything is asked; whole or not at all.
try box.ply box.ply --poses way.txt --csv --report nowhere/page.html
try box.ply box.ply --poses way.txt --csv -o nowhere/rows.csv
mkdir folder.html
try box.ply box.ply --poses way.txt --csv -q --report folder.html | brief
echo before >kept.html
echo before >kept.csv
(
    ulimit -f 2
    try box.ply box.ply --poses way.txt --report kept.html -q
) 2>&1 | grep -e exit -e kept
yes "$good" | head -n 4000 >long.txt
(
    ulimit -f 100
    try box.ply box.ply --poses long.txt -o kept.csv -q
) 2>&1 | grep -e exit -e kept
cat kept.html kept.csv
graze path box.ply box.ply --poses way.txt --csv -q >/dev/full
echo "exit $?"
find . -type f | sort
