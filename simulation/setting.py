"""What a story is told with: the cast of a task and the knobs that a user may turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon import RELEASED, Lexicon


@dataclass(frozen=True)
class Knobs:
    """What the paper's discussion asks to vary; None leaves it as in the released data.

    ``distance`` is how many facts back a question may start from (the released data: 1 to 5);
    ``distractors`` is the number of statements about people who are never asked about, added before
    each question; ``descriptions`` the share of later mentions of a person that are told by a
    description instead of the name, which ``introductions`` adds to the name where it comes first
    ("John, the old man, went …"); ``pronoun_distance`` how many statements a pronoun comes after
    the one that names whom it stands for.
    """

    people: int | None = None
    places: int | None = None
    things: int | None = None
    questions_per_story: int | None = None
    statements_per_question: int | None = None
    distractors: int = 0
    distance: tuple[int, int] = (1, 5)
    synonyms: bool = True
    descriptions: float = 0.0
    introductions: bool = False
    pronoun_distance: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        limits = {
            "people": (2, 1000), "places": (3, 1000), "things": (1, 10),
            "questions_per_story": (1, 10_000), "statements_per_question": (1, 10_000),
            "distractors": (0, 10_000),
        }  # fmt: skip
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise SimulationError(
                    f"{name} is {value}, expected a number from {least} to {most}"
                )
        for name, most in (("distance", 10_000), ("pronoun_distance", 100)):
            nearest, farthest = getattr(self, name)
            if not 1 <= nearest <= farthest <= most:
                raise SimulationError(
                    f"{name} is {nearest}-{farthest}, expected two numbers from 1 to {most}, "
                    "the smaller first"
                )
        if not 0 <= self.descriptions <= 1:
            raise SimulationError(
                f"descriptions is {self.descriptions}, expected a share from 0 to 1"
            )


@dataclass(frozen=True)
class Setting:
    """The cast of one task after the knobs were applied."""

    people: tuple[str, ...]
    rooms: tuple[str, ...]
    things: tuple[str, ...]
    animals: tuple[str, ...]
    species: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: tuple[str, ...]
    small_boxes: tuple[str, ...]
    large_boxes: tuple[str, ...]
    states: tuple[str, ...]
    times: tuple[str, ...]
    goals: dict[str, tuple[str, str]] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    bystanders: tuple[str, ...] = ()
    knobs: Knobs = Knobs()
    wording: str = RELEASED

    @property
    def like_paper(self) -> bool:
        """Whether stories are told as in the tables of the paper, with more forms than the released ones."""
        return self.wording != RELEASED

    @property
    def typed(self) -> bool:
        """Whether people also ask what the tasks never do, of a single statement."""
        return self.wording == "people"

    @classmethod
    def of(cls, lexicon: Lexicon, knobs: Knobs) -> Setting:
        """Return the setting of the task whose lexicon this is."""
        setting = cls(
            **{name: lexicon.casts[name] for name in (
                "people", "rooms", "things", "animals", "species", "colours", "shapes",
                "small_boxes", "large_boxes", "states", "times",
            )},
            goals={
                state: (lexicon.entities[state].room, lexicon.entities[state].thing)
                for state in lexicon.casts["states"]
            },
            genders={entity.id: entity.gender for entity in lexicon.entities.values()},
            knobs=knobs,
            wording=lexicon.wording,
        )  # fmt: skip
        people = resized(lexicon, "people", setting.people, knobs.people)
        boxes = resized(
            lexicon, "boxes", (*setting.small_boxes, *setting.large_boxes),
            None if knobs.things is None else max(knobs.things, 3),
        )  # fmt: skip
        small = min(len(setting.small_boxes), max(0, len(boxes) - 3))
        bystanders = tuple(p for p in lexicon.of_kind("people") if p not in people)[:4]
        if knobs.distractors and not bystanders:
            raise SimulationError(
                f"{lexicon.source}: distractors need people who are not in the cast, and all "
                f"{len(people)} are; give more people in the lexicon or ask for fewer"
            )
        return replace(
            setting,
            people=people,
            rooms=resized(lexicon, "rooms", setting.rooms, knobs.places),
            things=resized(lexicon, "things", setting.things, knobs.things),
            shapes=resized(
                lexicon, "shapes", setting.shapes,
                None if knobs.things is None else max(knobs.things, 3),
            ),
            small_boxes=boxes[:small],
            large_boxes=boxes[small:],
            bystanders=bystanders,
        )  # fmt: skip


def resized(
    lexicon: Lexicon, kind: str, cast: tuple[str, ...], count: int | None
) -> tuple[str, ...]:
    """Cut a cast to ``count`` members, or fill it up with entities that stand by."""
    if count is None:
        return cast
    pool = [*cast, *(name for name in lexicon.of_kind(kind) if name not in cast)]
    if count > len(pool):
        raise SimulationError(
            f"{count} {kind} are asked for, but the lexicon of {lexicon.language!r} knows {len(pool)}; "
            "give more in a file with --lexicon"
        )
    return tuple(pool[:count])
