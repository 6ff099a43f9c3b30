#!/usr/bin/env bash
# What the cascade withstands: other data, other words, misread roles, longer stories.
set -euo pipefail

if [ "${1:-}" = "-h" ] || [ "${1:-}" = "--help" ]; then
    cat <<'USAGE'
Usage: scripts/stress_cascade.sh [--data DIR] [--lexicon FILE]… [--tasks LIST] [--questions N]
                                 [--only plain,transfer,lexicon,roles,long] [--json FILE]

Trains and tests the cascade where things are not as they were: on released files after simulated ones and
the other way round (--data), in other words (--lexicon), with a role deleted or renamed in 5 % of the
distinct sentences, and on stories four times as long as those of training. Prints 20 figures and the
mean for each. All of it takes about a quarter of an hour on two cores.
USAGE
    exit 0
fi

# shellcheck source=scripts/environment.sh
. "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
# In a subshell, which changes directory: paths among the arguments are the caller's.
(ensure_environment nlp)
exec "$project_root/.venv/bin/python" "$project_root/scripts/stress_cascade.py" "$@"
