"""The page of a question, live: typed in a browser, answered on this machine."""

from babi_cascade.app.serve.errors import ServingError
from babi_cascade.app.serve.server import LiveServer, check_host

__all__ = ["LiveServer", "ServingError", "check_host"]
