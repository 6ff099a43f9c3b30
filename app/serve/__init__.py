"""The page of a question, live: typed in a browser, answered on this machine."""

from babi_cascade.app.serve.errors import NotLoadedError
from babi_cascade.app.serve.server import Limits, LiveServer, check_host

__all__ = ["Limits", "LiveServer", "NotLoadedError", "check_host"]
