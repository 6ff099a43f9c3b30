"""Words: a user's own take the place of the shipped ones, and whatever is wrong is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.grammar import ROLES, SLOT, Grammar
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.tasks import TASKS

SHIPPED = ("en", "hn", "symbolic")
OTHER_WORDS = """
people = [
  { word = "Ada", gender = "f" }, { word = "Otto", gender = "m" }, { word = "Ida", gender = "f" },
  { word = "Emil", gender = "m" }, { word = "Uma", gender = "f" }, { word = "Karl", gender = "m" },
]
rooms = ["barn", "cave", "tower", "market", "harbour", "mill", "wine cellar"]
things = ["rope", "kettle", "drum", "mirror"]
animals = [
  { word = "ox", plural = "oxen" }, { word = "louse", plural = "lice" },
  { word = "crow", plural = "crows" }, { word = "hen", plural = "hens" },
]
species = ["newt", "yak", "ibis", "emu"]
colours = ["teal", "mauve", "ochre"]
shapes = ["star", "hexagon", "small cone", "ring"]
boxes = ["thimble", "jar", "bucket", "cask", "wagon"]
states = [
  { word = "weary", room = "barn", thing = "rope" },
  { word = "curious", room = "tower", thing = "mirror" },
]
[groups]
go = ["strolled to", "hurried to"]
get = ["seized"]
drop = ["abandoned"]
give = ["lent"]
"""
NEW_VERBS = {"strolled", "hurried", "seized", "abandoned", "lent"}
OLD_VERBS = {"went", "journeyed", "travelled", "moved", "picked", "got", "grabbed", "took", "dropped",
             "discarded", "gave", "handed", "passed"}  # fmt: skip


def with_words(tmp_path: Path, text: str | bytes) -> Lexicon:
    """Return the English lexicon with the words of a file."""
    path = tmp_path / "words.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_lexicon("en").with_words(path)


def entity_words(lexicon: Lexicon) -> set[str]:
    """Return all words of the entities that a user may replace."""
    return {
        word.lower()
        for entity in lexicon.entities.values()
        if entity.kind not in ("times", "values")
        for spellings in entity.forms.values()
        for spelling in spellings
        for word in spelling.split()
    }


def words_of(lines: list[str]) -> set[str]:
    """Return the words of some lines in small letters."""
    return {word.lower() for line in lines for word in re.findall(r"[A-Za-z]+", line)}


@pytest.mark.parametrize("number", TASKS)
def test_a_story_uses_only_the_new_words(number: int, tmp_path: Path):
    lexicon = with_words(tmp_path, OTHER_WORDS)
    order = Order([TASKS[number]], train=60, test=0, lexicon=lexicon, check=True)
    (path,) = generate(order, tmp_path / "out").files
    lines = path.read_text(encoding="utf-8").splitlines()
    new, old = entity_words(lexicon), entity_words(load_lexicon("en"))
    # "of" is part of an old name ("box of chocolates") and of sentences.
    assert not words_of(lines) & (old - new - {"of"})
    assert words_of(lines) & new
    statements = [line for line in lines if "\t" not in line]  # "Who gave …?" is no action
    assert not words_of(statements) & OLD_VERBS
    assert all(line.count("wine") == line.count("wine cellar") for line in lines)


def test_new_verbs_are_all_used(tmp_path: Path):
    order = Order([TASKS[5]], train=60, test=0, lexicon=with_words(tmp_path, OTHER_WORDS))
    (path,) = generate(order, tmp_path / "out").files
    assert set(re.findall(r"\w+", path.read_text(encoding="utf-8"))) >= NEW_VERBS


def test_single_phrases_are_replaced_and_the_rest_stays(tmp_path: Path):
    lexicon = with_words(tmp_path, '[statements]\nbe_in = ["{who} stays in the {where}."]\n')
    order = Order([TASKS[9]], train=60, test=0, lexicon=lexicon, check=True)
    text = generate(order, tmp_path / "out").files[0].read_text(encoding="utf-8")
    assert "stays in the" in text
    assert not re.search(r"[A-Z]\w+ is in the", text)
    assert re.search(r"is (not|no longer) in the", text)


def test_an_empty_file_changes_nothing(tmp_path: Path):
    changed, shipped = with_words(tmp_path, ""), load_lexicon("en")
    assert (changed.entities, changed.casts) == (shipped.entities, shipped.casts)
    assert changed.statements == shipped.statements


TWO = '{ word = "Ada", gender = "f" }, '


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('persons = ["Ada"]', "unknown key 'persons'"),
        ('times = ["noon", "dusk"]', "unknown key 'times'"),
        (f'people = [{TWO} "Otto"]', "people, entry 2: .*gender"),
        (f'people = [{TWO} {{ word = "Otto", gender = "x" }}]', "people, entry 2: gender is 'x'"),
        (f"people = [{TWO}]", "1 people, expected at least 2"),
        (f"people = [{TWO} {TWO}]", "people, entry 2: 'Ada' is there twice"),
        ('people = [{ gender = "f" }]', "people, entry 1: .*`word`"),
        ('people = "Ada"', "people is 'Ada', expected a list"),
        ('rooms = ["barn", "Barn", "cave"]', "rooms, entry 2: 'Barn' is there twice"),
        ('rooms = ["kitchen", "garden"]', "2 rooms, expected at least 3"),
        ('rooms = ["barn", "cave", "mill"]', "'hungry' points to 'kitchen'.*rooms"),
        ('things = ["rope"]', "'hungry' points to 'apple'.*things"),
        ('rooms = ["kitchen", "garden", "apple"]', "rooms: the word 'apple' is already .*things"),
        ('rooms = ["kitchen", "garden", "bed\\troom"]', "rooms, entry 3: word .*tabs"),
        ('rooms = ["kitchen", "garden", "bed,room"]', "rooms, entry 3: word .*commas"),
        ('rooms = ["kitchen", "garden", "bed\\nroom"]', "rooms, entry 3: word .*line ends"),
        ('rooms = ["kitchen", "garden", "{room}"]', "rooms, entry 3: word .*braces"),
        ('rooms = ["kitchen", "garden", " "]', "rooms, entry 3: word"),
        ("rooms = [1, 2, 3]", "rooms, entry 1: found 1"),
        ('states = [{ word = "weary" }]', "states, entry 1: .*`room`.*`thing`"),
        (
            'states = [{ word = "weary", room = "barn", thing = "milk" }]',
            "'weary' points to 'barn'",
        ),
        ('[groups]\ngo = "ran to"', "groups.go: found 'ran to'"),
        ("[groups]\ngo = []", "groups.go"),
        ('[groups]\ngo = { x = ["ran to"] }', "groups.go"),
        ("groups = 3", "groups: found 3"),
        ('[groups]\nrun = ["ran to"]', "groups.run is no phrase"),
        ('[statements]\ngo = ["{who}\\twent."]', "statements.go"),
        ("rooms = [", "not a TOML file"),
        (b'rooms = ["caf\xe9"]', "not UTF-8 text at byte 13"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(text: str | bytes, key: str, tmp_path: Path):
    with pytest.raises(
        SimulationError, match=f"words\\.toml: .*{key}|words\\.toml: {key}"
    ) as error:
        with_words(tmp_path, text)
    assert "\n" not in str(error.value).rstrip()


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(SimulationError, match=r"gone\.toml: cannot be read: No such file"):
        load_lexicon("en").with_words(tmp_path / "gone.toml")


def test_a_missing_language_is_answered_with_those_there_are():
    for name in ("fr", "../en", ""):
        with pytest.raises(SimulationError, match="expected one of en, hn, symbolic"):
            load_lexicon(name)


def tell_with(tmp_path: Path, number: int, text: str) -> None:
    """Generate a few questions of a task in the words of a file."""
    lexicon = with_words(tmp_path, text)
    generate(Order([TASKS[number]], train=5, test=0, lexicon=lexicon), tmp_path / "out")


def test_a_missing_plural_is_named_when_it_is_needed(tmp_path: Path):
    with pytest.raises(
        SimulationError, match=r"words\.toml: '\w+' of the animals has no form 'plu"
    ):
        tell_with(tmp_path, 15, 'animals = ["ant", "bee", "cow"]')


def test_an_unknown_slot_is_named(tmp_path: Path):
    with pytest.raises(
        SimulationError, match=r"words\.toml: statements\.go: .* has \{whoo\}; expected"
    ):
        tell_with(tmp_path, 1, '[statements]\ngo = ["{whoo} {go} the {where}."]')


def test_a_slot_that_nothing_fills_is_named_with_its_file(tmp_path: Path):
    with pytest.raises(SimulationError, match=r"words\.toml"):
        tell_with(tmp_path, 1, '[statements]\ngo = ["{who} {go} the {what}."]')


# The shipped languages.


@pytest.mark.parametrize("language", ["hn", "symbolic"])
def test_all_languages_know_the_same_entities_and_sentences(language: str):
    english, other = load_lexicon("en"), load_lexicon(language)

    def kinds(lexicon: Lexicon) -> dict[str, tuple[str, str, str, str]]:
        return {e.id: (e.kind, e.gender, e.room, e.thing) for e in lexicon.entities.values()}

    assert kinds(other) == kinds(english)
    assert set(other.statements) == set(english.statements)
    assert set(other.questions) == set(english.questions)
    for key in ("", *map(str, TASKS)):
        assert other.for_task(key).casts == english.for_task(key).casts


@pytest.mark.parametrize("language", ["hn", "symbolic"])
def test_the_state_of_a_thing_can_be_told_in_all_languages(language: str):
    assert "be_state" in load_lexicon(language).statements


def slots(lexicon: Lexicon, table: str, name: str) -> set[tuple[str, str]]:
    """Return the (name, form) of every gap in the templates of a sentence."""
    phrases = getattr(lexicon, table)[name].values()
    return {
        (slot.group(1), slot.group(2) or "word")
        for alternatives in phrases
        for template in alternatives
        for slot in SLOT.finditer(template)
    }


@pytest.mark.parametrize("language", SHIPPED)
def test_every_gap_is_a_role_or_a_group(language: str):
    lexicon = load_lexicon(language)
    for key in ("", *map(str, TASKS)):
        own = lexicon.for_task(key)
        for table in ("statements", "questions"):
            for name in getattr(own, table):
                for slot, _ in slots(own, table, name):
                    assert slot in ROLES or slot in own.groups, (key, name, slot)


@pytest.mark.parametrize("language", SHIPPED)
def test_every_sentence_has_a_wording_for_everybody(language: str):
    lexicon = load_lexicon(language)
    for key in ("", *map(str, TASKS)):
        grammar = Grammar(lexicon.for_task(key))
        for table in ("statements", "questions"):
            for name in getattr(lexicon, table):
                for agreement in ("pl",) if name.endswith("together") else ("f", "m"):
                    assert grammar.templates(table, name, agreement)


@pytest.mark.parametrize("language", ["hn", "symbolic"])
def test_a_sentence_has_the_same_roles_in_all_languages(language: str):
    english, other = load_lexicon("en"), load_lexicon(language)
    for table in ("statements", "questions"):
        for name in getattr(other, table):
            roles = [{slot for slot, _ in slots(lexicon, table, name) if slot in ROLES}
                     for lexicon in (english, other)]  # fmt: skip
            if "pronoun" not in name:  # a pronoun may agree through a role's form
                assert roles[0] == roles[1], name


@pytest.mark.parametrize("language", SHIPPED)
def test_no_two_entities_of_a_kind_share_a_word(language: str):
    lexicon = load_lexicon(language)
    for key in ("", *map(str, TASKS)):
        own = lexicon.for_task(key)
        for kind in {entity.kind for entity in own.entities.values()}:
            words = [
                word.lower()
                for entity in own.entities.values()
                if entity.kind == kind
                for word in entity.forms["word"]
            ]
            assert len(words) == len(set(words)), (key, kind)
