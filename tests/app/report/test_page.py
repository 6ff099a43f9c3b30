"""The page: whole in itself, the paper beside our figures, and text that stays text."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.report.folders import AblationRun, Delta, Found, Point, read_folders
from babi_cascade.app.report.markup import embedded, script_hash, tag
from babi_cascade.app.report.page import report_page
from babi_cascade.app.report.questions import ReportOptions, questions_of


class Seen(HTMLParser):
    """Collects elements and what an element would load."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.loads, self.scripts, self._inside = [], [], [], None
        self.feed(page)

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self._inside = dict(attributes).get("type", "script") if name == "script" else None
        if name == "script":
            self.scripts.append((self._inside, ""))
        for key, value in attributes:
            if key in ("src", "href", "action", "srcset", "data") and not value.startswith("#"):
                self.loads.append(value)
            assert not key.startswith("on")

    def handle_endtag(self, name):
        self._inside = None

    def handle_data(self, data):
        if self._inside is not None:
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)


def page_of(*folders, explain=3, data=None):
    found = read_folders(folders)
    options = ReportOptions(explain, data)
    return report_page(found, questions_of(found, options, Telling()), "a title")


@pytest.fixture(scope="module")
def page(run_folder):
    return page_of(run_folder)


def test_nothing_is_loaded_from_anywhere(page):
    seen = Seen(page)
    assert seen.loads == ["data:,"]
    assert not re.search(r"@import|url\(|https?://", page)
    assert [kind for kind, _ in seen.scripts] == ["application/json", "script"]
    assert script_hash(seen.scripts[1][1]) in page
    assert "default-src 'none'" in page


def test_the_table_has_verdicts_and_the_papers_figures(page, run_folder):
    record = json.loads((run_folder / "results.json").read_text())
    for task, paper in zip(record["tasks"], ("99", "99"), strict=True):
        row = re.search(rf"<tr><td[^>]*>{task['task']}</td>.*?</tr>", page, flags=re.DOTALL)[0]
        verdict = "pass" if task["accuracy"] >= 0.95 else "fail"
        assert f">{100 * task['accuracy']:.1f}<" in row
        assert f">{paper}<" in row
        assert f">{verdict}<" in row
    assert "AM+NG+NL" in page


def feet(page):
    """The cells of the last rows of all tables."""
    rows = re.findall(r"<tfoot>(.*?)</tfoot>", page, flags=re.DOTALL)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, flags=re.DOTALL) for row in rows]


def test_means_over_different_tasks_say_over_how_many(tmp_path):
    def row(task):
        return {"task": task, "name": "t", "accuracy": 0.5}

    for name, tasks in (("a", [1, 2]), ("b", [2]), ("c", [1, 2])):
        (tmp_path / name).mkdir()
        record = json.dumps({"tasks": [row(task) for task in tasks]})
        (tmp_path / name / "results.json").write_text(record)
    different = page_of(tmp_path / "a", tmp_path / "b")
    (foot,) = [cells for cells in feet(different) if any("of 1 task<" in each for each in cells)]
    assert foot[0] == "mean"
    assert [re.sub("<.*?>", " ", each).split() for each in foot[2:4]] == [
        ["50.0", "of", "2", "tasks"], ["50.0", "of", "1", "task"],
    ]  # fmt: skip
    assert all("of 2 tasks" in each for each in foot[4:])
    assert "Means over different tasks do not compare" in different
    same = page_of(tmp_path / "a", tmp_path / "c")
    assert "of 2 tasks" not in same
    assert "Means over different tasks" not in same


def test_the_same_results_give_the_same_bytes(page, run_folder):
    assert page_of(run_folder) == page


def test_the_data_is_every_question_with_its_story(page, run_folder):
    data = json.loads(Seen(page).scripts[0][1])
    (run,) = data["runs"]
    assert [(part["task"], len(part["rows"])) for part in run["parts"]] == [(1, 60), (6, 60)]
    first = json.loads((run_folder / "predictions/qa1.jsonl").read_text().splitlines()[0])
    row = run["parts"][0]["rows"][0]
    assert (row[0], data["texts"][row[5]], row[7]) == (
        first["id"],
        first["answer"],
        first["support"],
    )
    told = run["parts"][0]["stories"][row[1]][: 2 * row[2]]
    file = next(run_folder.glob("stories/qa1_*_test.txt")).read_text().splitlines()
    assert f"{told[0]} {data['texts'][told[1]]}" == file[0]
    assert all(len(part["explained"]) == 3 for part in run["parts"])


def test_a_story_cannot_become_markup(hostile_run):
    page = page_of(hostile_run, data=hostile_run.parents[1])
    seen = Seen(page)
    assert "img" not in seen.tags
    assert seen.tags.count("script") == 2
    assert "onerror=" in page  # as text, within the data
    data = json.loads(seen.scripts[0][1])
    assert any(text.startswith("Ana0 went to the </script><script>") for text in data["texts"])


def test_every_part_is_drawn(run_folder):
    found = read_folders([run_folder])
    deltas = (
        Delta("without", "support", "some-group", -0.1, -0.2, ((1, -0.3), (6, 0.1))),
        Delta("only", "answer", "<other>", None, None, ()),
    )
    found = Found(
        found.runs * 2, (AblationRun("abl", "d", {"s": 1}, deltas),),
        (Point("sys", 1, 100, 0.5), Point("sys", 1, 1000, 0.99)),
    )  # fmt: skip
    page = report_page(found, [], "t")
    assert "−10.0" in page
    assert "task 1: -30.0" in page
    assert "&lt;other&gt;" in page
    assert "<other>" not in page
    assert "sys: 99.0 % after 1000" in page
    assert 'id="questions"' not in page


def test_attributes_and_json_are_escaped():
    assert tag("i", title='"><script>') == '<i title="&quot;&gt;&lt;script&gt;"></i>'
    raw = embedded({"a": "</script><!-- & \u2028"})
    assert json.loads(raw) == {"a": r"</script><!-- & \u2028"}
    assert not set("<>&\u2028") & set(raw)
