#!/usr/bin/env bash
# The main job on the embedded default: simulated data, nothing to download.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/run_external_track.sh [--out DIR] [--seed N] [--questions N] [--force]

Sets up .venv when needed, simulates the 20 tasks (train and test files of 1000 questions each), proves
every answer with an independent reader, reads the files back and prints their statistics.

  --out DIR       where the story files go (default: out/simulated)
  --seed N        another seed gives other stories (default: 0)
  --questions N   questions in each file (default: 1000)
  --force         replace story files that are there with other content
USAGE
}

out=out/simulated seed=0 questions=1000 force=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --force) force=(--force); shift ;;
        --out | --seed | --questions)
            [ $# -ge 2 ] || { echo "error: $1 needs a value" >&2; exit 2; }
            case $1 in
                --out) out=$2 ;;
                --seed) seed=$2 ;;
                --questions) questions=$2 ;;
            esac
            shift 2 ;;
        *) echo "error: unknown argument $1" >&2; usage >&2; exit 2 ;;
    esac
done
case $out in
    /*) ;;
    *) out=$PWD/$out ;;
esac

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment ""
say "simulating the 20 tasks into $out and proving every answer"
.venv/bin/babi-cascade generate --tasks 1-20 --questions "$questions" --seed "$seed" --check \
    --out "$out" "${force[@]}"
say "reading them back"
.venv/bin/babi-cascade stats "$out"
