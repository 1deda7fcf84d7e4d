#!/usr/bin/env bash
# Run a long campaign: campaign.sh NAME [...]; without a name, list them.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ] || [ ! -x "scripts/campaigns/$1.sh" ]; then
    for file in scripts/campaigns/*.sh; do
        printf '%-14s %s\n' "$(basename "$file" .sh)" "$(sed -n '2s/^# *//p' "$file")"
    done
    [ $# -eq 0 ] || exit 2
    exit 0
fi
exec "scripts/campaigns/$1.sh" "${@:2}"
