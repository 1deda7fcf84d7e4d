#!/usr/bin/env bash
# Whether the OpenCL layer of the tests knows every OpenCL call that the library makes; one that it lacks cannot fail.
#
# usage: layer_covers.sh NM LIBRARY LAYER
set -euo pipefail

calls=$("$1" -u "$2" | grep -oE '\bcl[A-Z][A-Za-z]+' | sort -u)
known=$("$1" "$3" | grep -oE '\bon_cl[A-Z][A-Za-z]+' | sed 's/^on_//' | sort -u)
missing=$(comm -23 <(echo "$calls") <(echo "$known"))
[ -n "$calls" ] || { echo "no OpenCL call found in $2"; exit 1; }
[ -z "$missing" ] || { echo "calls that the layer does not know: ${missing//$'\n'/ }"; exit 1; }
echo "$(wc -l <<<"$calls") calls, all known"
