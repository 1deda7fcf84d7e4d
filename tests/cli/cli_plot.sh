#!/usr/bin/env bash
# argmax-cl --plot: the script that gnuplot gets (from a gnuplot of the test's own), a picture of the real one where it
# is there, and what is refused.
# usage: cli_plot.sh ARGMAX_CL DATA_FOLDER
set -euo pipefail
program=$1 data=$2
"$program" --version | grep -q 'NetCDF [0-9]' || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "cli_plot: $*"; exit 1; }
says() { # TEXT COMMAND...: it fails with that on stderr, and leaves no file
    local text=$1
    shift
    ! "$@" 2>error.txt || fail "expected to fail: $*"
    grep -qF -- "$text" error.txt || fail "$*: said $(cat error.txt), expected $text"
    [ ! -e refused.png ] || fail "$*: left a picture"
}

# What gnuplot is told.
mkdir fake none
printf '#!/bin/sh\ncat >script.txt\n' >fake/gnuplot
chmod +x fake/gnuplot
PATH=$work/fake:$PATH "$program" -a time --plot map.png "$data/A1B_north_america.nc"
for line in "set xlabel 'longitude (degrees_east)'" "set ylabel 'latitude (degrees_north)'" \
    "set cblabel 'index along time'" "set cblabel 'largest value (K)'" "argmax of air_temperature"; do
    grep -qF "$line" script.txt || fail "no line: $line"
done
[ "$(grep -cE '^[0-9.]+ [0-9.]+ [0-9]+$' script.txt)" -ge 1813 ] || fail "not all points"
PATH=$work/fake:$PATH "$program" -a time --plot map.png "$data/ostia_monthly.nc:surface_temperature"
[ "$(grep -c ' NaN$' script.txt)" -eq $((2 * 2055)) ] || fail "points without a winner"

printf '#!/bin/sh\ncat >/dev/null\nexit 1\n' >fake/gnuplot
says "gnuplot failed" env PATH="$work/fake:$PATH" "$program" -a time --plot refused.png "$data/A1B_north_america.nc"
for tool in sh env; do ln -s "$(command -v "$tool")" none/; done
says "gnuplot was not found" env PATH="$work/none" "$program" -a time --plot refused.png "$data/A1B_north_america.nc"
says "expected two axes" "$program" -a 1,2 --plot refused.png "$data/A1B_north_america.nc"
says "expected another file" "$program" -a 0 -o refused.png --plot refused.png "$data/A1B_north_america.nc"

command -v gnuplot >/dev/null || { echo "gnuplot is not installed: no picture was drawn"; exit 0; }
"$program" -a time --plot map.png "$data/ostia_monthly.nc:surface_temperature"
[ "$(head -c 4 map.png | tail -c 3)" = PNG ] || fail "map.png is no picture"
[ "$(find . -name '.argmax-cl*' | wc -l)" -eq 0 ] || fail "temporary files are left"
cp map.png "${PLOT_TO:-/dev/null}"
