# Completion of argmax-cl and argmax-cl-bench in bash, from what their --help says.
_argmax_cl() {
    local program=$1 word=$2 before=$3 help values=
    help=$("$program" --help 2>/dev/null) || return
    case $before in
        -d) before=--device ;;
        -o) before=--output ;;
    esac
    case $before in
        --device)
            mapfile -t COMPREPLY < <(compgen -W "$(argmax-cl --list-devices 2>/dev/null | cut -d ' ' -f 1)" -- "$word")
            return
            ;;
        --*) # "--nan propagate|ignore": one of these words
            values=$(sed -nE "s/^ .*$before ([a-z0-9]+(\|[a-z0-9]+)+) .*/\1/p" <<<"$help" | tr '|' ' ')
            ;;
    esac
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '(^|[ ,])--[a-z-]+' <<<"$help" | tr -d ', ' | sort -u)" -- "$word")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _argmax_cl argmax-cl argmax-cl-bench
