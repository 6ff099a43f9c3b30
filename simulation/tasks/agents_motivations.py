"""Task 20: why somebody does something."""

from __future__ import annotations

from babi_cascade.simulation.actions import Action, perform, refusal
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Asked, Draft, Event
from babi_cascade.simulation.rules import Seek
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.world import World


class AgentsMotivations(Task):
    """Everybody feels something, goes where it can be helped, and gets what helps, if it is still there."""

    number = 20
    name = "agents-motivations"
    knobs = frozenset({"people"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Follow the rules of the actors; each statement is followed by a question about it."""
        goals = {state: Seek(state, *goal) for state, goal in setting.goals.items()}
        wishes = {person: goals[dice.pick(setting.states)] for person in setting.people}
        world = furnish(setting, wishes, goals, dice)
        draft = Draft()
        felt: dict[str, int] = {}
        every: list[Asked] = []  # people also ask about what happened some time ago
        while True:
            steps = [
                step
                for person, wish in wishes.items()
                if (step := next_step(world, person, wish)) is not None
            ]
            if not steps:
                return draft
            step = dice.pick(steps)
            who, wish = (step.actor,), wishes[step.actor]
            event = perform(world, step)
            if step.verb == "set":
                felt[step.actor] = draft.say(event)
                every.append(
                    Asked(Event("where_will_go", who=who), (wish.place,), (felt[step.actor],))
                )
            elif step.verb == "go":
                draft.say(event)
                question = Event("why_went", who=who, where=wish.place)
                every.append(Asked(question, (wish.state,), (felt[step.actor],)))
            else:
                draft.say(event._replace(there=wish.place))
                question = Event("why_got", who=who, what=wish.thing)
                every.append(Asked(question, (wish.state,), (felt[step.actor],)))
            draft.lines.append(dice.pick(every) if setting.typed else every[-1])


def furnish(setting: Setting, wishes: dict[str, Seek], goals: dict[str, Seek], dice: Dice) -> World:
    """Put every thing where it is sought, and nobody where he will want to go."""
    rooms = tuple(dict.fromkeys((*setting.rooms, *(goal.place for goal in goals.values()))))
    things = tuple(goal.thing for goal in goals.values())
    world = World.at_random(setting.people, rooms, things, dice)
    for goal in goals.values():
        world.inside[goal.thing] = goal.place
    for person, wish in wishes.items():
        world.inside[person] = dice.pick([room for room in rooms if room != wish.place])
    return world


def next_step(world: World, person: str, wish: Seek) -> Action | None:
    """Return what the person does next: feel, go, get; or nothing when done or too late."""
    if wish.state not in world.actors[person].states:
        return Action(person, "set", target=person, state=wish.state)
    step = wish(world, person)
    return step if step is not None and refusal(world, step) is None else None
