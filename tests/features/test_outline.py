"""Outlines by frames: predicate, roles, fillers and what is asked; role equality of two sentences."""

from __future__ import annotations

from babi_cascade.features.outline import FrameOutliner, match_of, outline_frames
from babi_cascade.pipeline.frames import Argument, Asked, Frame
from tests.features.reading import argument, sentence, took, went, where_is


def test_a_statement_has_a_predicate_and_roles_but_asks_nothing() -> None:
    outline = outline_frames(went("ana", "pier"))
    assert outline.predicate == "go"
    assert outline.roles == (("nsubj", "ana"), ("obl:to", "pier"))
    assert outline.shape == "nsubj obl"
    assert (outline.kind, outline.asked, outline.time) == ("", "", "")
    assert FrameOutliner().to_json() == {"kind": "frames", "known": {}}


def test_a_question_tells_what_it_asks_of_which_predicate_with_what_given() -> None:
    outline = outline_frames(where_is("ana"))
    assert outline.asked == "where"
    assert outline.kind == "where of “be” (subject)"
    yes = Frame("be in", 1, (argument("nsubj", "bo"),), question="yes/no")
    outline = outline_frames(sentence("Is Bo in?", yes))
    assert (outline.asked, outline.kind) == ("yes/no", "yes/no of “be in” (subject)")
    colour = Asked("what", "attr", "ARG2", "colour")
    outline = outline_frames(sentence("What colour is it?", Frame("be", 3, asks=colour)))
    assert (outline.asked, outline.kind) == ("what colour", "what colour = attribute of “be”")


def test_negation_times_alternatives_and_adverbs_are_told_apart() -> None:
    maybe = Argument("ARG2", "obl:in", "barn", "barn", 5, text="the barn", alternative=True)
    adverb = argument("advmod", "quickly")
    frame = Frame("be", 2, (argument("nsubj", "bo"), maybe, adverb), negated=True, time="today")
    outline = outline_frames(sentence("Bo …", frame))
    assert outline.predicate == "not be"
    assert outline.time == "today"
    assert outline.roles == (("nsubj", "bo"), ("obl:in~", "barn"))
    assert outline.texts == {"bo": "bo", "barn": "barn"}  # no text told: the phrase


def test_the_text_of_a_filler_leaves_out_its_determiners() -> None:
    apples = Argument("ARG1", "obj", "red apple", "apple", 4, text="the red apples")
    outline = outline_frames(sentence("Bo took the red apples.", Frame("take", 2, (apples,))))
    assert outline.texts == {"red apple": "red apples"}


def test_role_match_names_every_pair_of_roles_with_one_filler() -> None:
    one, other = outline_frames(took("ana", "kite")), outline_frames(went("ana", "pier"))
    assert match_of(one, other) == (("nsubj", "nsubj"),)
    assert match_of(one, one) == (("nsubj", "nsubj"), ("obj", "obj"))
    assert match_of(one, outline_frames(took("bo", "ana"))) == (("nsubj", "obj"),)
    assert match_of(one, outline_frames(went("bo", "pier"))) == ()
    twice = outline_frames(took("ana", "ana"))
    assert twice.fillers == {"ana": ("nsubj", "obj")}
    assert match_of(other, twice) == (("nsubj", "nsubj"), ("nsubj", "obj"))


def test_what_fills_roles_elsewhere_is_mentioned_where_its_role_was_missed() -> None:
    made = FrameOutliner().fit([went("ana", "pier"), went("bo", "mill")])
    missed = sentence("ana went to the pier", Frame("go", 2, (argument("obl:to", "pier"),)))
    outline = made.outline(missed)
    assert outline.roles == (("obl:to", "pier"), ("?", "ana"))
    assert outline.shape == "? obl"
    assert made.outline(went("ana", "pier")).shape == "nsubj obl"
