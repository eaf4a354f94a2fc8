# Ctrl-C ends long work soon, with exit code 5, and leaves nothing behind. So does SIGTERM.
for signal in INT TERM; do
    timeout --preserve-status -s $signal -k 20 1 \
        env --default-signal=$signal graze make soup -n 1000M -o big.stl
    echo "exit $?"
    find . -name 'big*'
done
