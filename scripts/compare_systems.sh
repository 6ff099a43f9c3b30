#!/usr/bin/env bash
# The paper's Table 3: every system on every task, the paper's figures beside ours.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/compare_systems.sh [--out DIR] [--data DIR] [--systems LIST] [--tasks LIST] [--seeds N] [--joint] [--curve] [--jobs N]

Sets up .venv with the reading stages, PyTorch, scikit-learn and matplotlib when needed, simulates the tasks
(or takes your files), trains and tests the N-gram classifier, the LSTM, the cascade and the memory networks on
each, and writes compare.md, compare.csv, compare.json and compare.png. A run that was stopped goes on where
it was.

  --out DIR       where tables, picture and stories go (default: out/compare)
  --data DIR      a directory with official file names (default: simulated stories)
  --split SHARE   train on this share of the training stories, test on the others
  --systems LIST  only these, e.g. ngram,cascade-paper,memnn-am-ng-nl (default: all)
  --tasks LIST    only these tasks, e.g. 1,3,5-8 (default: all 20)
  --questions N   simulated questions in each file (default: 1000)
  --seeds N       mean and deviation over so many seeds (default: 1)
  --joint         also one memory network for all tasks
  --curve         also how many training questions a memory network needs for 95 %
  --jobs N        processes to train in (default: 1)
  --force         start afresh where DIR holds results of other settings

All other options of `babi-cascade compare` can be given too; see .venv/bin/babi-cascade compare --help.
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
(ensure_environment comparison,nlp,plots)
exec "$project_root/.venv/bin/babi-cascade" compare "$@"
