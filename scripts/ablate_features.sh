#!/usr/bin/env bash
# What each feature group is worth: every one left out in turn.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/ablate_features.sh [--out DIR] [--tasks LIST] [--questions N] [--limit N] [--alone] [--jobs N] [--force]

Sets up .venv with the reading stages and matplotlib when needed, simulates the tasks, trains and tests the
cascade with all feature groups and without each of them, and writes ablation.csv, ablation.json and
ablation.png. Stories are read once; a run that was stopped goes on where it was.

  --out DIR       where tables, plot and stories go (default: out/ablation)
  --tasks LIST    only these tasks, e.g. 1,3,5-8 (default: all 20)
  --questions N   questions in each file (default: 1000)
  --limit N       at most so many training questions a task
  --alone         also every group alone in its stage
  --jobs N        processes to train in (default: 1)
  --force         start afresh where DIR holds results of other settings

All other options of `babi-cascade ablate` can be given too; see .venv/bin/babi-cascade ablate --help.
USAGE
}

for argument in "$@"; do
    case $argument in
        -h | --help) usage; exit 0 ;;
    esac
done

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# In a subshell, which changes directory: paths among the arguments are the caller's.
(ensure_environment nlp,plots)
exec "$project_root/.venv/bin/babi-cascade" ablate "$@"
