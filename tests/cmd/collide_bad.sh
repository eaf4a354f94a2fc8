# Wrong questions: one sentence each, exit code 2 for the command line and 3 for files.
try() { graze collide "$@"; echo "exit $?"; }
graze make box -n 12 -o box.ply -q
try box.ply
try box.ply box.ply box.ply
try box.ply box.ply --limit 5
try box.ply box.ply --tolerance -1
try box.ply box.ply --tolerance nan
try box.ply box.ply --tolerance 2mm
try box.ply box.ply --tolerance 1e308m --unit mm
try box.ply box.ply --pose 'b:1mm 0 0'
try box.ply box.ply --pose 'b:1e308m 0 0' --unit mm
for pose in '' b 'c:0 0 0' 'b' 'b:' 'b:1 2' 'b:1 2 3 4' 'b:1 2 x' 'b:1 2 nan' 'b:inf 0 0' 'b:0x1 0 0' \
    'b:1 2 3 /' 'b:/' 'b:/ 30' 'b:/ 30 about 0 0 1' 'b:/ 30deg 0 0 1' 'b:/ 30deg about 0 0' \
    'b:/ 30deg about 0 0 0' 'b:/ 30deg about 0 0 x' 'b:/ nandeg about 0 0 1' \
    'b:/ 30deg about 0 0 1 / 30deg about 0 0 1' 'b:1 0 0 0 0 1 0 0 0 0 1' \
    'b:1 0 0 0 0 1 0 0 0 0 1.001 0' 'b:1 0 0 0 0 1 0 0 0 0 -1 0' 'b:1mm 0 0 0 0 1 0 0 0 0 1 0' \
    'b:1 0 0 0 0 1 0 0 0 0 1 0 / 30deg about 0 0 1'; do
    try box.ply box.ply --pose "$pose"
done
try box.ply box.ply --pose "b:$(head -c 5000 /dev/zero | tr '\0' 7)" 2>&1 | tail -c 60
try box.ply box.ply --path none.txt
try box.ply box.ply --path none.txt --pose 'b:0 0 0'
try box.ply - --path -
try - -
try box.ply missing.ply
try box.ply box.ply --pose 'b:1e308 1e308 1e308'
graze make sphere -n 100k -o large.ply -q
try large.ply box.ply --memory 3M 2>/dev/null
printf 'v 1e308 0 0\nv 0 1e308 0\nv 0 0 1e308\nf 1 2 3\n# end of file\n' >huge.obj
try huge.obj box.ply --unit mm
try huge.obj huge.obj
