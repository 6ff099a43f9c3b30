"""Executable stories: "joe go playground; bob go office; joe get football; where is the football?"

Commands are separated by ``;`` or line ends, ``#`` starts a comment, and neither capitals nor
articles matter. Questions end in ``?`` and are answered from the world::

    ACTOR go PLACE                      ACTOR set STATE
    ACTOR get THING [from THING]        ACTOR set THING|ACTOR STATE
    ACTOR put THING in|on THING         ACTOR look
    ACTOR give THING to ACTOR           ACTOR inventory
    ACTOR drop THING                    ACTOR examine THING
    ACTOR act [N]

``act`` does what the rules say (whoever is hungry looks for food), and otherwise something valid
at random. The forms of questions are in ``simulation.script.questions``, and a file that describes
a whole world is explained in ``simulation.script.worldfile``.

A name that was not declared becomes known by its first use:

* who acts is an actor. The reader is not told where he or she is, so until the first ``go`` such an
  actor can only ``set`` a state and take ``inventory``; the first ``go`` leads anywhere.
* who is given something is an actor who is found where the giver is.
* where somebody goes is a place, as long as the world is open, that is, has no exits.
* what somebody gets is a thing that lies where the actor is; in ``get THING from THING2`` it lies
  in THING2, and THING2 where the actor is.
* what something is put in or on is a thing where the actor is. It holds things from then on.

From then on the constraints of ``simulation.actions`` hold. A command that breaks one is refused:
the line says which, and nothing changes, nor does the refused command make a name known.
"""

from babi_cascade.simulation.script.player import Line, Player, play

__all__ = ["Line", "Player", "play"]
