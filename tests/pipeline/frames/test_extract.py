"""Frames of constructions of English, from trees written by hand; none is a sentence of bAbI."""

import pytest

from babi_cascade.pipeline.frames import extract_frames
from tests.pipeline.frames.small_trees import tree

CASES = {
    "a main verb": (
        "Kim:PROPN:2:nsubj sailed/sail/VBD:VERB:0:root to:ADP:5:case an:DET:5:det island:NOUN:2:obl",
        "sail(nsubj/ARG0 kim; obl:to/ARG2 island)",
    ),
    "a particle is part of the verb": (
        "Kim:PROPN:2:nsubj switched/switch:VERB:0:root off:ADP:2:compound:prt the:DET:5:det radio:NOUN:2:obj",
        "switch off(nsubj/ARG0 kim; obj/ARG1 radio)",
    ),
    "the receiver before the object": (
        "Kim:PROPN:2:nsubj lent/lend:VERB:0:root Lee:PROPN:2:iobj a:DET:5:det kite:NOUN:2:obj",
        "lend(nsubj/ARG0 kim; obl:to/ARG2 lee; obj/ARG1 kite)",
    ),
    "the receiver after the object": (
        "Kim:PROPN:2:nsubj lent/lend:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl",
        "lend(nsubj/ARG0 kim; obj/ARG1 kite; obl:to/ARG2 lee)",
    ),
    "the receivers as the subject of a passive": (
        "Kim:PROPN:5:nsubj:pass and:CCONJ:3:cc Lee:PROPN:1:conj were/be:AUX:5:aux:pass"
        " shown/show/VBN:VERB:0:root the:DET:7:det way:NOUN:5:obj",
        "show(obl:to/ARG2 kim & lee; obj/ARG1 way)",
    ),
    "who receives, in a passive": (
        "Who:PRON:3:nsubj:pass was/be:AUX:3:aux:pass sent/send/VBN:VERB:0:root the:DET:5:det kite:NOUN:3:obj"
        " ?:PUNCT:3:punct",
        "send(obj/ARG1 kite) ?who = obl:to/ARG2",
    ),
    "what is received, in a passive": (
        "What:PRON:4:obj was/be:AUX:4:aux:pass Kim:PROPN:4:nsubj:pass sent/send/VBN:VERB:0:root"
        " by:ADP:6:case Lee:PROPN:4:obl ?:PUNCT:4:punct",
        "send(obl:to/ARG2 kim; nsubj/ARG0 lee) ?what = obj/ARG1",
    ),
    "a passive": (
        "The:DET:2:det kite:NOUN:4:nsubj:pass was/be:AUX:4:aux:pass sold/sell:VERB:0:root by:ADP:6:case"
        " Kim:PROPN:4:obl",
        "sell(obj/ARG1 kite; nsubj/ARG0 kim)",
    ),
    "a passive without agent in the past is an event": (
        "The:DET:2:det kite:NOUN:4:nsubj:pass was/be:AUX:4:aux:pass sold/sell:VERB:0:root",
        "sell(obj/ARG1 kite)",
    ),
    "a passive without agent in the present is a state": (
        "The:DET:2:det shop:NOUN:4:nsubj:pass is/be:AUX:4:aux:pass closed/close:VERB:0:root",
        "be(nsubj/ARG1 shop; attr/ARG2 closed)",
    ),
    "a whole noun phrase": (
        "The:DET:3:det big:ADJ:3:amod jars/jar/NNS:NOUN:6:nsubj of:ADP:5:case olives/olive:NOUN:3:nmod"
        " broke/break:VERB:0:root",
        "break(nsubj/ARG0 big jar of olive)",
    ),
    "a copula with a preposition": (
        "Kim:PROPN:5:nsubj was/be:AUX:5:cop at:ADP:5:case the:DET:5:det beach:NOUN:0:root",
        "be at(nsubj/ARG1 kim; obl:at/ARG2 beach)",
    ),
    "a copula with a relational noun": (
        "The:DET:2:det shop:NOUN:6:nsubj is/be:AUX:6:cop to:ADP:6:case the:DET:6:det rear:NOUN:0:root"
        " of:ADP:9:case the:DET:9:det station:NOUN:6:nmod",
        "be to the rear of(nsubj/ARG1 shop; obl:of/ARG2 station)",
    ),
    "a copula with an adjective and its complement": (
        "Kim:PROPN:3:nsubj is/be:AUX:3:cop fond:ADJ:0:root of:ADP:5:case snails/snail/NNS:NOUN:3:obl",
        "be fond of(nsubj/ARG1 kim; obl:of/ARG2 snail)",
    ),
    "a comparison": (
        "Lee:PROPN:3:nsubj is/be:AUX:3:cop older/old/JJR:ADJ:0:root than:ADP:5:case Kim:PROPN:3:obl",
        "be older than(nsubj/ARG1 lee; obl:than/ARG2 kim)",
    ),
    "a comparison with a conjunction": (
        "Lee:PROPN:3:nsubj is/be:AUX:3:cop older/old/JJR:ADJ:0:root than:SCONJ:5:mark Kim:PROPN:3:advcl",
        "be older than(nsubj/ARG1 lee; obl:than/ARG2 kim)",
    ),
    "a bare noun as a relation": (
        "Rust:NOUN:3:nsubj is/be:AUX:3:cop part:NOUN:0:root of:ADP:6:case the:DET:6:det problem:NOUN:3:nmod",
        "be part of(nsubj/ARG1 rust; obl:of/ARG2 problem)",
    ),
    "a compass point": (
        "Oslo:PROPN:3:nsubj is/be:AUX:3:cop north:ADV:0:root of:ADP:5:case Rome:PROPN:3:obl",
        "be north of(nsubj/ARG1 oslo; obl:of/ARG2 rome)",
    ),
    "a kind": (
        "Kim:PROPN:4:nsubj is/be:AUX:4:cop a:DET:4:det dentist:NOUN:0:root",
        "be a(nsubj/ARG1 kim; attr/ARG2 dentist)",
    ),
    "an adjective": (
        "The:DET:2:det soup:NOUN:4:nsubj is/be:AUX:4:cop salty:ADJ:0:root today:NOUN:4:obl:tmod",
        "be(nsubj/ARG1 soup; attr/ARG2 salty) @today",
    ),
    "no longer": (
        "Kim:PROPN:7:nsubj is/be:AUX:7:cop no:DET:4:advmod longer:ADV:7:advmod at:ADP:7:case the:DET:7:det"
        " bank:NOUN:0:root",
        "not be at(nsubj/ARG1 kim; obl:at/ARG2 bank)",
    ),
    "never": (
        "Kim:PROPN:3:nsubj never:ADV:3:advmod smokes/smoke:VERB:0:root",
        "not smoke(nsubj/ARG0 kim)",
    ),
    "conjoined subjects": (
        "Kim:PROPN:4:nsubj and:CCONJ:3:cc Lee:PROPN:1:conj danced/dance:VERB:0:root",
        "dance(nsubj/ARG0 kim & lee)",
    ),
    "conjoined objects": (
        "Kim:PROPN:2:nsubj sells/sell:VERB:0:root apples/apple:NOUN:2:obj ,:PUNCT:5:punct"
        " pears/pear:NOUN:3:conj"
        " and:CCONJ:7:cc figs/fig:NOUN:3:conj",
        "sell(nsubj/ARG0 kim; obj/ARG1 apple & pear & fig)",
    ),
    "either … or": (
        "Kim:PROPN:6:nsubj is/be:AUX:6:cop either:CCONJ:6:cc:preconj at:ADP:6:case the:DET:6:det"
        " bank:NOUN:0:root"
        " or:CCONJ:9:cc the:DET:9:det gym:NOUN:6:conj",
        "be at(nsubj/ARG1 kim; obl:at/ARG2 bank | gym)",
    ),
    "either … or with two prepositions": (
        "Kim:PROPN:5:nsubj is/be:AUX:5:cop either:CCONJ:5:cc:preconj at:ADP:5:case work:NOUN:0:root"
        " or:CCONJ:8:cc"
        " on:ADP:8:case holiday:NOUN:5:conj",
        "be at(nsubj/ARG1 kim; obl:at/ARG2 work; obl:on/ARG2 holiday)",
    ),
    "a fronted time": (
        "Last:ADJ:2:amod week:NOUN:4:obl:tmod Kim:PROPN:4:nsubj moved/move:VERB:0:root to:ADP:6:case"
        " Rome:PROPN:4:obl",
        "move(nsubj/ARG0 kim; obl:to/ARG2 rome) @last week",
    ),
    "a date says more than a link": (
        "Then:ADV:3:advmod Kim:PROPN:3:nsubj slept/sleep:VERB:0:root on:ADP:5:case Friday:PROPN:3:obl",
        "sleep(nsubj/ARG0 kim) @on friday",
    ),
    "after a thing is no date": (
        "Kim:PROPN:2:nsubj slept/sleep:VERB:0:root after:ADP:5:case the:DET:5:det concert:NOUN:2:obl",
        "sleep(nsubj/ARG0 kim; obl:after/ARGM-LOC concert)",
    ),
    "an adverb with a phrase of its own": (
        "Kim:PROPN:2:nsubj drove/drive:VERB:0:root back:ADV:2:advmod to:ADP:6:case the:DET:6:det"
        " farm:NOUN:3:obl",
        "drive(nsubj/ARG0 kim; obl:to/ARG2 farm)",
    ),
    "a place adverb": (
        "Kim:PROPN:2:nsubj parked/park:VERB:0:root there:ADV:2:advmod",
        "park(nsubj/ARG0 kim; advmod/ARGM-LOC there)",
    ),
    "shared subjects": (
        "Kim:PROPN:2:nsubj sat/sit:VERB:0:root and:CCONJ:4:cc ate/eat:VERB:2:conj",
        "sit(nsubj/ARG0 kim) + eat(nsubj/ARG0 kim)",
    ),
    "a controlled subject": (
        "Kim:PROPN:2:nsubj told/tell:VERB:0:root Lee:PROPN:2:obj to:PART:5:mark leave:VERB:2:xcomp",
        "tell(nsubj/ARG0 kim; obj/ARG1 lee; xcomp/ARG1 leave) + leave(nsubj/ARG0 lee)",
    ),
    "a relative clause": (
        "The:DET:2:det nurse:NOUN:5:nsubj who:PRON:4:nsubj sang/sing:VERB:2:acl:relcl left/leave:VERB:0:root",
        "sing(nsubj/ARG0 nurse) + leave(nsubj/ARG0 nurse)",
    ),
    "there is no subject in existence": (
        "There:PRON:2:expl is/be:VERB:0:root a:DET:4:det wasp:NOUN:2:nsubj in:ADP:7:case the:DET:7:det"
        " jam:NOUN:2:obl",
        "be(nsubj/ARG1 wasp; obl:in/ARGM-LOC jam)",
    ),
}
QUESTIONS = {
    "yes or no": (
        "Is/be:AUX:5:cop Kim:PROPN:5:nsubj at:ADP:5:case the:DET:5:det gym:NOUN:0:root ?:PUNCT:5:punct",
        "be at(nsubj/ARG1 kim; obl:at/ARG2 gym) ?",
    ),
    "yes or no without a mark": (
        "did/do:AUX:3:aux Kim:PROPN:3:nsubj sing:VERB:0:root",
        "sing(nsubj/ARG0 kim) ?",
    ),
    "where": (
        "Where:ADV:0:root is/be:AUX:1:cop Kim:PROPN:1:nsubj ?:PUNCT:1:punct",
        "be(nsubj/ARG1 kim) ?where = advmod:where/ARGM-LOC",
    ),
    "where, with a time that is an event": (
        "Where:ADV:0:root was/be:AUX:1:cop Kim:PROPN:1:nsubj before:ADP:6:case the:DET:6:det war:NOUN:1:obl"
        " ?:PUNCT:1:punct",
        "be(nsubj/ARG1 kim; obl:before/ARGM-LOC war) ?where = advmod:where/ARGM-LOC",
    ),
    "who as the subject": (
        "Who:PRON:2:nsubj broke/break:VERB:0:root the:DET:4:det vase:NOUN:2:obj ?:PUNCT:2:punct",
        "break(obj/ARG1 vase) ?who = nsubj/ARG0",
    ),
    "what as the object": (
        "What:PRON:4:obj is/be:AUX:4:aux Kim:PROPN:4:nsubj painting/paint:VERB:0:root ?:PUNCT:4:punct",
        "paint(nsubj/ARG0 kim) ?what = obj/ARG1",
    ),
    "a stranded receiver": (
        "Who:PRON:4:obl did/do:AUX:4:aux Kim:PROPN:4:nsubj lend:VERB:0:root the:DET:6:det kite:NOUN:4:obj"
        " to:ADP:1:case ?:PUNCT:4:punct",
        "lend(nsubj/ARG0 kim; obj/ARG1 kite) ?who = obl:to/ARG2",
    ),
    "two objects, one asked for": (
        "What:PRON:4:obj did/do:AUX:4:aux Kim:PROPN:4:nsubj lend:VERB:0:root Lee:PROPN:4:obj ?:PUNCT:4:punct",
        "lend(nsubj/ARG0 kim; obl:to/ARG2 lee) ?what = obj/ARG1",
    ),
    "a stranded preposition of an adjective": (
        "What:PRON:4:obl is/be:AUX:4:cop Kim:PROPN:4:nsubj fond:ADJ:0:root of:ADP:1:case ?:PUNCT:4:punct",
        "be fond of(nsubj/ARG1 kim) ?what = obl:of/ARG2",
    ),
    "a stranded preposition of the question word": (
        "What:PRON:0:root is/be:AUX:1:cop this:DET:4:det lever:NOUN:1:nsubj for:ADP:1:case ?:PUNCT:1:punct",
        "be for(nsubj/ARG1 lever) ?what = obl:for/ARG2",
    ),
    "the question word as subject of a relation": (
        "What:PRON:3:nsubj is/be:AUX:3:cop north:ADV:0:root of:ADP:5:case Rome:PROPN:3:obl ?:PUNCT:3:punct",
        "be north of(obl:of/ARG2 rome) ?what = nsubj/ARG1",
    ),
    "a question word as determiner": (
        "What:DET:2:det size:NOUN:0:root is/be:AUX:2:cop the:DET:5:det shirt:NOUN:2:nsubj ?:PUNCT:2:punct",
        "be(nsubj/ARG1 shirt) ?what size = attr/ARG2",
    ),
    "how many": (
        "How:ADV:2:advmod many:ADJ:3:amod goats/goat:NOUN:6:obj does/do:AUX:6:aux Kim:PROPN:6:nsubj"
        " own:VERB:0:root"
        " ?:PUNCT:6:punct",
        "own(nsubj/ARG0 kim) ?how many goat = obj/ARG1",
    ),
    "how": (
        "How:ADV:4:advmod do:AUX:4:aux you:PRON:4:nsubj travel:VERB:0:root from:ADP:6:case Oslo:PROPN:4:obl"
        " to:ADP:8:case Rome:PROPN:4:obl ?:PUNCT:4:punct",
        "travel(nsubj/ARG0 you; obl:from/ARGM-LOC oslo; obl:to/ARG2 rome) ?how = advmod:how/ARGM-MNR",
    ),
    "why": (
        "Why:ADV:4:advmod did/do:AUX:4:aux Kim:PROPN:4:nsubj laugh:VERB:0:root ?:PUNCT:4:punct",
        "laugh(nsubj/ARG0 kim) ?why = advmod:why/ARGM-CAU",
    ),
    "raised out of a clause below": (
        "What:PRON:5:obj does/do:AUX:4:aux Kim:PROPN:4:nsubj want:VERB:0:root buy:VERB:4:xcomp"
        " ?:PUNCT:4:punct",
        "want(nsubj/ARG0 kim; xcomp/ARG1 buy) ? + buy(nsubj/ARG0 kim) ?what = obj/ARG1",
    ),
    "an indirect question asks nothing": (
        "Kim:PROPN:2:nsubj knows/know:VERB:0:root where:ADV:5:advmod Lee:PROPN:5:nsubj"
        " lives/live:VERB:2:ccomp",
        "know(nsubj/ARG0 kim; ccomp/ARG1 live) + live(nsubj/ARG0 lee)",
    ),
}


