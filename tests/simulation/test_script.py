"""Executable scripts: what they tell, answer and refuse."""

import copy
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon import load_lexicon
from babi_cascade.simulation.script import Line, Player, play
from babi_cascade.simulation.script.commands import FORMS, commands_of
from babi_cascade.simulation.script.questions import QUESTIONS
from babi_cascade.simulation.script.story import Story

GO = "(went to|went back to|journeyed to|travelled to|moved to)"
GET = "(picked up|got|grabbed|took)"

FARM = """
[places.yard]
east = "barn"
above = "hay loft"
[places.barn]
[places."hay loft"]
[places.island]

[things.cart]
place = "barn"
size = 10
container = true
portable = false
[things.bucket]
place = "yard"
size = 4
container = true
colour = "Red"
[things.egg]
inside = "bucket"
size = 0.5
edible = true
colour = "white"
[things.stool]
place = "hay loft"
size = 5
supporter = true
[things."big bell"]
place = "yard"
size = 40

[actors.ida]
place = "yard"
[actors."uncle tom"]
place = "barn"
states = ["bored"]

[states.bored]
place = "hay loft"
thing = "stool"
"""


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    path = tmp_path / "farm.toml"
    path.write_text(FARM, encoding="utf-8")
    return path


def answers(script: str, **options: Any) -> list[str | None]:
    return [line.answer for line in play(script, **options) if line.kind == "question"]


def only_refusal(script: str, **options: Any) -> str:
    """Play a script whose last command, and no other, is refused."""
    *told, last = play(script, **options)
    assert [line.kind for line in told if line.kind == "refused"] == []
    assert last.kind == "refused"
    assert last.number is None
    assert last.answer is None
    return last.text


def texts(script: str, **options: Any) -> list[str]:
    return [line.text for line in play(script, **options)]


# The example of the paper


def test_the_example_of_the_paper() -> None:
    lines = list(
        play(
            "joe go playground; bob go office; joe get football; where is the football? where john?"
        )
    )
    assert [line.number for line in lines] == [1, 2, 3, 4, 5]
    assert [line.kind for line in lines] == ["statement"] * 3 + ["question"] * 2
    assert re.fullmatch(f"Joe {GO} the playground\\.", lines[0].text)
    assert re.fullmatch(f"Bob {GO} the office\\.", lines[1].text)
    assert re.fullmatch(f"Joe {GET} the football\\.", lines[2].text)
    assert lines[3] == Line(
        4, "question", "Where is the football?", "playground", "where is the football?", 1
    )
    assert lines[4].answer == "unknown"


def test_the_same_seed_tells_the_same_story_and_another_one_differs() -> None:
    script = "joe go park; joe get kite; joe go lake; bob go park; joe act 50"
    assert texts(script, seed=7) == texts(script, seed=7)
    assert texts(script, seed=7) != texts(script, seed=8)


def test_the_sample_script_plays_in_the_sample_world() -> None:
    samples = resources.files("babi_cascade.data") / "samples"
    script = (samples / "house.script").read_text(encoding="utf-8")
    with resources.as_file(samples / "house.toml") as world_file:
        lines = list(play(script, world_file=world_file))
    used = {command.text.split()[1] for command in commands_of(script.replace("old nell", "nell"))}
    assert used >= set(FORMS)
    refused = [line for line in lines if line.kind == "refused"]
    assert [line.command for line in refused] == ["joe go office", "bob get the plum"]
    asked = {line.text: line.answer for line in lines if line.kind == "question"}
    assert asked["Where will Joe go?"] == "pantry"
    assert asked["Why did Joe get the plum?"] == "hungry"
    assert asked["Where will Old Nell go?"] == "study"
    assert asked["Why did Old Nell get the lantern?"] == "tired"
    assert asked["How do you go from the pantry to the playground?"] == "e,e,s"
    assert "unknown" not in asked.values()


# Reading commands


