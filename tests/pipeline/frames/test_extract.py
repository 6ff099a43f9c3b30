"""Frames of constructions of English, from trees written by hand; none is a sentence of bAbI."""

import pytest

from babi_cascade.pipeline.frames import extract_frames
from tests.pipeline.frames.small_trees import tree

CASES = {
    "a main verb": (
        "Kim:PROPN:2:nsubj sailed/sail/VBD:VERB:0:root to:ADP:5:case an:DET:5:det island:NOUN:2:obl",
        "sail(nsubj kim; obl:to island)",
    ),
    "a particle is part of the verb": (
        "Kim:PROPN:2:nsubj switched/switch:VERB:0:root off:ADP:2:compound:prt the:DET:5:det radio:NOUN:2:obj",
        "switch off(nsubj kim; obj radio)",
    ),
    "the receiver before the object": (
        "Kim:PROPN:2:nsubj lent/lend:VERB:0:root Lee:PROPN:2:iobj a:DET:5:det kite:NOUN:2:obj",
        "lend(nsubj kim; obl:to lee; obj kite)",
    ),
    "the receiver after the object": (
        "Kim:PROPN:2:nsubj lent/lend:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl",
        "lend(nsubj kim; obj kite; obl:to lee)",
    ),
    "the receivers as the subject of a passive": (
        "Kim:PROPN:5:nsubj:pass and:CCONJ:3:cc Lee:PROPN:1:conj were/be:AUX:5:aux:pass"
        " shown/show/VBN:VERB:0:root the:DET:7:det way:NOUN:5:obj",
        "show(obl:to kim & lee; obj way)",
    ),
    "who receives, in a passive": (
        "Who:PRON:3:nsubj:pass was/be:AUX:3:aux:pass sent/send/VBN:VERB:0:root the:DET:5:det kite:NOUN:3:obj"
        " ?:PUNCT:3:punct",
        "send(obj kite) ?who = obl:to",
    ),
    "what is received, in a passive": (
        "What:PRON:4:obj was/be:AUX:4:aux:pass Kim:PROPN:4:nsubj:pass sent/send/VBN:VERB:0:root"
        " by:ADP:6:case Lee:PROPN:4:obl ?:PUNCT:4:punct",
        "send(obl:to kim; nsubj lee) ?what = obj",
    ),
    "a passive": (
        "The:DET:2:det kite:NOUN:4:nsubj:pass was/be:AUX:4:aux:pass sold/sell:VERB:0:root by:ADP:6:case"
        " Kim:PROPN:4:obl",
        "sell(obj kite; nsubj kim)",
    ),
    "a passive without agent in the past is an event": (
        "The:DET:2:det kite:NOUN:4:nsubj:pass was/be:AUX:4:aux:pass sold/sell:VERB:0:root",
        "sell(obj kite)",
    ),
    "a passive without agent in the present is a state": (
        "The:DET:2:det shop:NOUN:4:nsubj:pass is/be:AUX:4:aux:pass closed/close:VERB:0:root",
        "be(nsubj shop; attr closed)",
    ),
    "a whole noun phrase": (
        "The:DET:3:det big:ADJ:3:amod jars/jar/NNS:NOUN:6:nsubj of:ADP:5:case olives/olive:NOUN:3:nmod"
        " broke/break:VERB:0:root",
        "break(nsubj big jar of olive)",
    ),
    "a copula with a preposition": (
        "Kim:PROPN:5:nsubj was/be:AUX:5:cop at:ADP:5:case the:DET:5:det beach:NOUN:0:root",
        "be at(nsubj kim; obl:at beach)",
    ),
    "a copula with a relational noun": (
        "The:DET:2:det shop:NOUN:6:nsubj is/be:AUX:6:cop to:ADP:6:case the:DET:6:det rear:NOUN:0:root"
        " of:ADP:9:case the:DET:9:det station:NOUN:6:nmod",
        "be to the rear of(nsubj shop; obl:of station)",
    ),
    "a copula with an adjective and its complement": (
        "Kim:PROPN:3:nsubj is/be:AUX:3:cop fond:ADJ:0:root of:ADP:5:case snails/snail/NNS:NOUN:3:obl",
        "be fond of(nsubj kim; obl:of snail)",
    ),
    "a comparison": (
        "Lee:PROPN:3:nsubj is/be:AUX:3:cop older/old/JJR:ADJ:0:root than:ADP:5:case Kim:PROPN:3:obl",
        "be older than(nsubj lee; obl:than kim)",
    ),
    "a comparison with a conjunction": (
        "Lee:PROPN:3:nsubj is/be:AUX:3:cop older/old/JJR:ADJ:0:root than:SCONJ:5:mark Kim:PROPN:3:advcl",
        "be older than(nsubj lee; obl:than kim)",
    ),
    "a bare noun as a relation": (
        "Rust:NOUN:3:nsubj is/be:AUX:3:cop part:NOUN:0:root of:ADP:6:case the:DET:6:det problem:NOUN:3:nmod",
        "be part of(nsubj rust; obl:of problem)",
    ),
    "a compass point": (
        "Oslo:PROPN:3:nsubj is/be:AUX:3:cop north:ADV:0:root of:ADP:5:case Rome:PROPN:3:obl",
        "be north of(nsubj oslo; obl:of rome)",
    ),
    "a kind": (
        "Kim:PROPN:4:nsubj is/be:AUX:4:cop a:DET:4:det dentist:NOUN:0:root",
        "be a(nsubj kim; attr dentist)",
    ),
    "an adjective": (
        "The:DET:2:det soup:NOUN:4:nsubj is/be:AUX:4:cop salty:ADJ:0:root today:NOUN:4:obl:tmod",
        "be(nsubj soup; attr salty) @today",
    ),
    "no longer": (
        "Kim:PROPN:7:nsubj is/be:AUX:7:cop no:DET:4:advmod longer:ADV:7:advmod at:ADP:7:case the:DET:7:det"
        " bank:NOUN:0:root",
        "not be at(nsubj kim; obl:at bank)",
    ),
    "never": (
        "Kim:PROPN:3:nsubj never:ADV:3:advmod smokes/smoke:VERB:0:root",
        "not smoke(nsubj kim)",
    ),
    "conjoined subjects": (
        "Kim:PROPN:4:nsubj and:CCONJ:3:cc Lee:PROPN:1:conj danced/dance:VERB:0:root",
        "dance(nsubj kim & lee)",
    ),
    "conjoined objects": (
        "Kim:PROPN:2:nsubj sells/sell:VERB:0:root apples/apple:NOUN:2:obj ,:PUNCT:5:punct"
        " pears/pear:NOUN:3:conj"
        " and:CCONJ:7:cc figs/fig:NOUN:3:conj",
        "sell(nsubj kim; obj apple & pear & fig)",
    ),
    "either … or": (
        "Kim:PROPN:6:nsubj is/be:AUX:6:cop either:CCONJ:6:cc:preconj at:ADP:6:case the:DET:6:det"
        " bank:NOUN:0:root"
        " or:CCONJ:9:cc the:DET:9:det gym:NOUN:6:conj",
        "be at(nsubj kim; obl:at bank | gym)",
    ),
    "either … or with two prepositions": (
        "Kim:PROPN:5:nsubj is/be:AUX:5:cop either:CCONJ:5:cc:preconj at:ADP:5:case work:NOUN:0:root"
        " or:CCONJ:8:cc"
        " on:ADP:8:case holiday:NOUN:5:conj",
        "be at(nsubj kim; obl:at work; obl:on holiday)",
    ),
    "a fronted time": (
        "Last:ADJ:2:amod week:NOUN:4:obl:tmod Kim:PROPN:4:nsubj moved/move:VERB:0:root to:ADP:6:case"
        " Rome:PROPN:4:obl",
        "move(nsubj kim; obl:to rome) @last week",
    ),
    "a date says more than a link": (
        "Then:ADV:3:advmod Kim:PROPN:3:nsubj slept/sleep:VERB:0:root on:ADP:5:case Friday:PROPN:3:obl",
        "sleep(nsubj kim) @on friday",
    ),
    "after a thing is no date": (
        "Kim:PROPN:2:nsubj slept/sleep:VERB:0:root after:ADP:5:case the:DET:5:det concert:NOUN:2:obl",
        "sleep(nsubj kim; obl:after concert)",
    ),
    "an adverb with a phrase of its own": (
        "Kim:PROPN:2:nsubj drove/drive:VERB:0:root back:ADV:2:advmod to:ADP:6:case the:DET:6:det"
        " farm:NOUN:3:obl",
        "drive(nsubj kim; obl:to farm)",
    ),
    "a place adverb": (
        "Kim:PROPN:2:nsubj parked/park:VERB:0:root there:ADV:2:advmod",
        "park(nsubj kim; advmod there)",
    ),
    "shared subjects": (
        "Kim:PROPN:2:nsubj sat/sit:VERB:0:root and:CCONJ:4:cc ate/eat:VERB:2:conj",
        "sit(nsubj kim) + eat(nsubj kim)",
    ),
    "a controlled subject": (
        "Kim:PROPN:2:nsubj told/tell:VERB:0:root Lee:PROPN:2:obj to:PART:5:mark leave:VERB:2:xcomp",
        "tell(nsubj kim; obj lee; xcomp leave) + leave(nsubj lee)",
    ),
    "a relative clause": (
        "The:DET:2:det nurse:NOUN:5:nsubj who:PRON:4:nsubj sang/sing:VERB:2:acl:relcl left/leave:VERB:0:root",
        "sing(nsubj nurse) + leave(nsubj nurse)",
    ),
    "there is no subject in existence": (
        "There:PRON:2:expl is/be:VERB:0:root a:DET:4:det wasp:NOUN:2:nsubj in:ADP:7:case the:DET:7:det"
        " jam:NOUN:2:obl",
        "be(nsubj wasp; obl:in jam)",
    ),
}
QUESTIONS = {
    "yes or no": (
        "Is/be:AUX:5:cop Kim:PROPN:5:nsubj at:ADP:5:case the:DET:5:det gym:NOUN:0:root ?:PUNCT:5:punct",
        "be at(nsubj kim; obl:at gym) ?",
    ),
    "yes or no without a mark": (
        "did/do:AUX:3:aux Kim:PROPN:3:nsubj sing:VERB:0:root",
        "sing(nsubj kim) ?",
    ),
    "where": (
        "Where:ADV:0:root is/be:AUX:1:cop Kim:PROPN:1:nsubj ?:PUNCT:1:punct",
        "be(nsubj kim) ?where = advmod:where",
    ),
    "where, with a time that is an event": (
        "Where:ADV:0:root was/be:AUX:1:cop Kim:PROPN:1:nsubj before:ADP:6:case the:DET:6:det war:NOUN:1:obl"
        " ?:PUNCT:1:punct",
        "be(nsubj kim; obl:before war) ?where = advmod:where",
    ),
    "who as the subject": (
        "Who:PRON:2:nsubj broke/break:VERB:0:root the:DET:4:det vase:NOUN:2:obj ?:PUNCT:2:punct",
        "break(obj vase) ?who = nsubj",
    ),
    "what as the object": (
        "What:PRON:4:obj is/be:AUX:4:aux Kim:PROPN:4:nsubj painting/paint:VERB:0:root ?:PUNCT:4:punct",
        "paint(nsubj kim) ?what = obj",
    ),
    "a stranded receiver": (
        "Who:PRON:4:obl did/do:AUX:4:aux Kim:PROPN:4:nsubj lend:VERB:0:root the:DET:6:det kite:NOUN:4:obj"
        " to:ADP:1:case ?:PUNCT:4:punct",
        "lend(nsubj kim; obj kite) ?who = obl:to",
    ),
    "two objects, one asked for": (
        "What:PRON:4:obj did/do:AUX:4:aux Kim:PROPN:4:nsubj lend:VERB:0:root Lee:PROPN:4:obj ?:PUNCT:4:punct",
        "lend(nsubj kim; obl:to lee) ?what = obj",
    ),
    "a stranded preposition of an adjective": (
        "What:PRON:4:obl is/be:AUX:4:cop Kim:PROPN:4:nsubj fond:ADJ:0:root of:ADP:1:case ?:PUNCT:4:punct",
        "be fond of(nsubj kim) ?what = obl:of",
    ),
    "a stranded preposition of the question word": (
        "What:PRON:0:root is/be:AUX:1:cop this:DET:4:det lever:NOUN:1:nsubj for:ADP:1:case ?:PUNCT:1:punct",
        "be for(nsubj lever) ?what = obl:for",
    ),
    "the question word as subject of a relation": (
        "What:PRON:3:nsubj is/be:AUX:3:cop north:ADV:0:root of:ADP:5:case Rome:PROPN:3:obl ?:PUNCT:3:punct",
        "be north of(obl:of rome) ?what = nsubj",
    ),
    "a question word as determiner": (
        "What:DET:2:det size:NOUN:0:root is/be:AUX:2:cop the:DET:5:det shirt:NOUN:2:nsubj ?:PUNCT:2:punct",
        "be(nsubj shirt) ?what size = attr",
    ),
    "how many": (
        "How:ADV:2:advmod many:ADJ:3:amod goats/goat:NOUN:6:obj does/do:AUX:6:aux Kim:PROPN:6:nsubj"
        " own:VERB:0:root"
        " ?:PUNCT:6:punct",
        "own(nsubj kim) ?how many goat = obj",
    ),
    "how": (
        "How:ADV:4:advmod do:AUX:4:aux you:PRON:4:nsubj travel:VERB:0:root from:ADP:6:case Oslo:PROPN:4:obl"
        " to:ADP:8:case Rome:PROPN:4:obl ?:PUNCT:4:punct",
        "travel(nsubj you; obl:from oslo; obl:to rome) ?how = advmod:how",
    ),
    "why": (
        "Why:ADV:4:advmod did/do:AUX:4:aux Kim:PROPN:4:nsubj laugh:VERB:0:root ?:PUNCT:4:punct",
        "laugh(nsubj kim) ?why = advmod:why",
    ),
    "raised out of a clause below": (
        "What:PRON:5:obj does/do:AUX:4:aux Kim:PROPN:4:nsubj want:VERB:0:root buy:VERB:4:xcomp"
        " ?:PUNCT:4:punct",
        "want(nsubj kim; xcomp buy) ? + buy(nsubj kim) ?what = obj",
    ),
    "an indirect question asks nothing": (
        "Kim:PROPN:2:nsubj knows/know:VERB:0:root where:ADV:5:advmod Lee:PROPN:5:nsubj"
        " lives/live:VERB:2:ccomp",
        "know(nsubj kim; ccomp live) + live(nsubj lee)",
    ),
}


