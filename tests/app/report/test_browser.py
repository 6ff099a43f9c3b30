"""The page in a real browser, opened from the disk without a network."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.report.folders import Found, Run, read_folders
from babi_cascade.app.report.page import save_page
from babi_cascade.app.report.page_data import RunQuestions
from babi_cascade.app.report.questions import ReportOptions, questions_of
from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.app.results.records import TaskResult
from babi_cascade.pipeline.stories import Prefix, Question, Sentence

READY = "html[data-ready]"


def saved(path, found, asked):
    save_page(path, found, asked, "a report")
    return path.as_uri()


@pytest.fixture(scope="module")
def address(run_folder, tmp_path_factory):
    found = read_folders([run_folder])
    asked = questions_of(found, ReportOptions(explain=6), Telling())
    return saved(tmp_path_factory.mktemp("page") / "report.html", found, asked)


@pytest.fixture(scope="module")
def drawn_address(reading_cascade, tmp_path_factory):
    """One question of a model that reads, with pronouns, frames and a fact that is not a true one."""
    facts = (
        Sentence(1, "Ana went to the mill."), Sentence(2, "Then she moved to the barn."),
        Sentence(3, "Tom did not go to the forest."),
    )  # fmt: skip
    question = Question(4, "Where is Ana?", "barn", (2,), facts, id="q1")
    record = reading_cascade.explain(question).to_json(top=5)
    record["candidates"].insert(1, {"answer": "elsewhere", "score": 0.125})
    run = Run("read", tmp_path_factory.mktemp("none"), "d", {}, (TaskResult(1, "t", 0, 0, 1.0),))
    predicted = SavedPrediction("q1", "barn", (3, 1), 1.0, 0.5, 1.0, 0.5)
    asked = RunQuestions(run, {1: (predicted,)}, {1: {"q1": question}}, {1: {"q1": record}})
    path = tmp_path_factory.mktemp("page") / "report.html"
    return saved(path, Found((run,)), [asked])


def chosen(page):
    return page.locator('.item[aria-selected="true"]')


def test_filters_by_task_verdict_and_words(open_page, address):
    page = open_page(address)
    page.wait_for_selector(READY)
    assert page.inner_text("#count") == "120 of 120 questions"
    page.select_option("#by-task", "6")
    assert page.inner_text("#count") == "60 of 120 questions"
    right = int(page.inner_text("#count").split()[0])
    page.select_option("#by-verdict", "wrong")
    wrong = int(page.inner_text("#count").split()[0])
    page.select_option("#by-verdict", "right")
    assert wrong + int(page.inner_text("#count").split()[0]) == right
    page.select_option("#by-verdict", "")
    page.select_option("#by-explained", "yes")
    assert page.inner_text("#count") == "6 of 120 questions"
    page.select_option("#by-explained", "")
    name = page.locator("#detail .chip").last.inner_text()
    page.fill("#by-words", f"{name} where" if "Where" in page.inner_text("#detail h3") else name)
    assert page.inner_text("#count").startswith("1 of 120 ")
    page.fill("#by-words", "no such words")
    assert page.inner_text("#list") == "No question is like this."


def test_a_task_in_the_table_leads_to_its_questions(open_page, address):
    page = open_page(address)
    page.wait_for_selector(READY)
    page.click("a[data-task='6']")
    assert page.input_value("#by-task") == "6"
    assert page.inner_text("#count") == "60 of 120 questions"


def test_everything_can_be_done_with_keys(open_page, address):
    page = open_page(address)
    page.wait_for_selector(READY)
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert chosen(page).get_attribute("id") == "item-2"
    page.keyboard.press("k")
    assert chosen(page).get_attribute("aria-posinset") == "2"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "by-words"
    page.keyboard.type("test-2-")
    shown = int(page.inner_text("#count").split()[0])
    assert 0 < shown < 120
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "list"
    page.keyboard.press("End")
    assert chosen(page).get_attribute("aria-posinset") == str(shown)
    active = page.get_attribute("#list", "aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert chosen(page).get_attribute("aria-posinset") == "2"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus can be seen
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "H3"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"


def test_an_address_leads_to_a_question(open_page, address):
    page = open_page(address)
    page.wait_for_selector(READY)
    page.select_option("#by-task", "6")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    name = page.locator("#detail .chip").last.inner_text()
    assert name.startswith("qa6-test-")
    assert page.url == f"{address}#{name}"
    again = open_page(page.url)
    again.wait_for_selector(READY)
    assert again.locator("#detail .chip").last.inner_text() == name


def test_what_is_not_explained_says_so(open_page, address):
    page = open_page(address)
    page.wait_for_selector(READY)
    page.locator(".item", has_not_text="◆").first.click()
    assert "not among those that were explained" in page.inner_text("#detail")
    page.select_option("#by-explained", "yes")
    assert "Why this answer" in page.inner_text("#detail")


def test_facts_entities_frames_weights_and_the_runner_up_are_drawn(open_page, drawn_address):
    page = open_page(drawn_address)
    page.wait_for_selector(READY)
    lines = page.locator("ol.story > li")
    classes = [lines.nth(i).get_attribute("class") for i in range(4)]
    assert classes == ["chosen untrue", "missed", "chosen untrue", "asked"]
    badges = [lines.nth(i).locator(".badge").inner_text().split()[0] for i in range(3)]
    assert badges == ["2", "!", "1"]  # in the order in which the facts were chosen
    colour = "el => getComputedStyle(el).backgroundColor"
    ana = page.locator("ol.story .entity", has_text="Ana").first.evaluate(colour)
    she = page.locator("ol.story .entity", has_text="she").evaluate(colour)
    assert ana == she
    assert "read as: Then Ana moved to the barn." in lines.nth(1).inner_text()
    assert page.locator(".gloss").count() == 4
    assert page.locator(".role.verb.no").inner_text() == "not go"
    assert {"nsubj", "obl:to"} <= set(lines.nth(1).locator(".role").all_inner_texts())
    page.get_by_role("button", name="hidden").click()
    assert page.locator(".gloss").count() == 0
    widths = page.locator("details[open] .track > i").evaluate_all(
        "all => all.map(el => el.getBoundingClientRect().width)"
    )
    assert max(widths) > 10
    assert "elsewhere" in page.inner_text(".beside")
    assert "+0.13" in page.inner_text(".beside")


def test_a_long_story_is_folded_and_opens(open_page, tmp_path):
    facts = tuple(Sentence(i, f"Person {i} slept.") for i in range(1, 41))
    question = Question(41, "Who slept?", "x", (20,), facts, id="q")
    run = Run("r", tmp_path, "d", {}, (TaskResult(1, "t", 0, 0, 1.0),))
    asked = RunQuestions(run, {1: (SavedPrediction("q", "x", (20,)),)}, {1: {"q": question}})
    page = open_page(saved(tmp_path / "r.html", Found((run,)), [asked]))
    page.wait_for_selector(READY)
    assert page.locator("ol.story > li:not(.gap)").count() == 5
    while page.locator("li.gap button").count():
        page.locator("li.gap button").first.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.tagName") == "LI"  # the focus is not lost
    assert page.locator("ol.story > li").count() == 41


def test_a_hostile_story_is_shown_as_it_is_written_and_does_nothing(
    open_page, hostile_run, tmp_path
):
    found = read_folders([hostile_run])
    options = ReportOptions(explain=2, data=hostile_run.parents[1])
    asked = questions_of(found, options, Telling())
    page = open_page(saved(tmp_path / "r.html", found, asked))
    page.wait_for_selector(READY)
    for _ in range(8):
        page.keyboard.press("j")
    assert page.title() == "a report"
    assert page.locator("#detail img, #detail script, #list img").count() == 0
    assert "<script>document.title='owned'</script>" in page.inner_text("#detail h3")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b id=x>x</b>')")
    assert page.title() == "a report"


def ground(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_and_light_follow_the_system_until_they_are_chosen(open_page, address):
    light, dark = open_page(address), open_page(address, dark=True)
    both = {ground(light), ground(dark)}
    assert len(both) == 2
    light.click("#theme")
    assert ground(light) != ground(dark)
    light.click("#theme")
    assert light.inner_text("#theme") == "Colours: dark"
    assert ground(light) == ground(dark)
    light.reload()
    assert ground(light) == ground(dark)  # remembered


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(open_page, drawn_address, dark):
    page = open_page(drawn_address, dark=dark)
    page.wait_for_selector(READY)
    found = page.evaluate((Path(__file__).parent / "contrast.js").read_text())
    assert found == []


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_sticks_out_on_a_phone(open_page, address, drawn_address, width):
    for each in (address, drawn_address):
        page = open_page(each, width=width, height=800)
        page.wait_for_selector(READY)
        for group in page.locator("details").all():
            group.evaluate("el => { el.open = true; }")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_twenty_thousand_questions_open_in_less_than_three_seconds(open_page, tmp_path):
    tasks, predictions, questions = [], {}, {}
    for task in range(1, 21):
        tasks.append(TaskResult(task, f"task-{task}", 0, 0, 0.9))
        own, asked = [], {}
        for story in range(200):
            told: list[Sentence] = []
            for line in range(1, 31):
                if line % 6:
                    told.append(
                        Sentence(line, f"Person {line * story % 97} went to place {line % 13}.")
                    )
                    continue
                name = f"qa{task}-test-{story}-{line}"
                right = f"place {line % 13}"
                asked[name] = Question(
                    line,
                    f"Where is person {story}?",
                    right,
                    (1, 2),
                    Prefix(told, len(told)),
                    id=name,
                )
                own.append(
                    SavedPrediction(
                        name, right if story % 10 else "no", (1, 2), 0.5, 0.25, 0.5, 0.1
                    )
                )
        predictions[task], questions[task] = tuple(own), asked
    run = Run("big", tmp_path, "d", {}, tuple(tasks))
    url = saved(tmp_path / "r.html", Found((run,)), [RunQuestions(run, predictions, questions)])
    begun = time.perf_counter()
    page = open_page(url)
    page.wait_for_selector(READY)
    seconds = time.perf_counter() - begun
    assert page.inner_text("#count") == "20000 of 20000 questions"
    assert seconds < 3
    assert page.locator(".item").count() < 60  # only what can be seen exists
    page.focus("#list")
    page.keyboard.press("End")
    assert chosen(page).get_attribute("aria-posinset") == "20000"
    begun = time.perf_counter()
    page.fill("#by-words", "qa20-test-199")
    assert "5 of 20000" in page.inner_text("#count")
    assert time.perf_counter() - begun < 1.5