def test_capitals_articles_comments_and_separators_do_not_matter() -> None:
    plain = texts("joe go office; joe get cup; where is cup?")
    decorated = texts("# a comment; joe go moon\nJOE Go the OFFICE # yes\r\n;; joe get a cup.\n")
    assert decorated == plain[:2]


def test_questions_end_at_their_mark_and_are_tidied() -> None:
    lines = list(play("joe go park; where   is  joe??? is THE_big dog in park?where is joe?"))
    assert [line.text for line in lines[1:]] == [
        "Where is Joe?",
        lines[2].text,
        "Where is Joe?",
    ]
    assert lines[2].kind == "refused"


def test_names_of_several_words_need_underscores_or_a_declaration(farm: Path) -> None:
    assert answers("joe go living_room; where is joe?") == ["living room"]
    assert "needs underscores" in only_refusal("old man go park")
    script = "uncle tom go yard; uncle tom get the big bell; who has big_bell? where is uncle tom?"
    assert answers(script, world_file=farm) == ["Uncle Tom", "yard"]


def test_a_refusal_names_the_script_the_line_the_command_and_what_was_expected() -> None:
    text = only_refusal("joe go park\njoe inventory; joe put cup", source="my.script")
    assert text == (
        "my.script: line 2, command 2: 'joe put cup': expected ACTOR put THING in THING, or ACTOR put "
        "THING on THING"
    )


@pytest.mark.parametrize(
    "nonsense",
    [
        "joe", "go", "joe fly moon", "joe go", "joe go c b", "joe get", "joe get from box", "joe get x from",
        "joe put cup into box", "joe give", "joe give cup to", "joe drop", "joe drop x y", "joe set",
        "joe set b c d", "joe look here", "joe inventory now", "joe examine", "joe act x", "joe act 0",
        "joe act -1", "joe act 1.5", "joe act ²", "joe act 1 2", "in go park", "joe go in", "joe, go park",
        "joe go pa,rk", "joe go <park>", "\x00", "joe go \u202epark", "...", "_ go _", "the the the",
    ],
)  # fmt: skip
def test_nonsense_is_refused(nonsense: str) -> None:
    assert "expected" in only_refusal(nonsense)


def test_a_question_that_is_not_understood_lists_the_forms() -> None:
    for question in ("why?", "?", "where?", "where is?", "what is the meaning of life?"):
        text = only_refusal(question)
        assert all(form.usage in text for form in QUESTIONS)


@pytest.mark.parametrize("count", ["10001", "1000000000", "9" * 10_000])
def test_too_many_turns_are_refused(count: str) -> None:
    text = only_refusal(f"joe go park; joe act {count}")
    assert "expected a number of turns from 1 to 10000" in text
    assert len(text) < 400


# Names that nobody declared


def test_an_undeclared_actor_is_somewhere_unknown_until_the_first_step() -> None:
    assert answers("joe set hungry; where is joe? is joe in park?") == ["unknown", "unknown"]
    assert texts("joe inventory") == ["Joe is carrying nothing."]
    for command in ("get cup", "look", "act", "drop cup", "give cup to bob", "examine cup"):
        assert "it is not known where joe is" in only_refusal(f"joe {command}")
    assert "it is not known where bob is" in only_refusal(
        "joe go park; bob set sad; joe set bob mad"
    )


def test_a_thing_first_got_lies_where_the_actor_is() -> None:
    assert answers("joe go park; joe get kite; joe drop kite; joe go lake; where is kite?") == [
        "park"
    ]


def test_who_is_given_something_first_is_found_there() -> None:
    script = "joe go park; joe get kite; joe give bob kite; where is bob? who has kite?"
    assert answers(script) == ["park", "Bob"]
    later = "bob set sad; joe go park; joe get kite; joe give kite to bob; where is bob?"
    assert answers(later) == ["park"]


