# shellcheck shell=bash
# Sourced by the other scripts: makes .venv and installs the project into it, once for each set of
# dependencies. Quick when nothing has changed.

project_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "== $*" >&2; }

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python3.10 python; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    echo "error: found no Python >= 3.10 with venv and pip; install one (Debian: python3-venv) or set PYTHON" >&2
    exit 2
}

# ensure_environment EXTRAS: e.g. ensure_environment "" or ensure_environment test
ensure_environment() {
    local extras=$1 python stamp wanted
    cd "$project_root" || exit
    if [ ! -x .venv/bin/python ]; then
        python=$(find_python)
        say "making .venv with $("$python" --version)"
        "$python" -m venv .venv
    fi
    wanted=$(cat setup.cfg pyproject.toml constraints.txt | cksum)
    # An environment with an extra also serves those who need none.
    # shellcheck disable=SC2231 # the pattern is meant to be expanded
    for stamp in .venv/installed-*${extras}*; do
        if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
            return
        fi
    done
    say "installing babi-cascade${extras:+ with the extra [$extras]} into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check \
        -c constraints.txt -e ".${extras:+[$extras]}"
    printf '%s\n' "$wanted" > ".venv/installed-${extras:-base}"
}
