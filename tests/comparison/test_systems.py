"""Every system by its name: it learns simulated tasks for real, repeats itself, and survives a file."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from babi_cascade.cascade.prediction import Prediction
from babi_cascade.comparison import SYSTEMS, load_system, make_system
from babi_cascade.comparison.system import ComparisonSystem
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model
from tests.comparison.conftest import Told

MEMORY_NETWORKS = [name for name in SYSTEMS if name.startswith("memnn")]
QUICK: dict[str, dict[str, Any]] = {
    "ngram": {"costs": (0.01,)},
    "lstm": {"rates": (0.01,), "dimensions": (8,), "epochs": 2},
    **{name: {"rates": (0.01,), "margins": (1.0,), "dimensions": (20,), "epochs": 25}
       for name in MEMORY_NETWORKS},
}  # fmt: skip
"""One setting and few epochs: enough to see that a thing works."""


def quick(name: str, **params: Any) -> ComparisonSystem:
    return make_system(name, **{**QUICK[name], **params})


def support_accuracy(found: list[Prediction], questions: list[Question]) -> float:
    pairs = zip(found, questions, strict=True)
    return float(np.mean([set(p.support) == set(q.support or ()) for p, q in pairs]))


@pytest.mark.parametrize("name", MEMORY_NETWORKS)
def test_memory_networks_learn_to_find_the_fact_and_say_the_answer(name: str, told: Told) -> None:
    train, test = told(1, 200)
    system = quick(name, seed=1).fit(train)
    found = system.answer(test)
    assert system.score(test) >= 0.95
    assert support_accuracy(found, test) >= 0.95


def test_two_hops_are_found_in_whatever_order_the_files_name_them(told: Told) -> None:
    train, test = told(2, 300)
    assert quick("memnn-am").fit(train).score(test) >= 0.9
    some = train[:40]
    turned = [replace(asked, support=(asked.support or ())[::-1]) for asked in some]
    one, other = (quick("memnn-am", epochs=3).fit(questions) for questions in (some, turned))
    assert one.answer(test) == other.answer(test)


def test_only_the_nonlinear_form_learns_to_match_question_and_fact(told: Told) -> None:
    train, test = told(6, 400)
    linear = quick("memnn-am", epochs=8).fit(train)
    nonlinear = quick("memnn-am-nl", epochs=90, dimensions=(50,)).fit(train)
    assert linear.score(test) < 0.7
    assert nonlinear.score(test) >= 0.9


def test_word_order_needs_runs_of_words_or_positions(told: Told) -> None:
    train, test = told(4, 250)
    assert quick("memnn-am", epochs=10).fit(train).score(test) < 0.9
    for name in ("memnn-am-ng", "memnn-am-multilinear"):
        assert quick(name).fit(train).score(test) >= 0.95


def test_adaptive_memories_go_beyond_two_facts(told: Told) -> None:
    train, test = told(16, 200)
    fixed = quick("memnn", epochs=5).fit(train)
    adaptive = quick("memnn-am", epochs=40).fit(train)
    assert max(len(p.support) for p in fixed.answer(test)) == 2
    assert max(len(p.support) for p in adaptive.answer(test)) == 3
    assert fixed.score(test) < 0.5
    assert adaptive.score(test) >= 0.9


def test_adaptive_memories_say_several_words() -> None:
    things = ("apple", "book", "coin", "drum")
    questions = []
    for first, second, third in permutations(things, 3):
        facts = tuple(
            Sentence(line, f"There is a {thing} {where}.")
            for line, (thing, where) in enumerate(
                ((first, "here"), (second, "elsewhere"), (third, "here")), start=1
            )
        )
        answer = ",".join(sorted((first, third)))
        questions.append(Question(4, "What is here?", answer, (1, 3), facts))
    adaptive = quick("memnn-am", epochs=60, batch=6).fit(questions)
    assert adaptive.score(questions) == 1.0
    assert quick("memnn", epochs=5).fit(questions).score(questions) == 0.0


def test_the_lstm_learns_from_answers_alone(told: Told) -> None:
    train, test = told(20, 200)
    weak = [replace(asked, support=None) for asked in train]
    system = make_system("lstm", rates=(0.01,), dimensions=(30,), epochs=20).fit(weak)
    assert system.score(test) >= 0.8


def test_the_ngram_classifier_learns_from_sentences_that_share_a_word(told: Told) -> None:
    train, test = told(20, 200)
    weak = [replace(asked, support=None) for asked in train]
    assert make_system("ngram").fit(weak).score(test) >= 0.8


def test_one_model_can_be_trained_on_several_tasks(told: Told) -> None:
    parts = [told(1, 200), told(2, 300)]
    system = quick("memnn-am").fit([asked for train, _ in parts for asked in train])
    for _, test in parts:
        assert system.score(test) >= 0.9


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_same_seed_gives_the_same_model_and_a_file_keeps_it(
    name: str, told: Told, tmp_path: Path
) -> None:
    train, test = told(1, 200)
    one, other = (quick(name, epochs=2).fit(train[:40]) if name != "ngram"
                  else quick(name).fit(train[:40]) for _ in range(2))  # fmt: skip
    one.save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    again = load_system(name, tmp_path / "one")
    assert again.answer(test) == one.answer(test)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_question_gets_an_answer_with_its_id(name: str, told: Told) -> None:
    train, test = told(1, 200)
    system = quick(name).fit(train[:40])
    assert system.answer([]) == []
    strange = [
        Question(1, "Where is Mary?", None, None, (), id="no story"),
        Question(2, "Qué?", None, None, (Sentence(1, "Xyzzy plugh."),), id="unknown words"),
        replace(test[0], answer=None, support=None, id="no answer"),
    ]
    found = system.answer(strange)
    assert [p.id for p in found] == ["no story", "unknown words", "no answer"]
    assert all(p.answer for p in found)
    assert found[0].support == ()
    lines = {fact.line for fact in test[0].facts}
    assert set(found[2].support) <= lines
    assert found[2].margin is not None
    assert found[2].margin >= 0


def test_a_question_does_not_depend_on_those_beside_it(told: Told) -> None:
    train, test = told(1, 200)
    for name in ("memnn-am-ng-nl", "lstm", "ngram"):
        system = quick(name).fit(train[:40])
        together = system.answer(test[:20])
        for asked, expected in zip(test[:20], together, strict=True):
            (alone,) = system.answer([asked])
            assert (alone.answer, alone.support) == (expected.answer, expected.support)
            assert alone.score == pytest.approx(expected.score, abs=1e-4)


@pytest.mark.parametrize("name", SYSTEMS)
def test_parameters_can_be_read_set_and_cloned(name: str) -> None:
    system = make_system(name, seed=5)
    assert clone(system).get_params() == system.get_params()
    assert system.set_params(seed=7).get_params()["seed"] == 7
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        system.set_params(colour="red")


@pytest.mark.parametrize("name", SYSTEMS)
def test_questions_without_what_is_learned_are_refused(name: str) -> None:
    asked = Question(2, "Where?", "here", (1,), (Sentence(1, "Here it is."),))
    system = quick(name)
    with pytest.raises(UserError, match="found no questions"):
        system.fit([])
    with pytest.raises(UserError, match=r"question 2 \('Where\?'\): found no answer"):
        system.fit([asked, replace(asked, answer=None)])
    without = [asked, replace(asked, support=None)]
    if name in MEMORY_NETWORKS:
        with pytest.raises(UserError, match="found no supporting facts"):
            system.fit(without)
    else:
        assert system.fit(without).score(without) == 1.0


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_single_question_is_enough_to_train_on(name: str) -> None:
    asked = Question(2, "Where?", "here", (1,), (Sentence(1, "It is here."),))
    patient = {} if name == "ngram" else {"epochs": 100}  # one question is one step an epoch
    assert quick(name, **patient).fit([asked]).score([asked]) == 1.0


def test_wrong_parameters_are_told_before_the_work(told: Told) -> None:
    train, _ = told(1, 200)
    for name, params, message in (
        ("memnn", {"form": "cubic"}, "expected one of linear, nonlinear, multilinear"),
        ("memnn", {"form": "multilinear", "longest": 3}, "expected 1 with the multilinear map"),
        ("memnn", {"rates": ()}, "rates"),
        ("memnn", {"epochs": 0}, "epochs: found 0"),
        ("memnn", {"hops": 0}, "hops: found 0"),
        ("lstm", {"dimensions": (0,)}, "dimensions"),
        ("ngram", {"costs": ()}, "costs"),
    ):
        with pytest.raises(UserError, match=message):
            make_system(name, **params).fit(train[:5])


def test_names_and_files_of_others_are_refused(told: Told, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'svm', expected one of ngram, lstm, memnn"):
        make_system("svm")
    train, _ = told(1, 200)
    quick("ngram").fit(train[:40]).save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="no model of 'lstm'"):
        load_system("lstm", tmp_path / "model")


@pytest.mark.parametrize("name", ["ngram", "lstm", "memnn"])
def test_a_file_whose_parts_do_not_fit_is_refused(name: str, told: Told, tmp_path: Path) -> None:
    train, _ = told(1, 200)
    quick(name).fit(train[:20]).save(tmp_path / "model")
    arrays, meta = load_model(tmp_path / "model")
    meta["learned"].pop("answers" if name != "memnn" else "responses")
    save_model(tmp_path / "model", arrays, meta)
    with pytest.raises(ModelFileError, match="does not fit together"):
        load_system(name, tmp_path / "model")


@pytest.mark.parametrize("name", ["lstm", "memnn"])
def test_no_room_is_made_for_a_size_that_only_the_header_claims(
    name: str, told: Told, tmp_path: Path
) -> None:
    train, _ = told(1, 200)
    quick(name).fit(train[:20]).save(tmp_path / "model")
    arrays, meta = load_model(tmp_path / "model")
    chosen = meta["learned"]["chosen"]
    (chosen["output"] if name == "memnn" else chosen)["setting"]["dimension"] = 2**40
    save_model(tmp_path / "model", arrays, meta)
    with pytest.raises(ModelFileError, match=r"embeddings.*: found \(\d+, \d+\), expected"):
        load_system(name, tmp_path / "model")


@pytest.mark.parametrize(
    ("place", "value"),
    [("cost", 10**400), ("answers", [1]), ("longest", [2]), ("longest", -1), ("seed", 2**70)],
)
def test_a_file_with_wild_values_is_refused(
    place: str, value: object, told: Told, tmp_path: Path
) -> None:
    train, _ = told(1, 200)
    quick("ngram").fit(train[:20]).save(tmp_path / "model")
    arrays, meta = load_model(tmp_path / "model")
    meta["learned" if place in meta["learned"] else "params"][place] = value
    save_model(tmp_path / "model", arrays, meta)
    with pytest.raises(ModelFileError, match="does not fit together"):
        load_system("ngram", tmp_path / "model")


def test_any_seed_can_be_saved(told: Told, tmp_path: Path) -> None:
    train, _ = told(1, 200)
    quick("ngram", seed=2**31).fit(train[:20]).save(tmp_path / "model")
    assert load_system("ngram", tmp_path / "model").get_params()["seed"] == 2**31


def test_a_file_with_weights_that_are_no_numbers_is_refused(told: Told, tmp_path: Path) -> None:
    train, _ = told(1, 200)
    quick("ngram").fit(train[:20]).save(tmp_path / "model")
    arrays, meta = load_model(tmp_path / "model")
    arrays["weights"][0, 0] = float("nan")
    save_model(tmp_path / "model", arrays, meta)
    with pytest.raises(ModelFileError, match="something else than numbers"):
        load_system("ngram", tmp_path / "model")


def test_progress_tells_what_is_tried(told: Told) -> None:
    train, _ = told(1, 200)
    said: list[str] = []
    quick("memnn-am", epochs=2, progress=said.append).fit(train[:40])
    assert any(text.startswith("supporting facts, rate 0.01") for text in said)
    assert any(text.startswith("answers") and "held-out" in text for text in said)


def test_the_names_are_known_without_loading_torch_or_sklearn() -> None:
    code = "import sys, comparison; print([m for m in ('torch', 'sklearn') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
