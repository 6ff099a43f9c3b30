#!/usr/bin/env bash
# Put pystruct 0.3.2 beside us: the reference learners of the agreement tests and of the benchmark.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/install_pystruct.sh [PYTHON]

Installs pystruct 0.3.2 and what its learners need (cvxopt, joblib, scikit-learn) for PYTHON
(default: that of .venv). Its source no longer builds; its old Windows wheel is plain Python in all
that we use, so that one is unpacked. svm/pystruct_shim.py supplies the names that have gone since.
USAGE
    exit 0
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
python=${1:-$root/.venv/bin/python}
if ! "$python" -c 'import sys' 2>/dev/null; then
    echo "error: no Python at $python; run scripts/test.sh once to make .venv, or name one" >&2
    exit 2
fi
# shellcheck source=scripts/environment.sh
. "$root/scripts/environment.sh"
install_locked "$python" learners ||
    "$python" -m pip install --quiet --disable-pip-version-check \
        -c "$root/constraints.txt" cvxopt joblib scikit-learn
folder=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$python" -m pip install --quiet --disable-pip-version-check --target "$folder" --upgrade --no-deps \
    --only-binary=:all: --platform win_amd64 --python-version 3.6 --implementation cp --abi cp36m \
    --require-hashes -r "$root/scripts/pystruct.lock"
cd "$root"
"$python" -c 'from babi_cascade.svm.pystruct_shim import learners; print("pystruct is ready:", learners().__file__)'
