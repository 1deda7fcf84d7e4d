#!/usr/bin/env bash
# Longer runs than the tests', by name: campaign.sh NAME [...]; without a name, their list.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ] || [ ! -f "scripts/campaigns/$1.sh" ]; then
    [ $# -eq 0 ] || echo "campaign.sh: no campaign $1; there are:" >&2
    for file in scripts/campaigns/*.sh; do
        printf '%-14s %s\n' "$(basename "$file" .sh)" "$(sed -n '2s/^# //p' "$file")"
    done
    exit $(($# ? 2 : 0))
fi
exec "scripts/campaigns/$1.sh" "${@:2}"
