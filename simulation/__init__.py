"""The text-adventure world of section 4 of the paper, and the 20 tasks told from it.

Data flow inside the room: a *task* lets actors act in a *world* and keeps a *draft* of events and
questions; a *grammar* puts the draft into the words of a language; *generate* writes the files;
*check* reads the words back and proves every answer without looking at the world.
"""