@pytest.mark.parametrize(("words", "expected"), [*CASES.values(), *QUESTIONS.values()],
                         ids=[*CASES, *QUESTIONS])  # fmt: skip
def test_construction(words: str, expected: str) -> None:
    assert " + ".join(str(f) for f in extract_frames(tree(words))) == expected


def test_a_labeller_cannot_make_an_agent_of_what_a_passive_or_copula_is_about() -> None:
    passive = tree(
        "Kim:PROPN:3:nsubj:pass was/be:AUX:3:aux:pass sent/send/VBN:VERB:0:root a:DET:5:det kite:NOUN:3:obj"
        " by:ADP:7:case Lee:PROPN:3:obl"
    )
    (frame,) = extract_frames(passive, {3: {1: "ARG0", 5: "ARG1", 7: "ARGM-MNR"}})
    assert str(frame) == "send(obl:to/ARG2 kim; obj/ARG1 kite; nsubj/ARG0 lee)"
    copula = tree(
        "Who:PRON:4:obl is/be:AUX:4:cop Kim:PROPN:4:nsubj proud:ADJ:0:root of:ADP:1:case ?:PUNCT:4:punct"
    )
    (frame,) = extract_frames(copula, {2: {1: "ARGM-REC", 3: "ARG1"}})
    assert str(frame) == "be proud of(nsubj/ARG1 kim) ?who = obl:of/ARG2"


def test_a_verb_of_motion_may_ask_where_to() -> None:
    question = tree(
        "Where:ADV:4:advmod did/do:AUX:4:aux Kim:PROPN:4:nsubj sail:VERB:0:root ?:PUNCT:4:punct"
    )
    (frame,) = extract_frames(question, {4: {1: "ARG4", 3: "ARG0"}})
    assert str(frame) == "sail(nsubj/ARG0 kim) ?where = advmod:where/ARG4"
    (frame,) = extract_frames(question, {4: {1: "ARG1", 3: "ARG0"}})
    assert str(frame) == "sail(nsubj/ARG0 kim) ?where = advmod:where/ARGM-LOC"


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