@pytest.mark.parametrize(("words", "expected"), [*CASES.values(), *QUESTIONS.values()],
                         ids=[*CASES, *QUESTIONS])  # fmt: skip
def test_construction(words: str, expected: str) -> None:
    assert " + ".join(str(f) for f in extract_frames(tree(words))) == expected


def test_roles_are_those_of_the_labeller_and_what_it_did_not_name_has_none() -> None:
    passive = tree(
        "Kim:PROPN:3:nsubj:pass was/be:AUX:3:aux:pass sent/send/VBN:VERB:0:root a:DET:5:det kite:NOUN:3:obj"
        " by:ADP:7:case Lee:PROPN:3:obl"
    )
    (frame,) = extract_frames(passive, {3: {1: "ARG2", 5: "ARG1"}})
    assert str(frame) == "send(obl:to/ARG2 kim; obj/ARG1 kite; nsubj lee)"
    assert frame.is_labelled
    (frame,) = extract_frames(passive, {})
    assert str(frame) == "send(obl:to kim; obj kite; nsubj lee)"
    assert not frame.is_labelled


def test_a_question_word_has_the_role_that_the_labeller_gives_it() -> None:
    question = tree(
        "Where:ADV:4:advmod did/do:AUX:4:aux Kim:PROPN:4:nsubj sail:VERB:0:root ?:PUNCT:4:punct"
    )
    (frame,) = extract_frames(question, {4: {1: "R-ARG4", 3: "ARG0"}})
    assert str(frame) == "sail(nsubj/ARG0 kim) ?where = advmod:where/ARG4"
    (frame,) = extract_frames(question, {4: {3: "ARG0"}})
    assert str(frame) == "sail(nsubj/ARG0 kim) ?where = advmod:where"


