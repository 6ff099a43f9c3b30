"""Jars by Maven coordinates: from a repository or a folder, each held against its sum."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from babi_cascade.app.cli import cli
from babi_cascade.app.fetch.download import Transfer
from babi_cascade.app.fetch.errors import FetchError
from babi_cascade.app.fetch.programs import PROGRAMS, Jar, Program, fetch_program


def content(name: str, folder: Path) -> bytes:
    """A small jar."""
    path = folder / "made.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("name"), name * 500)
    return path.read_bytes()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    known = hashlib.sha256(content("one", tmp_path)).hexdigest()
    jars = (Jar("org.some", "one", "1.0", known), Jar("org.some", "one", "1.0", None, "models"))
    return Program("some", "Some program", "1 kB", "a licence", jars)


@pytest.fixture
def repository(tmp_path: Path, program: Program) -> Path:
    """A Maven repository in a folder."""
    root = tmp_path / "repository"
    folder = root / "org" / "some" / "one" / "1.0"
    folder.mkdir(parents=True)
    (folder / "one-1.0.jar").write_bytes(content("one", tmp_path))
    models = content("models", tmp_path)
    (folder / "one-1.0-models.jar").write_bytes(models)
    (folder / "one-1.0-models.jar.sha1").write_text(hashlib.sha1(models).hexdigest() + "\n")
    return root


def fetch(program: Program, target: Path, **where: object) -> list[str]:
    return [path.name for path in fetch_program(program, target, Transfer(), **where)]  # type: ignore[arg-type]


NAMES = ["one-1.0.jar", "one-1.0-models.jar"]


def test_jars_come_from_their_place_in_a_repository_and_only_once(
    program: Program, repository: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    assert fetch(program, target, repository=repository.as_uri()) == NAMES
    assert sorted(path.name for path in target.iterdir()) == sorted(NAMES)
    for jar in repository.rglob("*.jar"):
        jar.unlink()  # nobody asks for what is there
    assert fetch(program, target, repository=repository.as_uri()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_jar_with_another_sum_is_not_accepted(
    program: Program, repository: Path, tmp_path: Path, name: str
) -> None:
    next(repository.rglob(name)).write_bytes(content("another", tmp_path))
    with pytest.raises(FetchError, match=rf"could not get {name}.*--from FOLDER"):
        fetch(program, tmp_path / "target", repository=repository.as_uri())
    assert not (tmp_path / "target" / name).exists()


def test_a_repository_that_states_no_sum_is_not_believed(
    program: Program, repository: Path, tmp_path: Path
) -> None:
    next(repository.rglob("*.sha1")).write_text("<html>")
    with pytest.raises(FetchError, match="is no SHA-1 sum"):
        fetch(program, tmp_path / "target", repository=repository.as_uri())


@pytest.mark.parametrize("inside", [".", "lib", "jars"])
def test_a_folder_serves_where_there_is_no_network(
    program: Program, tmp_path: Path, inside: str
) -> None:
    place = tmp_path / "brought" / inside
    place.mkdir(parents=True)
    (place / "one-1.0.jar").write_bytes(content("one", tmp_path))
    with pytest.raises(FetchError, match=r"has no one-1\.0-models\*\.jar"):
        fetch(program, tmp_path / "target", folder=tmp_path / "brought")
    part = place / "one-1.0-models-small.jar"
    part.write_bytes(content("models", tmp_path))
    names = fetch(program, tmp_path / "target", folder=tmp_path / "brought")
    assert names == ["one-1.0.jar", "one-1.0-models-small.jar"]


def test_a_damaged_jar_of_a_folder_is_named(program: Program, tmp_path: Path) -> None:
    brought = tmp_path / "brought"
    brought.mkdir()
    (brought / "one-1.0.jar").write_bytes(content("one", tmp_path))
    models = brought / "one-1.0-models.jar"
    whole = content("models", tmp_path)
    models.write_bytes(whole[:60] + b"?" + whole[61:])
    with pytest.raises(FetchError, match=r"one-1\.0-models\.jar is damaged at name"):
        fetch(program, tmp_path / "target", folder=brought)
    models.write_bytes(whole[:-30])
    with pytest.raises(FetchError, match="is no whole jar"):
        fetch(program, tmp_path / "target", folder=brought)
    models.write_bytes(whole)
    (brought / "SHA256SUMS").write_text(f"{'0' * 64}  jars/{models.name}\n")
    with pytest.raises(FetchError, match="does not match the known hash"):
        fetch(program, tmp_path / "target", folder=brought)


def test_coordinates_are_addresses() -> None:
    by_name = {jar.name: jar for each in PROGRAMS.values() for jar in each.jars}
    assert by_name["stanford-corenlp-4.5.10-models.jar"].url("https://host/maven2/") == (
        "https://host/maven2/edu/stanford/nlp/stanford-corenlp/4.5.10/stanford-corenlp-4.5.10-models.jar"
    )
    assert len(by_name) == sum(len(each.jars) for each in PROGRAMS.values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_command_tells_size_and_licence_first(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    nowhere = (tmp_path / "empty").as_uri()
    with pytest.raises(FetchError, match="no such file"):
        cli.main(["fetch-resources", name, "--repository", nowhere], standalone_mode=False)
    said = capsys.readouterr().out
    assert PROGRAMS[name].size in said
    assert PROGRAMS[name].licence in said
    assert str(tmp_path) in said


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_at_hand_is_taken_over_and_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from babi_cascade.pipeline.coref.corenlp import CoreNLP
    from babi_cascade.pipeline.srl.clearnlp import ClearNLP

    folder = os.environ.get(name.upper(), "")
    if not folder or not Path(folder).is_dir():
        pytest.skip(f"{name.upper()} names no folder with the program")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(name.upper())
    cli.main(["fetch-resources", name, "--from", folder], standalone_mode=False)
    made = CoreNLP() if name == "corenlp" else ClearNLP()
    assert made.folder == tmp_path / "babi-cascade" / name
    made.check()
