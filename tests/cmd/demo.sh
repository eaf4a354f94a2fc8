# The demo finds no mistake, fits into 80 columns, and cleans up, or keeps its files if asked.
set -e
graze demo >text
sed -E 's/[0-9.]+ (us|ms|s)\b/TIME/g; s/[0-9.]+ (bytes|kB|MB)/SIZE/g; s/^(   --budget 5ms ).*/\1.../
    /^   (--error|  +contact)/s/ +[0-9.]+$/  MS/; s/( +[0-9]+\.[0-9]{3}){2}$/  MS  MS/; s/of step [0-9]+$/of step N/
    s/^pages: [0-9]+/pages: N/; s/ +(SIZE|TIME)/ \1/' text
awk 'length > 79 { print "too wide: " $0 }' text
graze demo --keep kept | sed -En 's/[0-9.]+ kB: kept/SIZE: kept/p; /^The/p'
ls kept
