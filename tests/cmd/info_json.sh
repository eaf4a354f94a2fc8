# Reports for programs: valid JSON, one line for each file, the members that the manual names.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
graze make knot -n 2000 -o knot.ply -q
graze make nasty -o nasty.obj -q
graze make plates -n 400 -o plates.glb -q
graze info knot.ply --json
graze info nasty.obj --json --objects | jq .
graze info plates.glb --json --objects | jq -c '.objects[] | [.name, .group, .triangles, .matrix]'
graze info knot.ply plates.glb --json | wc -l
graze info knot.ply --json --counts-only | jq -c '[.findings.parts, .closed, .defects, .summary]'
# Names that are no UTF-8, and names with quotes and control characters.
printf 'o a\xff\xc3\x28"\\\x01b\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n# end of file\n' >odd.obj
graze info odd.obj --json --objects | jq -c '[.objects[].name]'
graze info odd.obj --objects | tail -n +14 | head -n 1
# A file that cannot be read is told from the others; the worst exit code counts.
graze info missing.ply knot.ply --json | jq -c '[.file, .error, .triangles]'
echo "exit ${PIPESTATUS[0]}"
