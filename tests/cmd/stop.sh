# Ctrl-C ends long work soon, with exit code 5, and leaves nothing behind. So does SIGTERM.
stop_after_a_second() {
    local signal=$1
    shift
    timeout --preserve-status -s "$signal" -k 20 1 env --default-signal="$signal" graze "$@"
    echo "exit $?"
}
for signal in INT TERM; do
    stop_after_a_second $signal make soup -n 1000M -o big.stl
    yes 'v 0 0 0' | stop_after_a_second $signal convert - -o big.ply
    yes 'v 0 0 0' | stop_after_a_second $signal info - --memory 64M
done
find . -name 'big*'
