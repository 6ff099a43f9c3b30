#!/usr/bin/env bash
# Kill runs at random moments and start them again; exit with 1 when anything is lost, done twice or different.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/survive_kills.sh [--kills N] [--jobs N...] [--command NAME] [--seed N]

Starts `babi-cascade run`, `ablate`, `compare` and `curve` (or one of them) on small simulated tasks, kills them
(SIGKILL) at N random moments each (default: 50), in turn with 1 and 2 processes, and starts them again in the
same folder. Finished units must stay as they were, byte for byte, and complete runs must be those of an
undisturbed one apart from times. `compare` and `curve` need the extra `comparison`.
Exit codes: 0 they are, 1 they are not, 2 wrong usage. Takes some minutes for each.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment comparison
exec .venv/bin/python scripts/survive_kills.py "$@"
