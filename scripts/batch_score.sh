#!/usr/bin/env bash
# Answer the questions of many files with one model, and say how many answers are right.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: scripts/batch_score.sh MODEL FILES... [--out DIR] [--jobs N] [--score-only]

Sets up .venv with the reading stages when needed, answers the questions of each file (bAbI text or JSONL, or
directories with official names, whose test files are taken) and prints accuracy and support accuracy by file.
A model comes from `babi-cascade train`.

  --out DIR      where the predictions go, one DIR/NAME.jsonl for each of FILES (default: out/batch)
  --jobs N       processes that answer (default: 1)
  --score-only   print the accuracy over all questions (0 to 1) and nothing else

Exit codes: 0 done; 1 some lines could not be answered (they count as wrong); 2 wrong usage or input.
USAGE
}

refuse() {
    echo "error: $1; see scripts/batch_score.sh --help" >&2
    exit 2
}

out=out/batch jobs=1
score_options=() places=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage; exit 0 ;;
        --out | --jobs)
            [ $# -ge 2 ] || refuse "$1 needs a value"
            if [ "$1" = --out ]; then out=$2; else jobs=$2; fi
            shift
            ;;
        --score-only) score_options=(--score-only) ;;
        -*) refuse "unknown option $1" ;;
        *) places+=("$1") ;;
    esac
    shift
done
[ ${#places[@]} -ge 2 ] || refuse "expected a model and at least one file"
model=${places[0]}
files=("${places[@]:1}")

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# In a subshell, which changes directory: paths among the arguments are the caller's.
(ensure_environment nlp)
command=$project_root/.venv/bin/babi-cascade

mkdir -p "$out"
failed=0
written=()
for file in "${files[@]}"; do
    name=$(basename "$file")
    target=$out/${name%.*}.jsonl
    for earlier in "${written[@]}"; do
        [ "$earlier" != "$target" ] || refuse "two of FILES would write $target"
    done
    code=0
    rm -f "$target.part" # which may be a link to somewhere else
    "$command" predict -m "$model" --jobs "$jobs" "$file" > "$target.part" || code=$?
    [ "$code" -le 1 ] || { rm -f "$target.part"; exit "$code"; }
    [ "$code" -eq 0 ] || failed=1
    mv "$target.part" "$target"
    written+=("$target")
done
cat "${written[@]}" | "$command" score - "${files[@]}" --missing wrong "${score_options[@]}"
exit "$failed"
