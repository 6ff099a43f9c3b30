"""Stories and questions as people type them, answered at once, with the doubts that there are."""

from pipeline.asking.conversation import Conversation, Reply
from pipeline.asking.doubts import Verdict
from pipeline.asking.errors import AskError

__all__ = ["AskError", "Conversation", "Reply", "Verdict"]
