#!/usr/bin/env bash
# Compare generating the 20 tasks with reading them back; exit with 1 when generating is too slow.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/benchmark_simulation.sh [--questions N] [--runs N] [--json]

Times the generation of the 20 tasks (train and test files) and one reading of the same files, in one
run, and prints their ratio. Exit codes: 0 at most 10, 1 more, 2 wrong usage.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment ""
exec .venv/bin/python scripts/benchmark_simulation.py "$@"
