#!/usr/bin/env bash
# Compare annotating the 20 tasks anew with annotating them from the cache; exit with 1 when the cache is slow.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/benchmark_annotate.sh [--questions N] [--runs N] [--jobs N] [--json]

Simulates stories of the 20 tasks, annotates them with the shipped models in a fresh process, then again
from the cache, and prints the ratio of the two times. Checks that both runs print the same and that the
second imports neither torch nor Stanza. Exit codes: 0 at least 20 times faster, 1 less, 2 wrong usage.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment nlp
exec .venv/bin/python scripts/benchmark_annotate.py "$@"