def test_what_something_is_put_in_first_holds_it() -> None:
    script = (
        "joe go park; joe get ball; joe put ball in box; joe get box; joe get bag; joe put box in bag;"
        "where is ball? is ball in bag? does ball fit in box? is box bigger than ball?"
        "is ball bigger than bag? is bag bigger than kite?"
    )
    assert answers(script) == ["park", "yes", "yes", "yes", "no", "unknown"]
    assert only_refusal("joe go park; joe get ball; joe put ball on ball").endswith(
        "the ball cannot go into itself"
    )


def test_what_is_got_from_something_first_lies_in_it() -> None:
    script = "joe go park; joe get coin from well; joe go lake; where is coin? where is well?"
    assert answers(script) == ["lake", "park"]


def test_a_refused_command_makes_no_name_known() -> None:
    script = (
        "joe go park; bob go lake; joe get cup; bob put cup in crate; joe go crate; where is joe?"
    )
    lines = list(play(script))
    assert [line.kind for line in lines[3:]] == ["refused", "statement", "question"]
    assert lines[-1].answer == "crate"


@pytest.mark.parametrize(
    "refused",
    [
        "joe put ball in box",  # nobody has the ball: the box is no container yet
        "joe give ball to bob",  # nor is Bob found in the park
        "joe give ball to zoe",  # nor does Zoe exist
        "joe put ball on shelf",
        "joe get nut from ball from box",
        "zoe get box",
        "joe get bob",
    ],
)
def test_a_refused_command_takes_everything_back(refused: str) -> None:
    player = Player()
    setting = "bob set sad; joe go park; joe get ball; joe get box; joe drop ball"
    for command in commands_of(setting):
        assert [line.kind for line in player.lines(command)] == ["statement"]
    before = state_of(player.story)
    (command,) = commands_of(refused)
    assert [line.kind for line in player.lines(command)] == ["refused"]
    assert state_of(player.story) == before


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("joe go football", "football is a thing, not a place"),
        ("joe go bob", "bob is an actor, not a place"),
        ("joe get bob", "bob is an actor, not a thing"),
        ("joe get park", "park is a place, not a thing"),
        ("football go park", "football is a thing, not an actor"),
        ("park act", "park is a place, not an actor"),
        ("joe give football to park", "park is a place, not an actor"),
        ("joe put football in park", "park is a place, not a thing"),
        ("joe set park sunny", "park is a place, not a thing or an actor"),
        ("joe drop bob", "bob is an actor, not a thing"),
        ("joe set lamp on", "nothing is known of lamp yet"),
        ("joe drop lamp", "nothing is known of lamp yet"),
    ],
)
def test_a_name_has_one_kind(command: str, reason: str) -> None:
    script = f"joe go park; bob go park; joe get football; {command}"
    assert reason in only_refusal(script)


def test_a_constraint_refuses_and_the_story_goes_on() -> None:
    lines = list(play("joe go park; joe get cup; bob go park; bob get cup; who has cup?"))
    assert [line.number for line in lines] == [1, 2, 3, None, 4]
    assert lines[3].text == "script: line 1, command 4: 'bob get cup': joe has the cup"
    assert lines[4].answer == "Joe"


# Words


def test_every_action_is_told() -> None:
    told = texts(
        "joe go park; joe get pen; joe put pen on desk; joe get pen from desk; joe get case;"
        "joe put pen in case; joe get pen from case; joe drop pen; joe set desk dusty; joe set tired;"
        "bob go park; joe set bob glad; joe give case to bob; joe look; bob inventory; joe examine desk"
    )
    patterns = [
        f"Joe {GO} the park", f"Joe {GET} the pen", "Joe put the pen on the desk",
        f"Joe {GET} the pen from the desk", f"Joe {GET} the case", "Joe put the pen in the case",
        f"Joe {GET} the pen from the case", "Joe (dropped|put down|left|discarded) the pen",
        "The desk is dusty", "Joe is tired", f"Bob {GO} the park", "Bob is glad",
        "Joe (gave|handed|passed) the case to Bob", "Joe sees Bob, the pen and the desk in the park",
        "Bob is carrying the case", "The desk is dusty",
    ]  # fmt: skip
    assert len(told) == len(patterns)
    for text, pattern in zip(told, patterns, strict=True):
        assert re.fullmatch(pattern + r"\.", text), text


