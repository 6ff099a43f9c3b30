"""The cache of annotations: fast, shared, and never trusted more than it deserves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.pipeline.parse.cache import AnnotationCache, most_bytes

ROOT = Path(__file__).parents[3]
WRITER = """
import sys
from pathlib import Path
from babi_cascade.pipeline.parse.cache import AnnotationCache
cache = AnnotationCache(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    cache.put("maker", {f"text {number} {part}": f"value {number} {part}" for part in range(20)})
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "annotations.sqlite"


def writer(path, first, last):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(first), str(last)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_what_was_put_is_found_again_by_another_reader(path):
    AnnotationCache(path).put("parser 1", {"A cat sat.": "[1]", "": "[]"})
    assert AnnotationCache(path).get("parser 1", ["A cat sat.", "", "unknown"]) == {
        "A cat sat.": "[1]",
        "": "[]",
    }


def test_another_thread_reads_and_writes_too(path):
    """A pool asks for its next work from a thread of its own, and stories are read there."""
    cache = AnnotationCache(path)
    cache.put("maker", {"one": "1"})
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(cache.get, "maker", ["one"]).result() == {"one": "1"}
        pool.submit(cache.put, "maker", {"two": "2"}).result()
    assert cache.get("maker", ["one", "two"]) == {"one": "1", "two": "2"}


def test_another_model_finds_nothing_of_the_first_one(path):
    cache = AnnotationCache(path)
    cache.put("parser 1", {"A cat sat.": "[1]"})
    assert cache.get("parser 2", ["A cat sat."]) == {}


@given(st.dictionaries(st.text(), st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_text_comes_back_as_it_was(tmp_path_factory, annotations):
    cache = AnnotationCache(tmp_path_factory.mktemp("cache") / "c.sqlite")
    cache.put("maker", annotations)
    assert cache.get("maker", list(annotations)) == annotations
    cache.close()


def test_half_a_character_comes_back(path):
    cache = AnnotationCache(path)
    cache.put("maker", {"a \ud83d b": "[\ud83d]"})
    assert cache.get("maker", ["a \ud83d b"]) == {"a \ud83d b": "[\ud83d]"}


def test_thousands_of_texts_are_asked_for_at_once(path):
    cache = AnnotationCache(path)
    many = {f"text {number}": str(number) for number in range(5000)}
    cache.put("maker", many)
    assert cache.get("maker", list(many)) == many
    assert len(cache) == 5000


def test_two_processes_write_at_once_and_nothing_is_lost(path):
    both = [writer(path, 0, 100), writer(path, 100, 200)]
    for process in both:
        assert process.wait(timeout=120) == 0
        process.stdout.close()
    assert len(AnnotationCache(path)) == 200 * 20


def test_a_killed_writer_leaves_whole_entries_only(path):
    for attempt in range(5):
        process = writer(path, 0, 100_000)
        process.stdout.readline()
        time.sleep(0.02 * attempt)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        process.stdout.close()
    told = []
    cache = AnnotationCache(path, notice=told.append)
    assert len(cache) % 20 == 0, "a batch was kept in part"
    texts = [f"text 0 {part}" for part in range(20)]
    assert cache.get("maker", texts) == {text: text.replace("text", "value") for text in texts}
    assert told == []


@pytest.mark.parametrize("damage", ["overwritten", "truncated", "other format", "newer layout"])
def test_a_damaged_file_is_named_put_aside_and_begun_anew(path, damage):
    cache = AnnotationCache(path)
    cache.put("maker", {f"text {number}": "x" * 200 for number in range(2000)})
    if damage == "newer layout":
        cache._connection.execute("PRAGMA user_version = 99")
    cache.close()
    content = path.read_bytes()
    if damage == "overwritten":
        path.write_bytes(content[:5000] + b"\xff" * 20_000 + content[25_000:])
    elif damage == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "other format":
        path.write_bytes(b"this is no database at all" * 100)
    told = []
    anew = AnnotationCache(path, notice=told.append)
    assert anew.get("maker", ["text 1"]) == {}
    assert len(told) == 1
    assert str(path) in told[0]
    assert any(".damaged-" in file.name for file in path.parent.iterdir())
    anew.put("maker", {"text 1": "y"})
    assert anew.get("maker", ["text 1"]) == {"text 1": "y"}


def test_an_entry_that_was_changed_behind_our_back_is_not_trusted(path):
    cache = AnnotationCache(path)
    cache.put("maker", {"one": "1", "two": "2"})
    with sqlite3.connect(path) as other:
        other.execute("UPDATE annotations SET content = x'00ff'")
    told = []
    again = AnnotationCache(path, notice=told.append)
    assert again.get("maker", ["one", "two"]) == {}
    assert "2 damaged entries" in told[0]
    assert len(again) == 0


def test_an_entry_that_unpacks_to_more_than_any_annotation_takes_no_memory(path):
    cache = AnnotationCache(path)
    cache.put("maker", {"bomb": "[]", "good": "[]", "large": "x" * most_bytes("large")})
    bomb = zlib.compress(b" " * 300_000_000, 9)
    with sqlite3.connect(path) as other:
        other.execute(
            "UPDATE annotations SET content = ?, checksum = ? WHERE text_key = ?",
            (
                bomb,
                blake2b(bomb, digest_size=8).digest(),
                blake2b(b"bomb", digest_size=20).digest(),
            ),
        )
    said = []
    again = AnnotationCache(path, notice=said.append)
    tracemalloc.start()
    assert set(again.get("maker", ["bomb", "good", "large"])) == {"good", "large"}
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert "1 damaged entry is made anew" in said[0]


def test_what_no_annotation_can_be_is_not_kept(path):
    cache = AnnotationCache(path)
    cache.put("maker", {"short": "x" * (most_bytes("short") + 1)})
    assert len(cache) == 0


@pytest.mark.parametrize("schema", [
    "CREATE VIEW annotations AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT i AS maker, i AS text_key, i AS content, i AS checksum FROM n",
    "CREATE TABLE annotations (maker, text_key, content, checksum)",
    "CREATE TABLE other (x)",
])  # fmt: skip
def test_a_file_with_other_tables_is_put_aside(path, schema):
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute(schema)
    said = []
    cache = AnnotationCache(path, notice=said.append)
    cache.put("maker", {"text": "[]"})
    assert cache.get("maker", ["text"]) == {"text": "[]"}
    assert "put aside" in said[0]


def test_a_place_that_cannot_hold_a_cache_is_told_once_and_done_without(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    said = []
    for _ in range(2):
        cache = AnnotationCache(blocked / "cache.sqlite", notice=said.append)
        cache.put("maker", {"text": "[]"})
        assert cache.get("maker", ["text"]) == {}
        assert len(cache) == 0
        cache.close()
    (line,) = said
    assert str(blocked) in line
    assert "cannot be used as a cache" in line
    assert "annotations are not kept" in line


READER = """
import os, sys
from pathlib import Path
from babi_cascade.pipeline.parse.cache import AnnotationCache
if os.getuid() == 0:
    os.setuid(65534)  # root may write everywhere
said = []
for _ in range(2):
    cache = AnnotationCache(Path(sys.argv[1]), notice=said.append)
    cache.put("maker", {"new": "[]"})
    print(cache.get("maker", ["old", "new"]))
print(*said, sep="\\n")
"""


@pytest.mark.parametrize("crashed", [False, True], ids=["closed", "left open by a crash"])
def test_a_cache_in_a_read_only_folder_is_read(path, crashed):
    cache = AnnotationCache(path)
    cache.put("maker", {"old": "[1]"})
    copy = path.parent / "copy"
    copy.mkdir()
    if not crashed:
        cache.close()
    for file in path.parent.glob("annotations.sqlite*"):
        (copy / file.name).write_bytes(file.read_bytes())
        (copy / file.name).chmod(0o444)
    copy.chmod(0o555)
    for folder in (path.parent, *path.parent.parents):
        if folder.stat().st_uid == os.getuid() and folder.name:
            folder.chmod(folder.stat().st_mode | 0o055)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READER, str(copy / path.name)],
            capture_output=True, text=True, timeout=120, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    finally:
        copy.chmod(0o755)
    first, second, *said = done.stdout.splitlines()
    assert first == second == "{'old': '[1]'}"
    assert len(said) == 1
    assert "cannot be written" in said[0]
    assert "new annotations are not kept" in said[0]


FULL = """
import resource, signal, sys
from pathlib import Path
from babi_cascade.pipeline.parse.cache import AnnotationCache
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
said = []
cache = AnnotationCache(Path(sys.argv[1]), notice=said.append)
for number in range(50):
    cache.put("maker", {f"{number} {part}": f"[{number},{part}]" * 200 for part in range(50)})
    cache.get("maker", ["0 0", "old"])
print(cache.get("maker", ["old"]))
print(*said, sep="\\n")
"""


@pytest.mark.parametrize("size", [0, 10_000, 100_000])
def test_files_that_may_not_grow_stop_no_work(path, size):
    AnnotationCache(path).put("maker", {"old": "[1]"})
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(size)], capture_output=True, text=True,
        timeout=120, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    found, *said = done.stdout.splitlines()
    assert found == "{'old': '[1]'}"
    assert len(said) == 1
    assert "not kept" in said[0]


def test_a_full_disk_is_said_once_and_stops_no_work(path):
    said = []
    cache = AnnotationCache(path, notice=said.append)
    cache.put("maker", {"short": "[]"})
    (pages,) = cache._connection.execute("PRAGMA page_count").fetchone()
    cache._connection.execute(f"PRAGMA max_page_count = {pages}")
    long = {f"text {number}": f"{number}" * 2000 for number in range(200)}
    cache.put("maker", long)
    cache.put("maker", {"later": "[]"})
    (line,) = said
    assert "full); new annotations are not kept" in line
    assert cache.get("maker", ["short", "later", *long]) == {"short": "[]"}
    assert len(AnnotationCache(path)) == 1
