#!/usr/bin/env bash
# Campaigns: tests that take longer than scripts/test.sh may.
#
# usage: campaign.sh               list them
#        campaign.sh NAME [...]    run one
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
    for file in scripts/campaigns/*.sh; do
        name=${file##*/}
        printf '%-12s %s\n' "${name%.sh}" "$(sed -n '2{s/^# //p}' "$file")"
    done
    exit 0
fi
[ -x "scripts/campaigns/$1.sh" ] || { echo "no campaign $1; there are:" >&2; "$0" >&2; exit 2; }
exec "scripts/campaigns/$1.sh" "${@:2}"
