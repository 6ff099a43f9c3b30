"""The page of a question, live: typed in a browser, answered on this machine."""

from pipeline.serving.errors import ServingError
from pipeline.serving.server import LiveServer, check_host

__all__ = ["LiveServer", "ServingError", "check_host"]
