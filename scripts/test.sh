#!/usr/bin/env bash
# Everything that must hold before a change lands: style, types, shell scripts, tests.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/test.sh [PYTEST ARGUMENTS]

Sets up .venv with the test tools when needed, then runs ruff, mypy, shellcheck and pytest.
Arguments go to pytest, e.g. scripts/test.sh tests/simulation -k lexicon
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
ensure_environment test,comparison,nlp,plots
if ! .venv/bin/python -c 'from importlib.util import find_spec as f; exit(not f("pystruct"))'; then
    say "installing pystruct, which checks our learner"
    scripts/install_pystruct.sh
fi
say "ruff"
.venv/bin/ruff check .
.venv/bin/ruff format --check .
say "mypy"
.venv/bin/mypy
say "shellcheck"
.venv/bin/shellcheck -x scripts/*.sh .ci/run
say "pytest"
# One process for the tests that share a Java program (pytest.mark.xdist_group).
.venv/bin/python -m pytest -n auto --dist loadgroup "$@"
