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

# install_locked PYTHON EXTRAS: what the project and its extras need, every file checked against its SHA-256 in
# constraints.lock. Fails, after a word about it, only where the lock has no wheels for this Python and platform;
# a file with another sum ends everything.
install_locked() {
    local python=$1 extras=$2 list code
    list=$(mktemp)
    while true; do
        code=0
        "$python" "$project_root/scripts/locked_requirements.py" "$extras" > "$list" || code=$?
        if [ "$code" -eq 3 ]; then
            say "installing without checksums, the versions of constraints.txt"
            rm -f "$list" "$list.local" "$list.said"
            return 1
        fi
        if [ "$code" -ne 0 ] || [ ! -s "$list" ]; then
            break
        fi
        # A build such as torch for the CPU alone, where pip is shown one, rather than gigabytes for others.
        "$python" "$project_root/scripts/locked_requirements.py" --local "$extras" > "$list.local"
        if [ -s "$list.local" ] && "$python" -m pip install --quiet --disable-pip-version-check \
            --require-hashes --no-deps --only-binary :all: -r "$list.local" 2> "$list.said"; then
            continue
        fi
        "$python" -m pip install --quiet --disable-pip-version-check \
            --require-hashes --no-deps --only-binary :all: -r "$list" || { code=$?; break; }
    done
    rm -f "$list" "$list.local" "$list.said"
    if [ "$code" -ne 0 ]; then
        echo "error: the packages could not be installed as constraints.lock has them; see above" >&2
        exit 2
    fi
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
    wanted=$(cat setup.cfg pyproject.toml constraints.txt constraints.lock | cksum)
    # An environment with an extra also serves those who need none.
    # shellcheck disable=SC2231 # the pattern is meant to be expanded
    for stamp in .venv/installed-*${extras}*; do
        if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
            return
        fi
    done
    say "installing babi-cascade${extras:+ with the extra [$extras]} into .venv"
    if install_locked .venv/bin/python "$extras"; then
        .venv/bin/python -m pip install --quiet --disable-pip-version-check \
            --no-deps --no-build-isolation -e .
    else
        .venv/bin/python -m pip install --quiet --disable-pip-version-check \
            -c constraints.txt -e ".${extras:+[$extras]}"
    fi
    printf '%s\n' "$wanted" > ".venv/installed-${extras:-base}"
}
