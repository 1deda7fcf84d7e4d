#!/usr/bin/env bash
# argmax-cl's system calls, by strace: whichever call is interrupted or fails, both result files are new or neither is,
# and nothing else is left.
# usage: cli_syscalls.sh ARGMAX_CL      argmax-cl on the tests' own OpenCL: a driver would write files, too.
# Exit status 77 where strace is missing or may not trace.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/f" "$folder/home"
cd "$folder/f"
export HOME=$folder/home TMPDIR=$folder/home
strace -f -o "$folder/trace" true 2>/dev/null || { echo "cli_syscalls: no strace, or it may not trace"; exit 77; }

fail() {
    echo "cli_syscalls: ${1//$'\n'/ }"
    exit 1
}
printf '\x93NUMPY\x01\x00v\x00%-117s\n%s' "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 2), }" 'abdcef' >x.npy

# ---- an interrupt, or an error, at each call ----
"$program" -a 1 -o old.npy --values new.npy x.npy >"$folder/output" 2>&1 || fail "not written: $(cat "$folder/output")"
cp old.npy "$folder/indices"
cp new.npy "$folder/values"

run() { # WHAT...: strace's options
    rm -f new.npy
    printf old >old.npy
    strace -f -qq -o "$folder/trace" "$@" "$program" -a 1 -o old.npy --values new.npy x.npy \
        >"$folder/output" 2>"$folder/error"
}
inject() { # SYSCALL WHAT STATUSES: at each of these calls once INPUT is opened; the runs' statuses, a digit each, as a pattern
    local call=$1 what=$2 n status first statuses=
    run -e trace="$call",openat || fail "status $?: $(cat "$folder/error")"
    n=$(awk -v call=" $call\\(" '/openat\(.*"x.npy"/ { exit } $0 ~ call { ++n } END { print n + 0 }' "$folder/trace")
    first=$n
    while :; do
        n=$((n + 1))
        status=0
        run -e trace="$call" -e inject="$call:$what:when=$n" 2>/dev/null || status=$?
        grep -qE 'INJECTED|--- SIG(INT|TERM)' "$folder/trace" || break
        look "$call $n, $what" $status
        statuses+=${status/#1[34]*/s}
    done
    [ $((n - 1)) -gt "$first" ] || fail "no $call to be interrupted"
    echo "$call with $what: $statuses"
    [[ $statuses =~ ^($3)$ ]] || fail "expected $3"
}
look() { # LABEL STATUS
    local new=0
    cmp -s old.npy <(printf old) || new=1
    [ $new = 0 ] || cmp -s old.npy "$folder/indices" || fail "$1: old.npy is neither old nor new"
    [ "$(ls -A | tr '\n' ' ')" = "$([ $new = 0 ] || printf 'new.npy ')old.npy x.npy " ] || fail "$1: $(ls -A)"
    [ $new = 0 ] || cmp -s new.npy "$folder/values" || fail "$1: new.npy is not whole"
    [ -z "$(ls -A "$HOME")" ] || fail "$1: $(ls -A "$HOME")"
    case $1,$2 in
        *signal*,130|*signal*,143|*signal*,0|*error*,0|*error*,1) ;;
        *) fail "$1: status $2" ;;
    esac
    [ "$2" != 0 ] || [ $new = 1 ] || fail "$1: success without files"
    [ "$2" != 1 ] || { [ $new = 0 ] && [ "$(grep -c ^argmax-cl: "$folder/error")" = 1 ]; } ||
        fail "$1: status 1, $(ls -A), $(cat "$folder/error")"
}
for call in openat fcntl fchmod fallocate write fsync close link rename unlink; do
    inject $call signal=INT 's+'
done
inject rename signal=TERM 's+'
while read -r call error statuses; do
    inject "$call" "error=$error" "$statuses"
done <<'END'
openat EACCES 1.*
openat EMFILE 1.*
pread64 EIO 1.*
fallocate ENOSPC 11
fallocate EOPNOTSUPP 00
write ENOSPC 1111
write EDQUOT 1111
write EINTR 0000
fsync EIO 1100
close EIO .*11.*
fchmod EPERM 00
link EPERM 0
link EMLINK 0
rename EACCES 11
rename ENOSPC 11
END
# ---- a disk that is full indeed, where the system lets us mount one: the values fit, the indices do not ----
{ printf '\x93NUMPY\x01\x00v\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (4096, 2), }"; head -c 8192 /dev/zero; } \
    >"$folder/large.npy"
mkdir "$folder/small"
small='mount -t tmpfs -o size=24k none "$1/small" && cd "$1/small" && printf old >old.npy &&
    { "$2" -a 1 --values new.npy -o old.npy "$1/large.npy" 2>"$1/error"; status=$?
      [ "$(ls -A)" = old.npy ] && [ "$(cat old.npy)" = old ] && exit $status; ls -A; exit 99; }'
if unshare -rm mount -t tmpfs none "$folder/small" 2>/dev/null; then
    status=0
    unshare -rm sh -c "$small" sh "$folder" "$program" || status=$?
    [ $status = 1 ] || fail "a full disk: status $status"
    grep -qx 'argmax-cl: old.npy: cannot be written: No space left on device' "$folder/error" ||
        fail "a full disk: $(cat "$folder/error")"
fi
echo "cli_syscalls: all as it should be"
