"""What the external resources buy: presets by back ends, on stories where they matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from babi_cascade.app.cli import cli
from babi_cascade.app.experiments import BackEnds, DataSource, ResourcesPlan, Settings, run_plan
from babi_cascade.app.experiments.plans.resources import readings_of


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    """Stories in which pronouns are some sentences away from whom they mean."""
    folder = tmp_path_factory.mktemp("far")
    arguments = "generate --tasks 11 --questions 100 --pronoun-distance 1-3 --distance 1-12"
    cli.main([*arguments.split(), "--out", str(folder)], standalone_mode=False)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("resources")


@pytest.fixture(scope="module")
def table(stories, folder):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    told: list[str] = []
    readings = readings_of(
        ("sieve", "corenlp", "none"), ("stanza", "relations"),
        BackEnds(corenlp_url="http://localhost:1"), folder / "cache", told.append,
    )  # fmt: skip
    plan = ResourcesPlan(Settings(cost=0.1), ("paper", "extended"), readings)
    return run_plan(plan, DataSource(directory=stories), None, folder), told


def test_there_is_a_column_for_every_preset_and_mixture_that_is_here(table):
    result, told = table
    assert result.columns == tuple(
        f"{preset} {coref}+{roles}"
        for preset in ("paper", "extended")
        for coref in ("sieve", "none")
        for roles in ("stanza", "relations")
    )
    assert len(told) == 1
    assert told[0].startswith("left out: --coref corenlp needs")
    assert not result.not_done


def test_coreference_is_worth_something_where_pronouns_stand_far_from_names(table):
    result, _ = table
    loss = result.lost("extended none+stanza", 11)
    assert loss is not None
    assert loss < -0.05
    assert result.lost("extended sieve+stanza", 11) == 0


def test_the_records_say_what_read_the_stories(table, folder):
    unit = json.loads(next(folder.glob("units/paper.none+relations*")).read_text(encoding="utf-8"))
    settings = unit["settings"]
    assert settings["reading"]["coref"] == "none"
    assert settings["reading"]["srl"] == "relations"
    assert settings["parameters"]["roles"] == "relations"
    assert settings["parameters"]["replace"] == "all"
    assert (folder / "resources.md").is_file()


def test_what_is_done_is_not_done_again(table, stories, folder, monkeypatch):
    result, _ = table
    monkeypatch.setattr("babi_cascade.app.experiments.grid.do_unit", None)
    readings = readings_of(
        ("sieve", "none"), ("stanza", "relations"), BackEnds(), folder / "cache", print
    )
    plan = ResourcesPlan(Settings(cost=0.1), ("paper", "extended"), readings)
    again = run_plan(plan, DataSource(directory=stories), None, folder)
    assert again.results == result.results


def test_given_trees_stand_beside_ours_but_for_words_alone(tmp_path):
    trees = Path(__file__).parents[2] / "recorded" / "trees.conllu"
    readings = readings_of(
        ("sieve", "none"), ("relations", "none"), BackEnds(conllu=trees), tmp_path / "cache",
        pytest.fail,
    )  # fmt: skip
    assert [r.name for r in readings if r.coref == "none"] == [
        "none+relations", "none+none", "none+relations given-trees",
    ]  # fmt: skip
