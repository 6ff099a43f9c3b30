"""Stories and questions as people type them, answered at once, with the doubts that there are."""

from babi_cascade.app.ask.conversation import Conversation

__all__ = ["Conversation"]
