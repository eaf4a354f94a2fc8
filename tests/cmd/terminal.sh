# On a terminal there is colour and a bar of progress, unless somebody minds.
command -v script >/dev/null || { echo "script is missing" >&2; exit 77; }
on_terminal() { script -qec "$1" /dev/null; }
escapes() { grep -c "$(printf '\033\\[[0-9;]*m')"; }
graze make nasty -o nasty.obj -q
echo "lines with colour: $(on_terminal 'graze info nasty.obj' | escapes)"
echo "with NO_COLOR: $(NO_COLOR=1 on_terminal 'graze info nasty.obj' | escapes)"
echo "with TERM=dumb: $(TERM=dumb on_terminal 'graze info nasty.obj' | escapes)"
echo "off a terminal: $(graze info nasty.obj | escapes)"
# Long work. It is stopped when its bars have shown, or in time for them to show; --foreground:
# without it, timeout signals the process and then its group, and twice means at once.
long='graze make soup -n 200M -o big.ply'
bar='^triangles +\[=*> *\] +[0-9]+%  [0-9.]+ M? ?triangles/s  [0-9:]+ left'
bars() { tr '\r' '\n' | grep -cE "$bar"; }
: >drawn
begin=$(date +%s%N)
on_terminal "$long & echo \$! >process; wait \$!" >drawn &
until [ "$(bars <drawn)" -ge 3 ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
kill -TERM "$(cat process)" 2>/dev/null
wait $!
tenths=$((($(date +%s%N) - begin) / 100000000))
[ "$(bars <drawn)" -le $((tenths + 1)) ] && echo "bars on a terminal, ten a second at most"
stopped="timeout --foreground --preserve-status -s TERM 1.2 $long"
echo "bars with --quiet: $(on_terminal "$stopped --quiet" | bars)"
echo "bars with TERM=dumb: $(TERM=dumb on_terminal "$stopped" | bars)"
echo "bars off a terminal: $($stopped 2>&1 | grep -vcx 'graze: cancelled')"
# Steps of a path have a bar, also where each question has progress of its own.
graze make knot -n 5000 -o knot.ply -q && graze build knot.ply -o knot.graze -q
yes '1 0 0 0.1 0 1 0 0 0 0 1 0' | head -n 3000 >way.txt
: >drawn
on_terminal 'graze path knot.graze knot.graze --poses way.txt & echo $! >process; wait $!' >drawn &
until tr '\r' '\n' <drawn | grep -q '^asking' || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
kill -TERM "$(cat process)" 2>/dev/null
wait $!
tr '\r' '\n' <drawn | grep -oE '^asking +[0-9,]+ steps' | sed 's/[0-9,][0-9,]*/N/' | head -n 1