def test_observations_describe_what_a_thing_is_and_holds(farm: Path) -> None:
    script = "ida examine bucket; ida get egg from bucket; ida examine egg; ida examine big bell"
    told = texts(script, world_file=farm)
    assert told[0] == "The bucket is red and has the egg in it."
    assert told[2:] == ["The egg is white and edible.", "The big bell is nothing special."]


def test_names_that_the_lexicon_uses_otherwise_are_taken_as_written() -> None:
    told = texts(
        "north go yes; north get hungry; north set hungry; north set orange; where is north?"
    )
    assert re.fullmatch(f"North {GO} the yes\\.", told[0])
    assert re.fullmatch(f"North {GET} the hungry\\.", told[1])
    assert told[2:] == ["North is hungry.", "North is orange.", "Where is North?"]


def test_a_lexicon_that_cannot_tell_a_script_is_refused_at_once() -> None:
    with pytest.raises(SimulationError, match=r"'hn'|form"):
        play("", lexicon=load_lexicon("hn"))


# Questions


def test_where_something_was_before() -> None:
    script = (
        "joe go park; joe get kite; joe go lake; joe go hill; joe drop kite; joe go lake;"
        "where was kite before hill? where was joe before lake? where was joe before park?"
        "where was kite before moon? where was zoe before park?"
    )
    assert answers(script) == ["lake", "hill", "unknown", "unknown", "unknown"]


def test_what_is_carried() -> None:
    script = "joe go park; joe get kite; joe get cup;"
    asked = "what is joe carrying? how many objects is joe carrying? what is bob carrying?"
    assert answers(script + asked) == ["kite,cup", "two", "unknown"]
    assert answers("joe go park;" + asked)[:2] == ["nothing", "none"]
    many = "joe go park;" + ";".join(f"joe get cup{n}" for n in range(12))
    assert answers(many + ";how many things is joe carrying?") == ["12"]


def test_who_gave_what_to_whom() -> None:
    script = (
        "joe go park; joe get kite; joe give kite to bob; bob give kite to zoe; who gave kite?"
        "who gave the kite to bob? who received kite? what did joe give to bob?"
        "what did joe give to zoe? who did bob give the kite to? who gave moon? who has kite?"
        "zoe drop kite; who has kite?"
    )
    assert answers(script) == [
        "Bob", "Joe", "Zoe", "kite", "nothing", "Zoe", "unknown", "Zoe", "nobody",
    ]  # fmt: skip


def test_the_map(farm: Path) -> None:
    script = (
        "what is east of the yard? what is west of barn? what is above yard? what is below the hay loft?"
        "what is north of the yard? how do you go from hay loft to barn? what is north of moon?"
        "how do you go from yard to yard? how do you go from yard to island?"
        "how do you go from yard to moon?"
    )
    assert answers(script, world_file=farm) == [
        "barn", "yard", "hay loft", "yard", "nothing", "below,e", "unknown", "nowhere", "no way",
        "unknown",
    ]  # fmt: skip
    assert answers("joe go park; what is north of park?") == ["unknown"]


def test_colours_and_sizes(farm: Path) -> None:
    script = (
        "what color is the bucket? what colour is cart? is bucket bigger than egg?"
        "is egg bigger than bucket? does the egg fit in the bucket? does bucket fit in egg?"
        "is ida bigger than egg?"
    )
    assert answers(script, world_file=farm) == [
        "red", "unknown", "yes", "no", "yes", "no", "unknown",
    ]  # fmt: skip


