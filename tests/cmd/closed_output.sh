# Results that cannot be written are an error, and never end up in another file.
try() { "$@"; echo "exit $?" >&2; }
try graze help make >/dev/full
try graze help make >&-
try graze make box -o box.ply --json >&- 2>/dev/null
head -c 3 box.ply >&2; echo >&2
mkfifo pipe
exec 3<>pipe 4>pipe 3<&- # nobody reads any more
try graze help make >&4
exec 4>&-
graze make plates -n 20k -o with.stl -q
graze make plates -n 20k -o without.stl 2>&-
cmp with.stl without.stl
