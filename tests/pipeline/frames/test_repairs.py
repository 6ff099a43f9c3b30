"""Each repair on a tree as a small parser gives it, and on one that must be left alone."""

import pytest

from babi_cascade.pipeline.frames import extract_frames
from babi_cascade.pipeline.frames.repairs import repaired
from babi_cascade.pipeline.frames.repairs.changes import changed
from tests.pipeline.frames.small_trees import tree

WRONG_TREES = {
    "a passive subject without a passive auxiliary is a subject": (
        "Kim:PROPN:2:nsubj:pass baked/bake/VBN:VERB:0:root bread:NOUN:2:obj",
        "bake(nsubj kim; obj bread)",
    ),
    "determiner + adjective + noun is one phrase": (
        "The:DET:3:det scarlet/scarlet:ADJ:3:nsubj kite:NOUN:4:nsubj rose/rise:VERB:0:root",
        "rise(nsubj scarlet kite)",
    ),
    "a word that is only a particle introduces no noun": (
        "Kim:PROPN:2:nsubj pushed/push:VERB:0:root aside:ADP:5:case the:DET:5:det curtain:NOUN:2:obl",
        "push aside(nsubj kim; obj curtain)",
    ),
    "a case-marked object is an oblique": (
        "Kim:PROPN:2:nsubj jogged/jog:VERB:0:root to:ADP:5:case the:DET:5:det pier:NOUN:2:obj",
        "jog(nsubj kim; obl:to pier)",
    ),
    "adverb + determiner + noun is a case phrase": (
        "Kim:PROPN:2:nsubj hid/hide:VERB:0:root underneath:ADV:2:advmod the:DET:5:det stage:NOUN:2:obj",
        "hide(nsubj kim; obl:underneath stage)",
    ),
    "an adverb that a copula made its head": (
        "The:DET:2:det cave:NOUN:4:nsubj is/be:AUX:4:cop beneath:ADV:0:root the:DET:6:det castle:NOUN:4:obl",
        "be beneath(nsubj cave; obl:beneath castle)",
    ),
    "a fronted link is no clause": (
        "After:SCONJ:4:mark that:PRON:4:nsubj Kim:PROPN:4:nsubj wept/weep:VERB:0:root",
        "weep(nsubj kim) @after that",
    ),
    "a preposition that looks like a verb": (
        "Following/follow/VBG:VERB:5:advcl this:PRON:1:obj the:DET:4:det nurse:NOUN:5:nsubj"
        " wept/weep:VERB:0:root",
        "weep(nsubj nurse) @following this",
    ),
    "a time before a name": (
        "Tomorrow:NOUN:2:compound Kim:PROPN:3:nsubj marries/marry:VERB:0:root Lee:PROPN:3:obj",
        "marry(nsubj kim; obj lee) @tomorrow",
    ),
    "a time taken for the subject": (
        "This:DET:2:det week:NOUN:4:nsubj Kim:PROPN:2:appos rests/rest:VERB:0:root",
        "rest(nsubj kim) @this week",
    ),
    "a time behind a place": (
        "Kim:PROPN:2:nsubj flew/fly:VERB:0:root to:ADP:4:case Rome:PROPN:2:obl last:ADJ:6:amod"
        " month:NOUN:4:nmod:tmod",
        "fly(nsubj kim; obl:to rome) @last month",
    ),
    "a time preposition modifies the clause": (
        "Where:ADV:0:root was/be:AUX:1:cop Kim:PROPN:1:nsubj before:ADP:6:case the:DET:6:det"
        " storm:NOUN:3:nmod"
        " ?:PUNCT:1:punct",
        "be(nsubj kim; obl:before storm) ?where = advmod:where",
    ),
    "a stranded preposition of a verb": (
        "Who:PRON:4:obj did/do:AUX:4:aux Kim:PROPN:4:nsubj argue:VERB:0:root with:ADP:4:obl ?:PUNCT:4:punct",
        "argue(nsubj kim) ?who = obl:with",
    ),
    "a stranded preposition of an adjective": (
        "What:PRON:0:root is/be:AUX:1:cop Kim:PROPN:1:nsubj proud:ADJ:3:amod of:ADP:4:case ?:PUNCT:1:punct",
        "be proud of(nsubj kim) ?what = obl:of",
    ),
    "a stranded preposition of a compass point": (
        "What:PRON:0:root is/be:AUX:1:cop the:DET:5:det lake:NOUN:5:compound east:NOUN:1:nsubj of:ADP:1:case"
        " ?:PUNCT:1:punct",
        "be east of(nsubj lake) ?what = obl:of",
    ),
    "the question word is the subject of a relation": (
        "What:PRON:0:root is/be:AUX:1:cop west:NOUN:1:nsubj of:ADP:5:case Oslo:PROPN:3:nmod ?:PUNCT:1:punct",
        "be west of(obl:of oslo) ?what = nsubj",
    ),
    "an inverted copula with a phrase": (
        "Is/be:AUX:2:cop Kim:PROPN:0:root at:ADP:5:case the:DET:5:det pier:NOUN:2:nmod ?:PUNCT:2:punct",
        "be at(nsubj kim; obl:at pier) ?",
    ),
    "an inverted copula with an adjective": (
        "Is/be:AUX:3:cop the:DET:3:det tower:NOUN:0:root older/old/JJR:ADJ:3:amod than:ADP:7:case"
        " the:DET:7:det"
        " bridge:NOUN:4:obl ?:PUNCT:3:punct",
        "be older than(nsubj tower; obl:than bridge) ?",
    ),
    "an inverted copula that was taken for a verb": (
        "Is/be:AUX:0:root the:DET:3:det harbour:NOUN:1:nsubj behind:ADP:6:case the:DET:6:det hill:NOUN:3:nmod"
        " ?:PUNCT:1:punct",
        "be behind(nsubj harbour; obl:behind hill) ?",
    ),
    "a copula under the subject": (
        "Is/be:AUX:2:cop Kim:PROPN:5:nsubj at:ADP:5:case the:DET:5:det pier:NOUN:0:root ?:PUNCT:5:punct",
        "be at(nsubj kim; obl:at pier) ?",
    ),
    "an auxiliary under a name": (
        "Is/be:AUX:2:aux:pass Alfred/alfr:VERB:0:root in:ADP:4:case Rome:PROPN:2:obl ?:PUNCT:2:punct",
        "be in(nsubj alfred; obl:in rome) ?",
    ),
    "a question adverb under a name": (
        "Where:ADV:3:advmod was/be:AUX:3:cop Kim:PROPN:0:root after:ADP:6:case the:DET:6:det war:NOUN:3:obl"
        " ?:PUNCT:3:punct",
        "be(nsubj kim; obl:after war) ?where = advmod:where",
    ),
    "a relation below its complement": (
        "Oslo:PROPN:5:nsubj is/be:AUX:5:cop south:ADV:5:advmod of:ADP:5:case Bergen:PROPN:0:root",
        "be south of(nsubj oslo; obl:of bergen)",
    ),
    "a relation below the subject it was given": (
        "What:PRON:0:root is/be:AUX:1:cop east:ADV:5:advmod of:ADP:5:case Oslo:PROPN:1:nsubj ?:PUNCT:1:punct",
        "be east of(obl:of oslo) ?what = nsubj",
    ),
    "the subject of an inverted comparison": (
        "Is/be:AUX:4:cop the:DET:3:det tower:NOUN:4:obl:unmarked older/old/JJR:ADJ:0:root than:ADP:7:case"
        " the:DET:7:det bridge:NOUN:4:obl ?:PUNCT:4:punct",
        "be older than(nsubj tower; obl:than bridge) ?",
    ),
    "a subject with the tag of an adjective": (
        "Is/be:AUX:4:cop the:DET:4:det gravel:ADJ:4:amod finer/fine/JJR:ADJ:0:root than:ADP:6:case"
        " sand:NOUN:4:obl ?:PUNCT:4:punct",
        "be finer than(nsubj gravel; obl:than sand) ?",
    ),
    "a subject taken for an address": (
        "What:DET:2:det size:NOUN:0:root is/be:AUX:2:cop Kim:PROPN:2:vocative ?:PUNCT:2:punct",
        "be(nsubj kim) ?what size = attr",
    ),
    "a subject before a finite verb": (
        "Kim:PROPN:2:vocative swam/swim/VBD:VERB:0:root home:ADV:2:advmod",
        "swim(nsubj kim; advmod home)",
    ),
    "a subject taken for the sentence": (
        "Winfred:ADJ:0:root swam/swim/VBD:VERB:1:conj in:ADP:5:case the:DET:5:det lake:NOUN:2:obl",
        "swim(nsubj winfred; obl:in lake)",
    ),
    "a fronted object": (
        "How:ADV:2:advmod many:ADJ:3:amod goats/goat:NOUN:6:nsubj does/do:AUX:6:aux Kim:PROPN:6:nsubj"
        " own:VERB:0:root ?:PUNCT:6:punct",
        "own(nsubj kim) ?how many goat = obj",
    ),
    "a name between auxiliary and verb": (
        "Where:ADV:3:advmod will:AUX:3:aux brad:VERB:4:reparandum swim:VERB:0:root ?:PUNCT:4:punct",
        "swim(nsubj brad) ?where = advmod:where",
    ),
    "a verb that do-support asks for": (
        "Does/do:AUX:0:root the:DET:4:det key:NOUN:4:compound match:NOUN:1:obj with:ADP:7:case the:DET:7:det"
        " lock:NOUN:4:nmod ?:PUNCT:1:punct",
        "match(nsubj key; obl:with lock) ?",
    ),
    "a verb inside the subject of do-support": (
        "Does/do:AUX:0:root the:DET:3:det jar:NOUN:1:nsubj of:ADP:5:case nails/nail:NOUN:3:nmod"
        " sink:VERB:5:acl"
        " ?:PUNCT:1:punct",
        "sink(nsubj jar of nail) ?",
    ),
    "a sentence that seems to have no verb": (
        "The:DET:3:det lid:NOUN:3:compound rests/rest/NNS:NOUN:0:root upon:ADP:6:case the:DET:6:det"
        " jar:NOUN:3:nmod"
        " .:PUNCT:3:punct",
        "rest(nsubj lid; obl:upon jar)",
    ),
    "a verb that hangs under the subject": (
        "The:DET:2:det jar:NOUN:0:root of:ADP:4:case nails/nail:NOUN:2:nmod rests/rest/NNS:NOUN:2:nmod"
        " upon:ADP:8:case the:DET:8:det shelf:NOUN:5:nmod .:PUNCT:2:punct",
        "rest(nsubj jar of nail; obl:upon shelf)",
    ),
    "a link taken for the main verb": (
        "Following/follow/VBG:VERB:0:root that:SCONJ:4:mark she:PRON:4:nsubj wept/weep/VBD:VERB:1:ccomp",
        "weep(nsubj she) @following that",
    ),
    "a time with a relative clause": (
        "This:DET:2:det winter:NOUN:0:root Kim:PROPN:4:nsubj skied/ski/VBD:VERB:2:acl:relcl .:PUNCT:2:punct",
        "ski(nsubj kim) @this winter",
    ),
    "a place below a time": (
        "Kim:PROPN:2:nsubj drove/drive:VERB:0:root to:ADP:6:case the:DET:6:det lake:NOUN:6:compound"
        " yesterday:NOUN:2:obl",
        "drive(nsubj kim; obl:to lake) @yesterday",
    ),
    "a place below a time with a demonstrative": (
        "Kim:PROPN:2:nsubj drove/drive:VERB:0:root to:ADP:7:case the:DET:7:det lake:NOUN:7:compound"
        " this:DET:7:det week:NOUN:2:obl",
        "drive(nsubj kim; obl:to lake) @this week",
    ),
    "a way below the time behind it": (
        "Kim:PROPN:2:nsubj drove/drive:VERB:0:root back:ADV:8:advmod to:ADP:6:case the:DET:6:det"
        " lake:NOUN:3:obl this:DET:8:det week:NOUN:2:obl:tmod",
        "drive(nsubj kim; obl:to lake) @this week",
    ),
    "a demonstrative that was given to the name": (
        "This:DET:3:det week:NOUN:3:compound Kim:PROPN:4:nsubj rests/rest:VERB:0:root",
        "rest(nsubj kim) @this week",
    ),
    "a goal inside a source": (
        "Kim:PROPN:2:nsubj sailed/sail:VERB:0:root from:ADP:4:case Oslo:PROPN:2:obl to:ADP:6:case"
        " Bergen:PROPN:4:nmod",
        "sail(nsubj kim; obl:from oslo; obl:to bergen)",
    ),
    "a particle taken for a preposition": (
        "Kim:PROPN:2:nsubj put/put:VERB:0:root away:ADP:5:case the:DET:5:det violin:NOUN:2:obl",
        "put away(nsubj kim; obj violin)",
    ),
    "a demonstrative away from its time": (
        "This:DET:3:det week:NOUN:4:obl:unmarked Kim:PROPN:4:nsubj rests/rest:VERB:0:root",
        "rest(nsubj kim) @this week",
    ),
    "how belongs to many": (
        "How:ADV:5:advmod many:ADJ:3:amod goats/goat:NOUN:6:nsubj does/do:AUX:6:aux Kim:PROPN:6:nsubj"
        " own:VERB:0:root ?:PUNCT:6:punct",
        "own(nsubj kim) ?how many goat = obj",
    ),
    "an of-phrase of the subject": (
        "Is/be:AUX:6:cop the:DET:3:det jar:NOUN:6:nsubj of:ADP:5:case nails/nail:NOUN:6:obl"
        " heavier/heavy/JJR:ADJ:0:root than:ADP:9:case the:DET:9:det brick:NOUN:6:obl ?:PUNCT:6:punct",
        "be heavier than(nsubj jar of nail; obl:than brick) ?",
    ),
    "an auxiliary under an adjective": (
        "Kim:PROPN:3:nsubj is/be:AUX:3:aux hoarse:ADJ:0:root",
        "be(nsubj kim; attr hoarse)",
    ),
    "a noun that modifies a finite verb": (
        "The:DET:2:det lid:NOUN:3:amod rests/rest/VBZ:VERB:0:root upon:ADP:6:case the:DET:6:det"
        " jar:NOUN:3:obl",
        "rest(nsubj lid; obl:upon jar)",
    ),
    "a particle of a verb that would lack its object": (
        "Kim:PROPN:2:nsubj brought/bring:VERB:0:root down:ADP:5:case the:DET:5:det violin:NOUN:2:obl",
        "bring down(nsubj kim; obj violin)",
    ),
    "a bare oblique after a particle": (
        "Kim:PROPN:2:nsubj switched/switch:VERB:0:root off:ADP:2:compound:prt the:DET:5:det radio:NOUN:2:obl",
        "switch off(nsubj kim; obj radio)",
    ),
    "a receiver inside the object": (
        "Kim:PROPN:2:nsubj handed/hand:VERB:0:root the:DET:4:det parcel:NOUN:2:obj to:ADP:6:case"
        " Lee:PROPN:4:nmod",
        "hand(nsubj kim; obj parcel; obl:to lee)",
    ),
    "a passive taken for an active": (
        "The:DET:2:det nurse:NOUN:4:nsubj was/be:AUX:4:aux sent/send/VBN:VERB:0:root a:DET:6:det"
        " parcel:NOUN:4:obj by:ADP:8:case Lee:PROPN:4:obl",
        "send(obl:to nurse; obj parcel; nsubj lee)",
    ),
    "a passive with an agent, of a verb that is not known": (
        "The:DET:2:det kite:NOUN:4:nsubj was/be:AUX:4:aux zapped/zap/VBN:VERB:0:root by:ADP:6:case"
        " Lee:PROPN:4:obl",
        "zap(obj kite; nsubj lee)",
    ),
}
RIGHT_TREES = {
    "a state after being": "Kim:PROPN:3:nsubj was/be:AUX:3:aux gone/go/VBN:VERB:0:root",
    "a perfect": (
        "Kim:PROPN:3:nsubj has/have:AUX:3:aux sent/send/VBN:VERB:0:root a:DET:5:det parcel:NOUN:3:obj"
    ),
    "a true passive": "Kim:PROPN:3:nsubj:pass was/be:AUX:3:aux:pass seen/see:VERB:0:root",
    "an adverb that only stresses": (
        "Kim:PROPN:2:nsubj saw/see:VERB:0:root only:ADV:5:advmod the:DET:5:det stage:NOUN:2:obj"
    ),
    "a thing with a goal": (
        "Kim:PROPN:2:nsubj built/build:VERB:0:root the:DET:4:det road:NOUN:2:obj to:ADP:7:case the:DET:7:det"
        " pier:NOUN:4:nmod"
    ),
    "a flight to somewhere": (
        "Kim:PROPN:2:nsubj booked/book:VERB:0:root a:DET:4:det flight:NOUN:2:obj to:ADP:6:case"
        " Rome:PROPN:4:nmod"
    ),
    "a preposition after a verb of motion": (
        "Kim:PROPN:2:nsubj ran/run:VERB:0:root down:ADP:5:case the:DET:5:det hill:NOUN:2:obl"
    ),
    "an address": "Kim:PROPN:3:vocative ,:PUNCT:1:punct leave/leave/VB:VERB:0:root !:PUNCT:3:punct",
    "a time of its own": (
        "During:ADP:3:case this:DET:3:det period:NOUN:5:obl they:PRON:5:nsubj rested/rest:VERB:0:root"
    ),
    "a price": "The:DET:2:det menu:NOUN:0:root for:ADP:4:case kids/kid:NOUN:2:nmod .:PUNCT:2:punct",
    "more than a number": (
        "We:PRON:6:nsubj are/be:AUX:6:cop more/more/JJR:ADJ:5:advmod than:ADP:3:fixed two:NUM:6:nummod"
        " people/person:NOUN:0:root"
    ),
    "a title": "Read:VERB:0:root A:DET:3:det Charge:NOUN:1:obj To:PART:5:mark Keep/keep:VERB:3:acl",
    "a conjunction": (
        "After:SCONJ:3:mark Kim:PROPN:3:nsubj left/leave:VERB:5:advcl Lee:PROPN:5:nsubj wept/weep:VERB:0:root"
    ),
    "a question for a thing": (
        "What:PRON:0:root is/be:AUX:1:cop the:DET:5:det red:ADJ:5:amod lever:NOUN:1:nsubj for:ADP:1:case"
    ),
    "a description": (
        "Is/be:AUX:4:cop this:PRON:4:nsubj the:DET:4:det road:NOUN:0:root to:ADP:6:case Rome:PROPN:4:nmod"
    ),
}


@pytest.mark.parametrize(("words", "expected"), WRONG_TREES.values(), ids=WRONG_TREES)
def test_repair(words: str, expected: str) -> None:
    assert " + ".join(str(f) for f in extract_frames(tree(words))) == expected


@pytest.mark.parametrize("words", RIGHT_TREES.values(), ids=RIGHT_TREES)
def test_a_right_tree_stays(words: str) -> None:
    given = tree(words)
    assert repaired(given) == given


def test_a_change_that_would_close_a_circle_is_left_out() -> None:
    given = tree("a:X:2:dep b:X:0:root")
    assert changed(given, {2: (1, "dep")}) == given
    assert changed(given, {2: (2, "dep")}) == given
