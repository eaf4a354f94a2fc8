# Models that are damaged, and what is no model: one sentence each; a build that fails leaves nothing.
try() { "$@"; echo "exit $?"; }
graze make knot -n 5000 -o a.ply -q
graze build a.ply -o a.graze -q
try graze build a.ply
try graze build a.ply -o b.graze --memory 63M
try graze build missing.ply -o b.graze
try graze build a.graze -o b.graze
try graze build a.ply -o nowhere/b.graze
try graze check a.ply
try graze info a.graze --shape
try graze export a.graze -o b.off
try graze export a.ply -o b.ply
head -c 3000 a.graze >cut.graze
try graze check cut.graze 2>&1 | sed 's/has [0-9]* bytes/has N bytes/'
try graze info cut.graze --json 2>&1 | sed 's/has [0-9]* bytes/has N bytes/'
# A byte in the middle of a page: the file opens, the page is named, the others are found sound.
cp a.graze bad.graze
printf 'X' | dd of=bad.graze bs=1 seek=400 conv=notrunc status=none
try graze check bad.graze
try graze check bad.graze a.graze --json
try graze export bad.graze -o b.ply
printf '\4' | dd of=bad.graze bs=1 seek=8 conv=notrunc status=none
try graze check bad.graze
# A disk that is full, or the limit of a file's size.
(
    ulimit -f 8
    try graze build a.ply -o b.graze
)
ls
