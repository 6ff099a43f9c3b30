#!/usr/bin/env bash
# Compare our reading of sentences with Stanza's own pipeline; exit with 1 when it is not several times faster.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/benchmark_parse.sh BOOKS [--sentences N] [--clearnlp FOLDER] [--model FILE] [--json]

Parses sentences of novels (BOOKS: a folder of plain texts) and of simulated stories with the shipped models,
by Stanza's own pipeline and by ours, one thread each, and prints CPU milliseconds a sentence, their ratio and
how many trees differ; then how time grows with the length of a sentence, and the CPU seconds of the first
answer of `ask` in a new process with an empty cache (--model: with this model file in the place of ask's own).
--clearnlp adds the time of ClearNLP, which parses and labels roles. Exit codes: 0 at least 4 times faster on
novels and 3 times on the tasks' sentences, growth at most the square, first answer in 3 s; 1 less; 2 wrong usage.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
books=${1:?a folder of books; see --help}
books=$(cd "$books" && pwd)
shift
ensure_environment nlp
export OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1
exec .venv/bin/python scripts/benchmark_parse.py "$books" "$@"