def test_of_two_things_of_one_size_neither_is_bigger(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    tables = (
        f"[things.{name}]\nplace = 'yard'\nsize = 4\ncontainer = true\n" for name in ("box", "bin")
    )
    path.write_text("[places.yard]\n" + "".join(tables), encoding="utf-8")
    script = (
        "is box bigger than bin? is bin bigger than box? does box fit in bin? does bin fit in box?"
    )
    assert answers(script, world_file=path) == ["no"] * 4


def test_is_x_in_a_place_or_thing(farm: Path) -> None:
    script = "is egg in yard? is egg in the bucket? is egg in barn? is ida in yard? is egg in moon?"
    assert answers(script, world_file=farm) == ["yes", "yes", "no", "yes", "unknown"]


def test_reasons_come_from_states() -> None:
    script = (
        "joe go office; joe set hungry; where will joe go? joe act 2; why did joe go to kitchen?"
        "why did joe get the apple? why did joe go to the office? why did joe go to the moon?"
        "where will joe go? bob set bored; bob go garden; why did bob go to the garden?"
    )
    assert answers(script) == [
        "kitchen", "hungry", "hungry", "no reason", "unknown", "unknown", "bored",
    ]  # fmt: skip


def test_rules_of_a_world_file_lead_through_its_map(farm: Path) -> None:
    script = (
        "where will uncle tom go? uncle tom act 3; who has the stool? why did uncle tom go to yard?"
        "ida set hungry; where will ida go? ida act; why did ida get egg? who has egg?"
    )
    lines = list(play(script, world_file=farm))
    assert [line.answer for line in lines if line.answer] == [
        "hay loft", "Uncle Tom", "bored", "nowhere", "hungry", "Ida",
    ]  # fmt: skip
    assert all(line.command == "uncle tom act 3" for line in lines[1:4])


# World files


OWN_RULES = """
[places.yard]
[places.barn]
[places.mill]
[places.pond]
[things.rope]
place = "yard"
[things.drum]
place = "yard"
[things.pear]
place = "mill"
edible = true
[actors.ida]
place = "yard"
[actors.otto]
place = "yard"
[states.bored]
place = "barn"
thing = "drum"
[actors.ida.rules]
"""


def ruled(tmp_path: Path, rules: str) -> Path:
    """Write a world in which Ida has rules of her own."""
    path = tmp_path / "ruled.toml"
    path.write_text(OWN_RULES + rules, encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(5))
def test_an_actor_does_only_what_the_own_rules_allow(tmp_path: Path, seed: int) -> None:
    rules = "actions = ['go', 'get']\nplaces = ['barn', 'yard']\nthings = ['rope']"
    player = Player(world_file=ruled(tmp_path, rules), seed=seed)
    alone, together = commands_of("ida act 40; otto act 40")
    assert {line.kind for line in player.lines(alone)} == {"statement"}
    assert set(player.story.visited["ida"]) == {"yard", "barn"}
    assert player.story.world.carried_by("ida") == ["rope"]
    assert {line.kind for line in player.lines(together)} == {"statement"}
    assert set(player.story.visited["otto"]) == {"yard", "barn", "mill", "pond"}


def test_an_actor_without_actions_does_nothing_but_obeys(tmp_path: Path) -> None:
    world = ruled(tmp_path, "actions = []")
    (idle,) = play("ida act", world_file=world)
    assert idle.kind == "refused"
    assert "ida does nothing: the rules of ida allow nothing" in idle.text
    assert [line.kind for line in play("ida go mill; ida get pear", world_file=world)] == [
        "statement",
        "statement",
    ]


@pytest.mark.parametrize("state", ["bored", "hungry"])
def test_own_rules_for_a_state_take_the_place_of_the_shared_ones(tmp_path: Path, state: str):
    world = ruled(tmp_path, f"when.{state} = {{ place = 'pond', thing = 'rope' }}")
    script = (
        f"ida get rope; ida go pond; ida drop rope; ida go yard; ida set {state}; otto set {state}"
    )
    script += "; where will ida go? where will otto go? ida act 2; why did ida get the rope?"
    answers = [line.answer for line in play(script, world_file=world) if line.kind == "question"]
    assert answers == ["pond", {"bored": "barn", "hungry": "mill"}[state], state]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "verbs = ['go']",
            r"actors.ida.rules: unknown key 'verbs'; expected one of actions, places",
        ),
        ("actions = 'go'", r"actors.ida.rules.actions is 'go', expected a list out of go, get"),
        ("actions = ['fly']", r"actors.ida.rules.actions is \['fly'\], expected a list out of go"),
        ("places = 'barn'", r"actors.ida.rules.places is 'barn', expected a list of names"),
        ("places = []", r"actors.ida.rules.places is \[\], expected a list of names"),
        ("places = ['rope']", r"actors.ida.rules.places is 'rope', which is no place of the file"),
        ("things = ['barn']", r"actors.ida.rules.things is 'barn', which is no thing of the file"),
        ("things = [3]", r"actors.ida.rules.things is 3, expected a word"),
        ("actions = ['go']\nthings = ['rope']", r"rules.things means nothing.*lacks 'get'"),
        ("actions = ['get']\nplaces = ['barn']", r"rules.places means nothing.*lacks 'go'"),
        ("when = 'tired'", r"actors.ida.rules.when is 'tired', expected when.STATE"),
        (
            "when.tired = 'barn'",
            r"rules.when.tired is 'barn', expected a table with place and thing",
        ),
        ("when.tired = { place = 'barn' }", r"rules.when.tired: `thing` is missing"),
        (
            "when.tired = { place = 'sea', thing = 'rope' }",
            r"when.tired.place is 'sea', which is no",
        ),
        (
            "when.tired = { place = 'barn', thing = 'rope', go = 1 }",
            r"when.tired: unknown key 'go'",
        ),
    ],
)
def test_a_mistake_in_the_rules_of_an_actor_is_named(tmp_path: Path, rules: str, message: str):
    with pytest.raises(SimulationError, match=message) as error:
        Player(world_file=ruled(tmp_path, rules))
    assert "\n" not in str(error.value)


