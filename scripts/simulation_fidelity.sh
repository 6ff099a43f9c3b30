#!/usr/bin/env bash
# Compare simulated stories with real ones; exit with 1 when the simulation is not true to them.
set -euo pipefail

if [[ $# -eq 0 || "$1" == "--help" || "$1" == "-h" ]]; then
    cat <<'HELP'
usage: scripts/simulation_fidelity.sh DIR [options of babi-cascade fidelity]

Simulates every task of which DIR holds a file (qaN_name_train.txt) and compares, task by task:
sentence and question forms with names masked, actions, who, where and what is named, answers,
story lengths, supporting facts (number, order, distance) and repetitions. Prints a table of
total-variation distances; `babi-cascade fidelity --help` lists the options.
Exit codes: 0 every distance is within the threshold or explained by chance, and no form is on one
side only; 1 something differs; 2 wrong usage.
HELP
    [[ $# -gt 0 ]] && exit 0
    exit 2
fi

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
command="$root/.venv/bin/babi-cascade"
[[ -x "$command" ]] || command=babi-cascade
exec "$command" fidelity "$@"
