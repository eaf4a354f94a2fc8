# The demo finds no mistake, fits into 80 columns, and cleans up, or keeps its files if asked.
set -e
graze demo >text
sed 's/[0-9.]* \(bytes\|kB\|MB\)/SIZE/; s/ *[0-9.]* ms/  TIME/' text
awk 'length > 79 { print "too wide: " $0 }' text
graze demo --keep kept | tail -n 1
ls kept