def test_rules_that_are_no_table_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    path.write_text("[places.p]\n[actors.z]\nplace = 'p'\nrules = 3\n", encoding="utf-8")
    with pytest.raises(SimulationError, match=r"actors.z.rules: found int, expected a table"):
        Player(world_file=path)


def test_the_map_constrains_where_to_go(farm: Path) -> None:
    assert "the barn is not connected to the hay_loft" in only_refusal(
        "ida go hay loft; ida go barn", world_file=farm
    )
    assert "the map has no place moon" in only_refusal("ida go moon", world_file=farm)
    assert answers("eve go island; where is eve?", world_file=farm) == ["island"]


def test_a_declared_thing_is_only_what_the_file_says(farm: Path) -> None:
    script = "ida get egg from bucket; ida put egg in big bell"
    assert "nothing goes into the big_bell" in only_refusal(script, world_file=farm)
    assert "nothing is known of nut" in only_refusal("ida get nut from big bell", world_file=farm)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[places.z]\nup = 'b'", "places.z: unknown key 'up'; expected one of north"),
        ("[rooms.a]", "unknown key 'rooms'"),
        ("places = 3", "places is 3, expected tables"),
        ("places.z = 'b'", "places.z is 'b', expected a table"),
        ("[places.b]\nnorth = 'c'", "places.b.north is 'c', which is no place of the file"),
        ("[places.b]\nnorth = 1", "places.b.north is 1, expected a word"),
        ("[places.b]\nnorth = 'b'", "places.b.north: a place cannot be its own neighbour"),
        (
            "[places.b]\nnorth='c'\n[places.c]\nsouth='d'\n[places.d]",
            "places.c.south is 'd', so 'd' lies south of 'c', but elsewhere the file says that 'b'",
        ),
        (
            "[places.b]\nnorth='c'\n[places.c]\n[places.d]\nnorth='c'",
            "places.d.north is 'c', so 'd' lies south of 'c', but elsewhere the file says that 'b'",
        ),
        ("[places.''] ", "places.: '' is no name"),
        ("[places.'in'] ", "'in' is no name"),
        ("[places.'the'] ", "'the' is no name"),
        ("[places.'x,y'] ", "'x,y' is no name"),
        ("[places.'x y'] \n[places.x_y]", "places.x_y: the name is taken by a place"),
        ("[places.p]\n[things.p]\nplace = 'p'", "things.p: the name is taken by a place"),
        ("[things.p]", "things.p: expected either `place` or `inside`"),
        ("[places.p]\n[things.t]\nplace='p'\ninside='t'", "expected either `place` or `inside`"),
        ("[things.t]\nplace = 'p'", "things.t.place is 'p', which is no place of the file"),
        ("[things.t]\ninside = 'p'", "things.t.inside is 'p', which is no thing or actor"),
        ("[places.p]\n[things.t]\nplace='p'\nweight=3", "things.t: unknown key 'weight'"),
        ("[places.p]\n[things.t]\nplace='p'\nsize='big'", "things.t.size is 'big'"),
        ("[places.p]\n[things.t]\nplace='p'\nsize=true", "things.t.size is True"),
        ("[places.p]\n[things.t]\nplace='p'\nsize=0", "things.t.size is 0"),
        ("[places.p]\n[things.t]\nplace='p'\nsize=nan", "things.t.size is nan"),
        ("[places.p]\n[things.t]\nplace='p'\nedible='yes'", "things.t.edible is 'yes'"),
        ("[places.p]\n[things.t]\nplace='p'\ncolour=3", "things.t.colour is 3, expected a word"),
        ("[places.p]\n[actors.z]", "actors.z: `place` is missing"),
        ("[places.p]\n[actors.z]\nplace='p'\nstates='sad'", "actors.z.states is 'sad'"),
        ("[places.p]\n[actors.z]\nplace='p'\nstates=[1]", "actors.z.states is 1"),
        ("[places.p]\n[states.sad]\nplace='p'", "states.sad: `thing` is missing"),
        (
            "[places.p]\n[things.b]\nplace='p'\n[things.t]\ninside='b'",
            "things.t.inside is 'b', which is neither a container nor a supporter",
        ),
        (
            "[places.p]\n[things.b]\nplace='p'\ncontainer=true\n[things.t]\ninside='b'",
            "things.t.inside is 'b' of size 1, too small for something of size 1",
        ),
        (
            "[things.b]\ninside='c'\nsupporter=true\n[things.c]\ninside='b'\nsupporter=true",
            "things.b.inside is 'c': the things b, c are in a circle",
        ),
        (
            "[places.p]\n[actors.z]\nplace='p'\n[things.t]\ninside='z'\nportable=false",
            "things.t.inside is 'z', but the thing is not portable",
        ),
        ("[places", "not a TOML file"),
    ],
)  # fmt: skip
def test_a_bad_world_file_is_refused_with_its_key(tmp_path: Path, table: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(SimulationError) as error:
        play("joe go park", world_file=path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_a_missing_world_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="cannot be read"):
        play("", world_file=tmp_path / "none.toml")


def test_a_file_may_say_that_somebody_carries_something(tmp_path: Path) -> None:
    path = tmp_path / "world.toml"
    path.write_text("[places.p]\n[actors.a1]\nplace='p'\n[things.t]\ninside='a1'\n", "utf-8")
    assert answers("who has t? where is t?", world_file=path) == ["A1", "p"]


# Whatever is commanded

actors = st.sampled_from(["ida", "uncle_tom", "joe", "egg"])
places = st.sampled_from(["yard", "barn", "hay loft", "moon", "ida"])
things = st.sampled_from(["egg", "bucket", "cart", "stool", "nut", "yard"])
names = st.one_of(actors, places, things)
commands = st.one_of(
    st.tuples(actors, st.just("go"), places),
    st.tuples(actors, st.sampled_from(["get", "drop", "examine"]), things),
    st.tuples(actors, st.just("get"), things, st.just("from"), things),
    st.tuples(actors, st.just("put"), things, st.sampled_from(["in", "on"]), things),
    st.tuples(actors, st.just("give"), things, st.just("to"), actors),
    st.tuples(actors, st.just("set"), names, st.sampled_from(["hungry", "bored"])),
    st.tuples(actors, st.sampled_from(["look", "inventory", "act", "set hungry", "act 3"])),
    st.tuples(st.text(max_size=12)),
).map(" ".join)
questions = st.sampled_from(QUESTIONS).flatmap(
    lambda form: st.lists(names, min_size=3, max_size=3).map(lambda given: asked(form.usage, given))
)


def asked(usage: str, given: list[str]) -> str:
    """Fill the names of a form of question."""
    text = usage.replace("[", "").replace("]", "")
    text = re.sub(r"\w+(\|\w+)+", lambda choice: choice[0].split("|")[0], text)
    left = iter(given)
    return re.sub(r"\b(A|B|P|Q|X|PLACE|THING)\b", lambda _: next(left), text)


ENGLISH = load_lexicon("en")


def state_of(story: Story) -> list[object]:
    remembered = (story.visited, story.gifts, story.motives)
    return copy.deepcopy([story.world, story.unplaced, story.invented, *remembered])


def check_invariants(story: Story) -> None:
    world = story.world
    known = [*world.places, *world.actors, *world.things, *story.unplaced]
    assert len(known) == len(set(known)), "a name of two kinds"
    assert world.inside.keys() == world.actors.keys() | world.things.keys()
    for actor in world.actors:
        assert world.inside[actor] in world.places
    for thing in world.things:
        holder, seen = world.inside[thing], {thing}
        while holder in world.things:
            assert holder not in seen, "a circle of things"
            seen.add(holder)
            holder = world.inside[holder]
        assert (holder in world.places) != (holder in world.actors)
        assert story.visited[thing][-1] == world.place_of(thing)
        assert [a for a in world.actors if thing in world.carried_by(a)] == (
            [world.inside[thing]] if world.inside[thing] in world.actors else []
        )


@pytest.fixture(scope="module")
def shared_farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("worlds") / "farm.toml"
    path.write_text(FARM, encoding="utf-8")
    return path


@settings(deadline=None, max_examples=150)
@given(
    script=st.lists(st.one_of(commands, commands, questions), max_size=40), declared=st.booleans()
)
def test_a_refused_command_changes_nothing_and_the_world_stays_coherent(
    shared_farm: Path, script: list[str], declared: bool
) -> None:
    player = Player(world_file=shared_farm if declared else None, lexicon=ENGLISH)
    numbers = []
    for command in commands_of("\n".join(script)):
        before = state_of(player.story)
        for line in player.lines(command):
            if line.kind in ("refused", "question"):
                assert state_of(player.story) == before
            if line.kind == "observation":
                assert player.story.world == before[0]
            if line.number is not None:
                numbers.append(line.number)
            assert (line.answer is not None) == (line.kind == "question")
            assert (line.number is None) == (line.kind == "refused")
            assert "\n" not in line.text
            check_invariants(player.story)
            before = state_of(player.story)
    assert numbers == list(range(1, len(numbers) + 1))


@settings(deadline=None, max_examples=60)
@given(script=st.text(alphabet="joegtpukin?;#\n_'- \t\x00é²", max_size=80))
def test_no_text_breaks_the_player(script: str) -> None:
    assert all(
        line.kind in ("statement", "refused", "question") for line in play(script, lexicon=ENGLISH)
    )


def test_a_long_script_and_a_long_command_are_no_trouble() -> None:
    script = "joe go park; joe go lake;" * 10_000
    assert sum(1 for _ in play(script)) == 20_000
    assert "expected" in only_refusal("joe get" + " the cup" * 50_000)
