# Files of several objects become scenes, which keep them apart; of one object, models; with --one
# models in any case. Scenes are checked, described, and asked about.
set -e
plain() { sed -E 's/[0-9.]+ (kB|MB)/SIZE/; s/[0-9.]+ bytes a triangle/EACH/; s/[0-9]+\.[0-9] s$/TIME/; s/[0-9]+ bytes( while|, a|$)/SIZE\1/'; }
numbers() { sed -E 's/"(bytes|resident_bytes|bytes_a_triangle|seconds)": [0-9.e-]+/"\1": N/g'; }
graze make plates -n 2000 -o p.obj -q
graze build p.obj -o p.graze 2>&1 | plain
graze build p.obj --one -o one.graze -q
graze info one.graze | grep format | plain
graze check p.graze one.graze
graze info p.graze --objects | plain | head -n 16
graze info p.graze --json | numbers
graze info p.graze --json --objects | grep -o '"closed": true' | uniq -c
graze build p.obj -o p2.graze --threads 3 --memory 64M --json -q | numbers
cmp p.graze p2.graze
# Questions: the file, and what was built of it.
for file in p.obj p.graze; do
    graze clash $file --csv -q >$file.csv
done
cmp p.obj.csv p.graze.csv
# What a matrix does more than turn and shift is applied.
graze build "$DATA/placed.gltf" -o placed.graze 2>&1 | plain
graze check placed.graze
# Standard input: a file can be looked at twice, a pipe cannot.
graze build - -o in.graze -q <p.obj
cmp in.graze p.graze
cat p.obj | graze build - -o pipe.graze 2>&1 | plain
cmp pipe.graze one.graze
# Solids of an STL file that is text are objects; a mesh of one object is a model.
graze convert p.obj -o p.stl --ascii -q
graze build p.stl -o stl.graze -q
graze info stl.graze | grep -E 'format|objects' | plain
graze make box -n 12 -o box.ply -q
graze build box.ply -o box.graze -q
graze info box.graze | grep format | plain
# Several files, a folder, a manifest: always scenes.
mkdir -p parts/more
cp box.ply parts/a.ply
cp box.ply parts/more/b.ply
graze build box.ply parts -o many.graze -q
graze info many.graze --objects | plain
graze build parts/more -o folder.graze -q
graze info folder.graze --objects | tail -n 1
cat >site.json <<'END'
{"files": [{"path": "box.ply", "unit": "mm", "group": "here"},
           {"path": "parts/more", "unit": "mm", "group": "there"}]}
END
graze build site.json -o site.graze -q
graze info site.graze --objects | plain
graze check site.graze --json
graze path box.ply site.graze --poses - --csv -q <<<'0.5 0 0 0 0 0 1' | cut -d , -f 1-4
