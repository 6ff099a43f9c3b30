"""A world of made-up verbs, simulated here: what the learner is told is frames and answers."""

from __future__ import annotations

import random

from babi_cascade.features.outline import Outline, outline_frames
from babi_cascade.pipeline.frames import Asked, Frame
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from tests.features.reading import argument, asked, sentence

PEOPLE = ("ana", "bo", "cy")
PLACES = ("pier", "barn", "mill", "shed")
THINGS = ("kite", "lamp", "drum")
MOVES, TAKES, DROPS, GIVES = ("zop", "zim"), ("mip", "mog"), ("dax", "dop"), ("fep", "fub")


def said(verb: str, **roles: str) -> ReadSentence:
    told = tuple(argument(name.replace("_", ":"), phrase) for name, phrase in roles.items())
    return sentence(f"{verb} {' '.join(roles.values())}", Frame(verb, 1, told))


def question(word: str, verb: str, relation: str, **roles: str) -> ReadSentence:
    told = tuple(argument(name.replace("_", ":"), phrase) for name, phrase in roles.items())
    frame = Frame(verb, 1, told, question="wh", asks=Asked(word, relation, ""))
    return sentence(f"{word} {verb} {' '.join(roles.values())}?", frame)


def story(
    seed: int, length: int = 24, verbs: tuple[tuple[str, ...], ...] = (MOVES, TAKES, DROPS, GIVES)
) -> list[ReadQuestion]:
    """Questions about one story: where a thing is, where it was before, what somebody has, how many."""
    dice = random.Random(seed)
    moves, takes, drops, gives = verbs
    places = {who: dice.choice(PLACES) for who in PEOPLE} | {t: dice.choice(PLACES) for t in THINGS}
    holder: dict[str, str] = {}
    been: dict[str, list[str]] = {thing: [] for thing in THINGS}
    facts: list[ReadSentence] = []
    known: set[str] = set()
    while len(facts) < length:
        who = dice.choice(PEOPLE)
        own = [thing for thing in THINGS if holder.get(thing) == who]
        here = [t for t in THINGS if t not in holder and places[t] == places[who]]
        others = [each for each in PEOPLE if each != who and places[each] == places[who]]
        act = dice.choice(("move", "move", "take", "drop", "give"))
        if act == "move" or who not in known:
            place = dice.choice([each for each in PLACES if each != places[who]])
            facts.append(said(dice.choice(moves), nsubj=who, obl_to=place))
            places[who] = place
            known.add(who)
        elif act == "take" and here:
            thing = dice.choice(here)
            facts.append(said(dice.choice(takes), nsubj=who, obj=thing))
            holder[thing] = who
        elif act == "drop" and own:
            thing = dice.choice(own)
            facts.append(said(dice.choice(drops), nsubj=who, obj=thing))
            del holder[thing]
        elif act == "give" and own and others:
            thing, other = dice.choice(own), dice.choice(others)
            facts.append(said(dice.choice(gives), nsubj=who, obj=thing, obl_to=other))
            holder[thing] = other
            known.add(other)
        for thing, each in holder.items():
            places[thing] = places[each]
            if not been[thing] or been[thing][-1] != places[thing]:
                been[thing].append(places[thing])
    told = tuple(facts)
    found = []
    for thing in THINGS:
        if been[thing]:
            found.append(asked(told, question("where", "be", "advmod", nsubj=thing), places[thing]))
        if len(been[thing]) > 1:
            before = question("where", "be", "advmod", nsubj=thing, obl_before=places[thing])
            found.append(asked(told, before, been[thing][-2]))
    who = dice.choice(PEOPLE)
    own = [thing for thing in THINGS if holder.get(thing) == who]
    found.append(asked(told, question("how many", "hold", "obj", nsubj=who), f"{len(own)} things"))
    return found


def questions(n: int, first: int = 0, **options: object) -> list[ReadQuestion]:
    return [each for seed in range(first, first + n) for each in story(seed, **options)]  # type: ignore[arg-type]


def outlined(read: ReadSentence) -> Outline:
    return outline_frames(read)
