#!/usr/bin/env bash
# Answer the questions of many files with one model, and say how many answers are right.
set -euo pipefail

if [ $# -eq 0 ] || [ "$1" = -h ] || [ "$1" = --help ]; then
    cat <<'USAGE'
Usage: scripts/batch_score.sh MODEL FILES... [options of `babi-cascade batch-score`]

Sets up .venv with the reading stages when needed and runs `babi-cascade batch-score -m MODEL FILES...`.
USAGE
    [ $# -gt 0 ] || exit 2
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# In a subshell, which changes directory: paths among the arguments are the caller's.
(ensure_environment nlp)
exec "$project_root/.venv/bin/babi-cascade" batch-score -m "$@"
