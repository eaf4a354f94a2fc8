# What goes wrong while a check runs: a file that shrinks, a full disk, a process that is killed. A
# sentence, an exit code, and nothing left behind. Rules from a pipe hold the check where the scene is open.
graze make plant --objects 120 -n 20k -o plant.glb -q
graze build plant.glb -o plant.graze -q
bytes=$(stat -c %s plant.graze)
mkfifo rules

# hold SCENE: begins a check, and comes back when it waits for its rules, with descriptor 3.
hold() {
    graze clash "$1" --rules rules -q --json >told 2>said &
    process=$!
    exec 3>rules
}
let_go() {
    echo '{}' >&3 2>/dev/null
    exec 3>&-
    wait $process 2>/dev/null
    echo "exit $?"
}

echo "--- a scene file that shrinks"
for part in 2 4 8; do
    cp plant.graze hurt.graze
    hold hurt.graze
    truncate -s $((bytes / part)) hurt.graze
    let_go
    sed -E "s/[0-9]+/N/g" said told | uniq # each thread may meet it
done
echo "--- one that is gone, or another one of the same name: what was opened is what counts"
graze clash plant.graze -q --json | sed '$d' >expected
cp plant.graze hurt.graze
hold hurt.graze
rm hurt.graze
let_go
sed '$d' told | cmp - expected
cp plant.graze hurt.graze
hold hurt.graze
graze make box -o other.obj -q
graze build other.obj other.obj -o hurt.graze -q
let_go
sed '$d' told | cmp - expected

echo "--- killed"
hold plant.glb
{
    kill -s KILL $process
    wait $process
} 2>/dev/null
echo "exit $?"
exec 3>&-
cat told said
ls -A "$TMPDIR"

echo "--- a full disk"
(
    ulimit -f 100
    graze clash plant.glb -q --json
    echo "exit $?"
) 2>&1 | sed -E "s|$TMPDIR|TMPDIR|g"
(
    ulimit -f 20
    graze build plant.glb -o new.graze -q
    echo "exit $?"
) 2>&1 | sed -E "s|$TMPDIR|TMPDIR|g"
ls -A
ls -A "$TMPDIR"
