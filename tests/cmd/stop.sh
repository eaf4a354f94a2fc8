# Ctrl-C ends long work soon, with exit code 5, and leaves nothing behind. So does SIGTERM.
# --foreground: without it, timeout signals the process and then its group, and twice means at once.
stop_after_a_second() {
    local signal=$1
    shift
    timeout --foreground --preserve-status -s "$signal" -k 20 1 env --default-signal="$signal" graze "$@"
    echo "exit $?"
}
stop_after_a_second INT make soup -n 1000M -o big.stl
stop_after_a_second TERM make soup -n 1000M -o big.ply
yes 'v 0 0 0' | stop_after_a_second INT convert - -o big.ply
yes 'v 0 0 0' | stop_after_a_second INT info - --memory 64M
# Questions, whether they wait for a pose or get no end of them.
graze make box -n 12 -o box.ply -q
sleep 2 | stop_after_a_second INT collide box.ply box.ply --path - | grep exit
yes '1 0 0 9 0 1 0 0 0 0 1 0' | stop_after_a_second TERM distance box.ply box.ply --path - | grep exit
find . -name 'big*'
