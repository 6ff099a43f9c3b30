#!/usr/bin/env bash
# The largest weights of a model, by stage and feature group, in words.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/weights.sh MODEL [--top N] [--json]

Prints what a trained model has learned: for each stage the feature groups, how many of their weights are
not zero, and the N largest ones (5) in words. Weights that are said in the same words are added up.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# In a subshell, which changes directory: paths among the arguments are the caller's.
(ensure_environment "")
exec "$project_root/.venv/bin/python" "$project_root/scripts/weights.py" "$@"
