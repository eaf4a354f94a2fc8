# On a terminal there is colour and a bar of progress, unless somebody minds.
command -v script >/dev/null || { echo "script is missing" >&2; exit 77; }
on_terminal() { script -qec "$1" /dev/null; }
escapes() { grep -c "$(printf '\033\\[[0-9;]*m')"; }
graze make nasty -o nasty.obj -q
echo "lines with colour: $(on_terminal 'graze info nasty.obj' | escapes)"
echo "with NO_COLOR: $(NO_COLOR=1 on_terminal 'graze info nasty.obj' | escapes)"
echo "with TERM=dumb: $(TERM=dumb on_terminal 'graze info nasty.obj' | escapes)"
echo "off a terminal: $(graze info nasty.obj | escapes)"
# --foreground: without it, timeout signals the process and then its group, and twice means at once.
long='timeout --foreground --preserve-status -s TERM 1.2 graze make soup -n 1000M -o big.ply'
bar='^triangles +\[=*> *\] +[0-9]+%  [0-9.]+ M? ?triangles/s  [0-9:]+ left'
bars() { tr '\r' '\n' | grep -cE "$bar"; }
drawn=$(on_terminal "$long" | bars)
[ "$drawn" -ge 1 ] && [ "$drawn" -le 12 ] && echo "bars on a terminal, ten a second at most"
echo "bars with --quiet: $(on_terminal "$long --quiet" | bars)"
echo "bars with TERM=dumb: $(TERM=dumb on_terminal "$long" | bars)"
$long 2>messages
cat messages
