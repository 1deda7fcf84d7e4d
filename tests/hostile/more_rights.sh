#!/bin/sh
# A program with more rights than its caller takes no code and no files from the environment: neither a tuning file nor
# kernels nor the user's own file, while the same program without those rights does. Needs root, who can make such a
# program; ends with 77 otherwise.
# usage: more_rights.sh PROGRAM, which ends well on the tests' own OpenCL with the argument 1
set -eu
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit 77
folder=$(mktemp -d /tmp/argmax_cl-rights-XXXXXX)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/config/argmax_cl"
echo nonsense >"$folder/config/argmax_cl/tuning"
cp "$1" "$folder/program"
chmod 755 "$folder"
# A file system that ignores the bit, or libraries that only this user can read, prove nothing.
run() {
    env -i PATH="$PATH" "$@" setpriv --reuid=65534 --regid=65534 --clear-groups "$folder/program" 1 >"$folder/said" 2>&1
}
run A=B || exit 77
for variable in ARGMAX_CL_TUNING=/nonexistent ARGMAX_CL_KERNELS=/nonexistent "XDG_CONFIG_HOME=$folder/config"; do
    chmod 755 "$folder/program"
    ! run "$variable" || { echo "$variable: not taken from anybody"; exit 1; }
    chmod 4755 "$folder/program"
    run "$variable" || { echo "$variable: taken by a program with more rights"; cat "$folder/said"; exit 1; }
done
