# How deep: bounds, who holds the ball, meshes that are not closed, and exit codes.
# The last digits are the rounding's own business.
try() { echo "> $*"; graze collide "$@" | brief; echo "exit ${PIPESTATUS[0]}"; }
brief() { sed -E 's/([0-9]\.[0-9]{6})[0-9]+/\1/g'; }
graze make box -n 12 -o box.ply -q
graze make box -n 12 --size 4 -o hall.ply -q
graze make grid -n 50 -o grid.ply -q
try box.ply box.ply --depth
try box.ply box.ply --depth --pose b:'0.75 0 0' --depth-error 0.1%
try box.ply box.ply --depth --pose b:'0.75 0 0' --unit cm --count
try box.ply box.ply --depth --pose b:'1.5 0 0' --tolerance 1
try box.ply box.ply --depth --pose b:'1 0 0' | sed 's/at most .*/at most .../'
try hall.ply box.ply --depth --pose b:'1 0 0'
try box.ply hall.ply --depth --pose b:'-1 0 0'
try grid.ply box.ply --depth
try box.ply grid.ply --depth
try grid.ply grid.ply --depth
try hall.ply box.ply --depth --pose b:'1.9 0.1 0.2 / 20deg about 1 2 3' --work-limit 10k |
    sed 's/from .* to .*;/from ... to ...;/; s/ at  *[-0-9].*/ at .../'
# For programs.
try hall.ply box.ply --depth --pose b:'1 0 0' --json
try grid.ply box.ply --depth --json
try box.ply box.ply --depth --pose b:'9 0 0' --json
# Pose by pose.
cat >poses.txt <<END
in 1 0 0 0 0 1 0 0 0 0 1 0
half 1 0 0 2 0 1 0 0 0 0 1 0
out 1 0 0 4 0 1 0 0 0 0 1 0
END
try hall.ply box.ply --depth --path poses.txt --count
try hall.ply grid.ply --depth --path poses.txt
graze collide hall.ply box.ply --depth --path poses.txt --json -q | grep -o '"depth".*' | brief
# Both ways round the bounds are the same to the last digit.
graze make knot -n 3k -o knot.ply -q
graze make torus -n 2k -o torus.ply -q
bounds() { graze collide "$@" --depth --json | grep -o '"low": *[^,]*, *"high": *[^,]*'; }
one=$(bounds knot.ply torus.ply --pose a:'0.1 0 0 / 30deg about 1 2 3')
two=$(bounds torus.ply knot.ply --pose b:'0.1 0 0 / 30deg about 1 2 3')
[ -n "$one" ] && [ "$one" = "$two" ] && echo "the same"
compact=$(bounds knot.ply torus.ply --pose a:'0.1 0 0 / 30deg about 1 2 3' --layout compact)
[ "$one" = "$compact" ] && echo "the same"
# What makes no sense.
try box.ply box.ply --depth-error 1%
for part in 0 -1 2 101% 1mm '' nan '%'; do try box.ply box.ply --depth --depth-error "$part"; done
