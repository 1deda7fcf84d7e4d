#!/usr/bin/env bash
# cli_writes.sh PROGRAM DATA_FOLDER
#
# argmax-cl writes no file but those it was asked for and, until they are whole, hidden ones beside them: strace watches
# every call that could. Caches of OpenCL drivers are sent to a folder of their own. Ends with 77 where strace may not.
set -euo pipefail
program=$(realpath "$1")
data=$(realpath "$2")
scratch=$(realpath "$(mktemp -d)")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch"/{work,elsewhere,caches}
cd "$scratch/work"
export HOME=$scratch/caches XDG_CACHE_HOME=$scratch/caches POCL_CACHE_DIR=$scratch/caches/pocl TMPDIR=$scratch/caches
strace -o /dev/null true 2>/dev/null || { echo "strace cannot trace here"; exit 77; }

writers=open,openat,openat2,creat,truncate,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat
writers+=,mkdir,mkdirat,rmdir,mknod,mknodat,chmod,fchmodat,chown,lchown,fchownat,utimensat,setxattr,lsetxattr

# Paths that a run wrote, made or removed, one a line, below the scratch folder without it.
written() { # STATUS ARGUMENT...
    local expected=$1 status=0
    shift
    strace -f -s 4096 -e trace="$writers" -o "$scratch/trace" "$program" "$@" >"$scratch/said" 2>&1 || status=$?
    [ $status -eq "$expected" ] || { echo "$*: exit status $status, expected $expected"; cat "$scratch/said"; exit 1; }
    grep -E '^[0-9]+ +(open|openat|openat2)\(.*(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)|^[0-9]+ +[a-z0-9]+\(' "$scratch/trace" |
        grep -vE '^[0-9]+ +(open|openat|openat2)\([^)]*\bO_RDONLY\b' | grep -v ' = -1 ' |
        grep -oE '"([^"\\]|\\.)*"' | tr -d '"' | sed "s|^$scratch/||" |
        grep -vE '^caches(/|$)|^/dev/(null|tty)$|^/(tmp|proc/self/task.*)?$' | sort -u || true
}

expect() { # LABEL EXPECTED FOUND, where a hidden file's letters are Xs
    local found
    found=$(sed -E 's/\.argmax-cl\.[A-Za-z0-9]{6}$/.argmax-cl.XXXXXX/' <<<"$3" | sort -u | paste -sd' ')
    [ "$found" = "$2" ] || { echo "$1: wrote \"$found\", expected \"$2\""; exit 1; }
    echo "$1: ${found:-nothing}"
}

# A (2, 3) array of bytes, and one whose header lies.
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"; printf abcdef; } >x.npy
{ printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 9), }"; printf abcdef; } >bad.npy
echo kept >../elsewhere/file
ln -s ../elsewhere/file link
ln -s ../elsewhere/none dangling

expect "a summary" "" "$(written 0 -a 1 x.npy)"
expect "the plan" "" "$(written 0 --explain x.npy)"
expect "indices" "work/.argmax-cl.XXXXXX work/i.npy" "$(written 0 -a 1 -o i.npy x.npy)"
expect "both" "work/.argmax-cl.XXXXXX work/i.npy work/v.npy" "$(written 0 -a 1 -o i.npy --values v.npy x.npy)"
expect "elsewhere" "elsewhere/.argmax-cl.XXXXXX elsewhere/i.npy" "$(written 0 -o ../elsewhere/i.npy x.npy)"
expect "a link's target" "elsewhere/.argmax-cl.XXXXXX elsewhere/file" "$(written 0 -o link x.npy)"
expect "an odd name" "work/%s%n .npy work/.argmax-cl.XXXXXX" "$(written 0 -o '%s%n .npy' x.npy)"
expect "a link to nothing" "" "$(written 1 -o dangling x.npy)"
expect "a folder" "" "$(written 1 -o . x.npy)"
expect "the input" "" "$(written 1 -o x.npy x.npy)"
expect "a header that lies" "" "$(written 1 -o i.npy bad.npy)"
expect "wrong usage" "" "$(written 2 -o i.npy -a 0,,1 x.npy)"
expect "no such device" "work/.argmax-cl.XXXXXX" "$(written 1 -d 'no such device' -o i.npy x.npy)"
if "$program" --version | grep -q ', NetCDF'; then
    expect "NetCDF" "work/.argmax-cl.XXXXXX work/i.npy" "$(written 0 -a 0 -o i.npy "$data/A1B_north_america.nc:air_temperature")"
    expect "NetCDF, a summary" "" "$(written 0 "$data/A1B_north_america.nc:air_temperature")"
fi
[ -L link ] && [ -L dangling ] && [ ! -e ../elsewhere/none ]
