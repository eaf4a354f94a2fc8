# Errors and budgets that are none, for collide and distance.
graze make box -n 12 -o box.ply -q
for command in collide distance; do
    for error in -1 -1% nan inf 101% x 1%% 3parsecs ''; do
        graze $command box.ply box.ply --error "$error"
        echo "exit $?"
    done
    for budget in 0 0s 5 -1ms nan inf 1ns '1 ms' ''; do
        graze $command box.ply box.ply --budget "$budget"
        echo "exit $?"
    done
    graze $command box.ply box.ply --error 2mm
    echo "exit $?"
    graze $command box.ply box.ply --error 1e308ft --unit mm
    echo "exit $?"
    # An error of 0 is no error.
    graze $command box.ply box.ply --error 0 | head -n 1
    graze $command box.ply box.ply --error 0% --pose 'b:3 0 0' | head -n 1
done
