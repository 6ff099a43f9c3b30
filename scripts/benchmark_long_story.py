"""What one question about a long story takes: memory beyond the model's own, and processor seconds.

Half of the sentences are like none in training. Words only, so that nothing but the engine is measured; each
length in a process of its own, since a peak never falls again.

    python scripts/benchmark_long_story.py --facts 1000 5000 20000 --preset extended
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade import Cascade, Question, Sentence

PEOPLE = ("Ana", "Tom", "Ida", "Max")
PLACES = ("harbour", "mill", "barn", "forest", "office")
Visits = dict[str, tuple[str, int]]


def told(facts: int, dice: random.Random, noise: int = 0) -> tuple[tuple[Sentence, ...], Visits]:
    """Return a story and where everybody was last, with the line that says so."""
    sentences, last = [], {}
    for line in range(1, facts + 1):
        who, where = dice.choice(PEOPLE), dice.choice(PLACES)
        if noise and dice.random() < 0.5:
            words = [f"w{dice.randrange(noise)}" for _ in range(3)]
            sentences.append(Sentence(line, "The {} {} and {} said.".format(*words)))
        else:
            sentences.append(Sentence(line, f"{who} went to the {where}."))
            last[who] = (where, line)
    return tuple(sentences), last


def asked(story: tuple[Sentence, ...], last: Visits, who: str) -> Question:
    """Return a question about somebody's place."""
    where, line = last[who]
    return Question(len(story) + 1, f"Where is {who}?", where, (line,), story)


def measured(facts: int, preset: str) -> str:
    """Train on short stories, ask one question about a long one, and return a row of the table."""
    dice = random.Random(0)
    training = []
    for _ in range(60):
        story, last = told(8, dice)
        training.append(asked(story, last, dice.choice(sorted(last))))
    cascade = Cascade(preset=preset, longest_story=facts).fit(training)
    cascade.answer(training[:3])
    question = asked(*told(facts, dice, noise=3000), who=PEOPLE[0])
    before, start = peak(), time.process_time()
    (found,) = cascade.answer([question])
    right = "right" if found.answer == question.answer else "wrong"
    seconds = time.process_time() - start
    return f"{preset:9} {facts:7d} {peak() - before:9.0f} {seconds:9.2f}  {right}"


def peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Measure every length in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", type=int, nargs="+", default=[1000, 5000, 20_000])
    parser.add_argument("--preset", default="extended", choices=["extended", "paper"])
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.here:
        print(measured(chosen.facts[0], chosen.preset), flush=True)
        return
    print(f"{'preset':9} {'facts':>7} {'MB':>9} {'CPU s':>9}  answer", flush=True)
    for facts in chosen.facts:
        own = [sys.executable, __file__, "--here", "--preset", chosen.preset, "--facts", str(facts)]
        subprocess.run(own, check=True)


if __name__ == "__main__":
    main()
