# Ctrl-C ends long work soon, with exit code 5, and leaves nothing behind. So does SIGTERM. The work
# has no end of its own; the signal comes when the program can take it, however long that takes.
catches() { # PID SIGNAL: has the process set a handler, or ended?
    local mask
    ! grep -q '^State:[[:blank:]]*Z' "/proc/$1/status" || return 0
    mask=$(sed -n 's/^SigCgt:[[:blank:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ $(((0x${mask:-0} >> ($(kill -l "$2") - 1)) & 1)) = 1 ]
}
stop() {
    local signal=$1 process
    shift
    env --default-signal="$signal" graze "$@" <&0 &
    process=$!
    until catches $process "$signal"; do sleep 0.02; done
    sleep 0.3 # well into its work, if the machine is not too slow
    kill -s "$signal" $process
    wait $process
    echo "exit $?"
}
stop INT make soup -n 1000M -o big.stl
stop TERM make soup -n 1000M -o big.ply
yes 'v 0 0 0' | stop INT convert - -o big.ply
yes 'v 0 0 0' | stop INT info - --memory 64M
# Questions, whether they wait for a pose or get no end of them.
graze make box -n 12 -o box.ply -q
mkfifo silence
stop INT collide box.ply box.ply --path - <>silence | grep exit
yes '1 0 0 9 0 1 0 0 0 0 1 0' | stop TERM distance box.ply box.ply --path - | grep exit
# A path of which some steps are done: they are told, and stay in the files.
: >told
yes '1 0 0 9 0 1 0 0 0 0 1 0' | env --default-signal=INT graze path box.ply box.ply --poses - --csv \
    -o rows.csv --report page.html >told -q &
until [ "$(wc -l <told)" -ge 2 ]; do sleep 0.02; done
kill -s INT $!
wait $!
echo "exit $?"
head -n 2 rows.csv | cut -d , -f 1-4
cmp told rows.csv
grep -o 'The run ended before all poses' page.html
find . -name 'big*'
