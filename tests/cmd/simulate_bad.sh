# Scenes that are none, and command lines that make no sense.
graze make box -n 12 -o box.ply -q
graze make grid -n 8 -o open.ply -q
try() {
    printf '%s\n' "$1" >scene.json
    shift
    graze simulate scene.json -q "$@"
    echo "exit $?"
}
try '{"bodies": [{"file": "none.ply"}]}'
try '{"bodies": [{"file": "box.ply", "mas": 1}]}'
try '{"bodies": [{"position": [0, 0, 0]}]}'
try '{"bodies": [{"file": "box.ply", "mass": 0}]}'
try '{"bodies": [{"file": "box.ply", "density": -1}]}'
try '{"bodies": [{"file": "open.ply"}]}'
try '{"bodies": [{"file": "box.ply", "position": [NaN, 0, 0]}]}'
try '{"bodies": [{"file": "box.ply", "position": [1e999, 0, 0]}]}'
try '{"bodies": [{"file": "box.ply", "pose": [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]}]}'
try '{"bodies": [{"file": "box.ply"}, {"file": "box.ply", "position": [0.5, 0, 0]}]}'
try '{"step": 0, "bodies": []}'
try '{"engine": "magic"}'
try '{"bodies": [{"file": "box.ply", "path": [{"time": 1}, {"time": 0}]}]}'
try '[]'
try '{"metric": {"view": 2}}'
try '{}' --metric sise=1%
try '{}' --record run.txt
try '{}' --record run.csv --replay run.csv
echo 'no record' >none.csv
try '{"bodies": [{"file": "box.ply"}]}' --replay none.csv
graze simulate missing.json
echo "exit $?"
find . -name '.?*' -o -name '*.csv'
