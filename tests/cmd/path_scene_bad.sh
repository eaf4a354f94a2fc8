# What graze path is given wrongly where there is a scene: a sentence and an exit code.
graze make box -n 12 -o box.ply -q
graze make sphere -n 80 -o ball.ply -q
echo '{"files": [{"path": "box.ply"}, {"path": "ball.ply"}]}' >site.json
printf '0 0 0 0 0 0 1\n' >way.txt
try() { graze path "$@"; echo "exit $?"; }
try box.ply site.json --poses way.txt --error 1%
try box.ply site.json --poses way.txt --budget 1ms
try box.ply site.json --poses way.txt --pose 'b:1 0 0'
try box.ply site.json --poses way.txt --touch 1
try box.ply site.json --poses way.txt --kinds --touch 1mm
try box.ply missing.ply site.json --poses way.txt
try box.ply missing.json --poses way.txt
try box.ply ball.ply site.json --poses way.txt
try - - site.json --poses way.txt
try box.ply site.json --poses way.txt --memory 1M
echo '{"files": [{"path": "box.ply", "size": 1}]}' >wrong.json
try box.ply wrong.json --poses way.txt --json
printf '0 0 0 0 0 0 1\n1e308 1e308 1e308 0 0 0 1\n' >far.txt
try box.ply site.json --poses far.txt --csv -q | cut -d , -f 1-6
find . -type f | sort
