# Contact details: levels of a mesh, saved and not; and a mesh that has none.
graze make digit -s 3 -n 400 -o digit.ply --quiet
graze detail digit.ply
graze detail digit.ply --no-levels --json | jq -c '{triangles, hulls, closed, levels: (.levels | length)}'
graze detail digit.ply -o digit.detail --quiet >/dev/null
head -c 7 digit.detail | od -An -c
graze info digit.detail; echo "exit $?"
graze make soup -n 20 -o soup.ply --quiet
graze detail soup.ply; echo "exit $?"
graze make nasty -o nasty.obj --quiet
graze detail nasty.obj; echo "exit $?"
graze detail digit.ply -o digit.ply; echo "exit $?"
