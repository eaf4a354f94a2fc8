# The manual pages are sound mdoc and name every option.
set -e
command -v mandoc >/dev/null || { echo "mandoc is missing" >&2; exit 77; }
for command in '' info convert build check detail export picture make collide distance clash cull review \
    report path simulate demo help; do
    # shellcheck disable=SC2086
    graze help --man $command >page
    mandoc -Tlint page | grep -vE 'Os graze|referenced manual not found' || true
    mandoc page | sed 's/.\x08//g' >text # bold is a letter struck twice
    grep -q 'EXIT STATUS' text
    if [ -n "$command" ]; then
        graze help "$command" | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
            grep -q -- "$option" text || echo "$command: $option is missing"
        done
    fi
done
