# Scenes where a model or a mesh is wanted, builds that cannot be, and damage: a sentence each.
graze make plates -n 500 -o p.obj -q
graze make box -n 12 -o box.ply -q
graze build p.obj -o p.graze -q
graze build box.ply -o box.graze -q
try() { graze "$@"; echo "exit $?"; }
echo '0 0 0 0 0 0 1' >way.txt
echo "--- not for scenes"
try collide p.graze box.ply
try collide box.ply p.graze --json
try distance box.graze p.graze
try export p.graze -o out.ply
try picture p.graze -o out.png
try convert p.graze -o out.ply
try make refine p.graze -o out.ply
try path p.graze box.ply --poses way.txt
try path p.graze p.obj --poses way.txt
try info p.graze --shape
echo "--- builds"
try build p.graze -o out.graze
try build box.ply box.graze -o out.graze
try build p.obj box.ply --one -o out.graze
mkdir empty parts
cp box.graze parts/
try build empty -o out.graze
try build empty --one -o out.graze
try build parts -o out.graze
try build - - -o out.graze
try build p.obj missing.ply -o out.graze
try build p.obj ./p.graze -o p.graze
try build p.obj -o out.graze --memory 63M
echo '{"files": [{"path": "box.ply", "unit": "mm"}, {"path": "p.obj", "unit": "m"}]}' >units.json
try build units.json -o out.graze
echo "--- damage"
cp p.graze cut.graze
truncate -s -1 cut.graze
where() { sed -E 's/byte [0-9]+/byte N/; s/[0-9]+ bytes/N bytes/'; }
{
    try check cut.graze
    try check cut.graze --json
    try info cut.graze
    try collide cut.graze box.ply
} 2>&1 | where
# The first byte of a page; where that is in the file may change.
cp p.graze hurt.graze
printf '\377' | dd of=hurt.graze bs=1 seek=600 conv=notrunc status=none
{ try check p.graze hurt.graze; } 2>&1 | where
try check hurt.graze --json 2>/dev/null
echo "--- a folder with its slash"
mkdir odd
cp box.ply odd/
echo >odd/notes.txt
graze build odd/ -o whole.graze 2>&1 | grep notes
find . -name 'out*'
