#!/usr/bin/env bash
# The main job on the embedded default: simulated data and the shipped models, nothing to download.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/run_external_track.sh [--out DIR] [--seed N] [--questions N] [--tasks LIST] [--jobs N] [--force]

Sets up .venv with the reading stages when needed, simulates the 20 tasks (train and test files of 1000
questions each), proves every answer with an independent reader, trains and tests the cascade on each task
(the extended preset; --preset paper for the paper's), and prints accuracies beside the paper's. A run that
was stopped goes on where it was.

  --out DIR       where results.json, predictions and stories go (default: out/run)
  --seed N        another seed gives other stories (default: 0)
  --questions N   questions in each file (default: 1000)
  --tasks LIST    only these tasks, e.g. 1,3,5-8 (default: all 20)
  --jobs N        processes to train in (default: 1)
  --force         start afresh where DIR holds results of other settings

All other options of `babi-cascade run` can be given too; see .venv/bin/babi-cascade run --help.
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
(ensure_environment nlp)
exec "$project_root/.venv/bin/babi-cascade" run "$@"
