"""The state of the world: what every entity of a story is with or at, by operations that are learned.

Every entity has a pointer, its *anchor*: the kite is with Ada, Ada is at the mill. Following the pointers to
their end says where a thing is. A sentence that mentions an entity in a role applies one *operation* to its
anchor (`operations`); a *read-out* of the state answers a kind of question (`states`). Which operation
belongs to which predicate and role, and which read-out to which kind of question, is learned from the answers
to training questions alone (`learning`). The repertoire of both is made by hand, and small.
"""
