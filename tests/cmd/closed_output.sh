# Results that cannot be written are an error, and never end up in another file.
try() { "$@"; echo "exit $?" >&2; }
try graze help make >/dev/full
try graze help make >&-
try graze make box -o box.ply --json >&- 2>/dev/null
head -c 3 box.ply >&2; echo >&2
{ sleep 0.5; graze help make; echo "exit $?" >&2; } | true
graze make plates -n 20k -o with.stl -q
graze make plates -n 20k -o without.stl 2>&-
cmp with.stl without.stl
