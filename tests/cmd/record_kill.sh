# kill -9 at moments by chance, again and again: in the end the record is that of an undisturbed run,
# line by line. When a moment comes makes no difference to what must come out.
graze make plant --objects 160 -n 80k -o plant.glb -q
graze make plant --objects 160 -n 80k --seed 1 -o other.glb -q
graze clash -q plant.glb -o whole.sqlite -t 1 >/dev/null
graze clash -q other.glb -o whole.sqlite -t 2 >/dev/null
graze review whole.sqlite --dump >expected
is_done() { # RUN
    graze review -q review.sqlite 2>/dev/null | grep -q "^run $1 .*complete"
}
# Kills runs of a file until one of them has come to its end; each may live longer than the one before.
run_until_done() { # FILE RUN
    local moments=4
    until is_done "$2"; do
        graze clash -q "$1" -o review.sqlite >/dev/null 2>&1 &
        sleep "$(awk -v m=$((moments + RANDOM % 10)) 'BEGIN { print m / 100 }')"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        moments=$((moments + moments / 5 + 1))
    done
}
run_until_done plant.glb 1 2>/dev/null
run_until_done other.glb 2 2>/dev/null
graze review review.sqlite --dump >dump
cmp dump expected && echo "the same record"
rm -f review.sqlite-journal # of a run that was killed when all was done: the next one would take it away
ls