def test_all_conjuncts_have_the_role_of_their_phrase() -> None:
    words = tree(
        "Kim:PROPN:4:nsubj and:CCONJ:3:cc Lee:PROPN:1:conj left/leave:VERB:0:root either:CCONJ:6:cc"
        " Rome:PROPN:4:obj or:CCONJ:8:cc Oslo:PROPN:6:conj"
    )
    (frame,) = extract_frames(words, {4: {1: "ARG0", 6: "ARG1"}})
    assert str(frame) == "leave(nsubj/ARG0 kim & lee; obj/ARG1 rome | oslo)"


def test_a_role_on_the_preposition_is_that_of_its_phrase() -> None:
    words = tree("Kim:PROPN:2:nsubj sat/sit:VERB:0:root in:ADP:4:case Rome:PROPN:2:obl")
    (frame,) = extract_frames(words, {2: {1: "ARG1", 3: "ARGM-LOC"}})
    assert str(frame) == "sit(nsubj/ARG1 kim; obl:in/ARGM-LOC rome)"


def test_one_role_over_several_phrases_leaves_those_of_the_tree_without_one() -> None:
    words = tree(
        "Kim:PROPN:3:nsubj is/be:AUX:3:cop fond:ADJ:0:root of:ADP:5:case snails/snail/NNS:NOUN:3:obl"
    )
    (frame,) = extract_frames(words, {2: {1: "ARG1", 3: "ARG2"}})
    assert str(frame) == "be fond of(nsubj/ARG1 kim; obl:of snail)"
    assert frame.unplaced == (("ARG2", "fond of snails"),)


