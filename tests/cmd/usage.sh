# Wrong command lines: one sentence, exit code 2.
try() { graze "$@"; echo "exit $?"; }
try
try inof x.ply
try 'no such'
try info
try info --obects x.ply
try info --json=1 x.ply
try info -z x.ply
try info --memory
try info --memory 12x x.ply
try info --memory 1.5 x.ply
try info --threads -1 x.ply
try info --threads 5000 x.ply
try info --unit furlong x.ply
try convert a.ply b.ply -o c.ply
try convert a.ply
try make
try make tours -o x.ply
try make cube -o x.ply
try make torus
try make torus -o x.doc
try make torus -o x.ply --triangles many
try make torus -o x.ply --triangles 2T
try make torus -o x.ply --size 25mm
try make torus -o x.ply --size 0
try make torus -o x.ply --size 1e308in --unit mm
try help knit
try help --completion tcsh
try --verison
try -o
ls
