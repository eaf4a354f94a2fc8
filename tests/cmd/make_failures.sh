# What cannot be written: one sentence, an exit code, and no file left behind.
try() { graze "$@"; echo "exit $?"; }
mkdir folder
try make box -o missing/box.ply
try make box -o folder/
(ulimit -f 1000; try make soup -n 100k -o large.ply)
(ulimit -f 1000; try make soup -n 100k -o large.stl)
echo old >kept.ply
(ulimit -f 1000; try make soup -n 100k -o kept.ply)
cat kept.ply
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    graze make box -o locked/box.ply 2>/dev/null
    [ $? = 3 ] || echo "a locked folder was no hindrance"
fi
find . -type f
