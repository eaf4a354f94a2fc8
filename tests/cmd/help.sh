# Help has all commands and options, fits into 80 columns, and is the same by both roads.
set -e
graze help
graze --help | diff - <(graze help)
graze -h | diff - <(graze help)
for command in info convert build check detail export picture make collide distance clash cull review \
    report path simulate demo help; do
    graze help "$command" >page
    grep -q "^Usage: graze $command" page
    graze "$command" --help | diff - page
    awk -v name="$command" 'length > 79 { print name ": too wide: " $0 }' page
done
graze help make
