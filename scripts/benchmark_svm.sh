#!/usr/bin/env bash
# Compare the structured SVM with pystruct, dlib, plain Python and numpy; exit with 1 when it is too slow.
set -euo pipefail

if [[ "${1:-}" == "--help" || "${1:-}" == "-h" ]]; then
    cat <<'HELP'
usage: scripts/benchmark_svm.sh [--questions N] [--cost C] [--limit N] [--growth] [--memory] [--json]

Times, on one simulated problem of 1000 questions, the learner to a certified gap of 0.1 % against
pystruct's and dlib's, and one search against naming candidates one by one and against numpy. A
competitor is stopped at --limit times our time and counts as slower than that. With --growth, the
cost of one search for 10 … 2000 facts instead; with --memory, the peak of a fit beside its data. Competitors that are not installed are named
with the command that gets them. Exit codes: 0 every aim is met, 1 one is not, 2 wrong usage.
HELP
    exit 0
fi

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
python="${PYTHON:-$root/.venv/bin/python}"
[[ -x "$python" ]] || python=python3
# one thread for everybody: processor time is what is compared
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
exec "$python" "$root/scripts/benchmark_svm.py" "$@"
