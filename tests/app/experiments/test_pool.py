"""Units in several processes: a failure, or a process that is killed, stays with the unit it belongs to."""

from __future__ import annotations

import pytest

from babi_cascade.app.experiments.pool import KILLED, work_through
from babi_cascade.errors import UserError

SOUND = [(f"sound {number}", f"abs(-{number})") for number in range(6)]
DEADLY = "__import__('os').kill(__import__('os').getpid(), 9)"


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_unit_comes_back_with_its_result_or_what_went_wrong(jobs):
    units = [*SOUND, ("wrong", "1 / 0")]
    found = {done.name: done for done in work_through(eval, units, jobs=jobs)}
    assert [found[name].result for name, _ in SOUND] == [0, 1, 2, 3, 4, 5]
    assert found["wrong"].error == "ZeroDivisionError: division by zero"
    assert "Traceback" in found["wrong"].details


def test_a_killed_process_takes_no_other_unit_with_it():
    units = [*SOUND[:2], ("deadly", DEADLY), *SOUND[2:], ("deadly too", DEADLY)]
    found = [*work_through(eval, units, jobs=2)]
    assert sorted(done.name for done in found) == sorted(name for name, _ in units)
    errors = {done.name: done.error for done in found if done.error}
    assert errors == {"deadly": KILLED, "deadly too": KILLED}
    assert sum(done.result for done in found if not done.error) == 15


def test_no_process_at_all_is_refused():
    with pytest.raises(UserError, match="--jobs: found 0"):
        next(work_through(abs, [("one", 1)], jobs=0))
