# Completion loads in the shells that are here, and completes commands, shapes, options and values.
set -e
graze help --completion bash >graze.bash
graze help --completion zsh >graze.zsh
graze help --completion fish >graze.fish
touch one.ply
bash -u -c '
    source ./graze.bash
    complete_line() {
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _graze
        printf "%s:" "$*"
        printf " %s" "${COMPREPLY[@]}"
        echo
    }
    complete_line graze ""
    complete_line graze ma
    complete_line graze make t
    complete_line graze make torus --
    complete_line graze make torus -u ""
    complete_line graze help --completion ""
    complete_line graze help con
    complete_line graze info on
    complete_line graze info --memory ""
    complete_line graze info --objects on
    complete_line graze make plant --objects ""
    complete_line graze make refine on
    complete_line graze make p
    complete_line graze --v
'
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n graze.$shell
    fi
done
