#!/usr/bin/env bash
# Compare fitting with predicting, for each question; exit with 1 when predicting is too slow.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/benchmark_predict.sh [--tasks LIST] [--questions N] [--preset NAME] [--words] [--json]

Simulates the tasks, trains a model of each and answers its test questions, both from story files and cached
annotations, and prints processor seconds for a question of either, with their ratio over all tasks. Choosing C
belongs to fitting, margins and writing to predicting; starting up is measured apart, and must import neither
torch nor Stanza. The learner and the searches alone are compared too.
Exit codes: 0 predicting is at least 50 times faster than fitting, 1 less, 2 wrong usage.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment nlp
# one thread for everybody: processor time is what is compared
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
exec .venv/bin/python scripts/benchmark_predict.py "$@"
