#!/usr/bin/env bash
# Compare the story reader with splitting each line into words; exit with 1 when it is too slow.
set -euo pipefail

if [[ "${1:-}" == "--help" || "${1:-}" == "-h" ]]; then
    cat <<'HELP'
usage: scripts/benchmark_reader.sh [FILE] [--runs N] [--json]

Times the story reader against `line.split()` over the same file (a made-up one without FILE)
and prints both with their ratio. Exit codes: 0 within the limit of 8, 1 over it, 2 wrong usage.
HELP
    exit 0
fi

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
python="$root/.venv/bin/python"
[[ -x "$python" ]] || python=python3
exec "$python" "$root/scripts/benchmark_reader.py" "$@"