def test_negations_and_times_of_the_labeller_are_kept_beside_the_arguments() -> None:
    words = tree(
        "Kim:PROPN:4:nsubj did/do:AUX:4:aux not:PART:4:advmod sing:VERB:0:root this:DET:6:det"
        " morning:NOUN:4:obl"
    )
    (frame,) = extract_frames(words, {4: {1: "ARG0", 3: "ARGM-NEG", 6: "ARGM-TMP"}})
    assert str(frame) == "not sing(nsubj/ARG0 kim) @this morning"
    assert frame.unplaced == (("ARGM-NEG", "not"), ("ARGM-TMP", "this morning"))


def test_a_word_that_is_a_function_word_in_the_tree_makes_no_frame_of_its_own() -> None:
    words = tree(
        "Following/follow:VERB:2:case that:PRON:4:obl Kim:PROPN:4:nsubj sang/sing:VERB:0:root"
    )
    assert len(extract_frames(words, {1: {2: "ARG1"}, 4: {3: "ARG0"}})) == 1


def test_roles_of_a_labeller_are_put_on_the_arguments() -> None:
    words = tree("Kim:PROPN:2:nsubj vanished/vanish:VERB:0:root in:ADP:4:case Rome:PROPN:2:obl")
    frame = extract_frames(words, {2: {1: "ARG1", 4: "ARGM-LOC"}})[0]
    assert str(frame) == "vanish(nsubj/ARG1 kim; obl:in/ARGM-LOC rome)"


def test_every_argument_knows_its_words() -> None:
    words = tree(
        "Two:NUM:3:nummod wooden:ADJ:3:amod boxes/box/NNS:NOUN:6:nsubj of:ADP:5:case tea:NOUN:3:nmod"
        " fell/fall:VERB:0:root"
    )
    argument = extract_frames(words)[0].arguments[0]
    assert argument.phrase == "two wooden box of tea"
    assert (argument.head, argument.head_id, argument.span) == ("box", 3, (1, 2, 3, 4, 5))
    assert argument.text == "Two wooden boxes of tea"
