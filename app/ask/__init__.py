"""Stories and questions as people type them, answered at once, with the doubts that there are."""

from babi_cascade.app.ask.conversation import Conversation
from babi_cascade.app.ask.errors import AskError

__all__ = ["AskError", "Conversation"]
