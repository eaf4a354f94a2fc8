# In little memory the same is found with the help of files, of which none stays; in too little it
# is said that there is too little.
graze make terrain -n 300k -o t.ply -q
graze info t.ply --memory 16M | tail -n 11
graze info t.ply --memory 16M --threads 1 | sha256sum >one
graze info t.ply --memory 16M --threads 4 | sha256sum >four
cmp one four
graze info t.ply --memory 1M
echo "exit $?"
