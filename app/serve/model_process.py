"""The process that holds the model; a fork of it answers, so that an answer can be stopped by a kill.

The holder loads the model once and then does nothing but pass messages on: it can always stop the fork, and
the next fork is ready at once and shares the memory of the model. It has a single thread (the server sets the
environment so that no library starts more), without which forking would not be safe. When the server goes, in
whatever way, the pipe to it is closed and both end.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import NoReturn

from babi_cascade.app.serve.messages import Kind, Message
from babi_cascade.app.serve.texts import Answer
from babi_cascade.errors import UserError

_PR_SET_PDEATHSIG = 1

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS",
     "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
    "1",
)  # fmt: skip
"""The environment of the holder."""


def hold_model(load: Callable[[], Answer]) -> None:
    """Load a model and answer what the server at the other end of stdin sends, until it goes."""
    server = _taken_stdin()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    if server.poll(0):  # nothing was asked yet: it has gone already
        return
    answer = load()
    # The model stays: looking through it for something to collect would copy the memory that forks share.
    gc.collect()
    gc.freeze()
    _send(server, Message(Kind.READY))
    _Holder(server, answer).run()


class _Holder:
    """Passes messages between the server and the fork that answers.

    Parameters
    ----------
    server : the pipe to it
    answer : from a text to its answers
    """

    def __init__(self, server: Connection, answer: Answer) -> None:
        self._server = server
        self._answer = answer
        self._fork: _Fork | None = None

    def run(self) -> None:
        """Go on until the server has gone."""
        try:
            while True:
                ends = [self._server] if self._fork is None else [self._server, self._fork.pipe]
                ready = wait(ends)
                if self._fork is not None and self._fork.pipe in ready:
                    self._hear_fork(self._fork)
                elif self._server in ready:
                    self._hear_server(Message.from_bytes(self._server.recv_bytes()))
        except (EOFError, ConnectionError):
            pass
        finally:
            if self._fork is not None:
                self._fork.stop()

    def _hear_fork(self, fork: _Fork) -> None:
        try:
            told = fork.pipe.recv_bytes()
        except (EOFError, OSError):
            self._fork = None
            if (how := fork.stop()) is not None:
                _send(self._server, Message(Kind.ENDED, how))
        else:
            fork.asked = False
            self._server.send_bytes(told)

    def _hear_server(self, message: Message) -> None:
        if message.kind is Kind.STOP:
            if self._fork is not None:
                self._fork.stop()
                self._fork = None
            _send(self._server, Message(Kind.STOPPED))
            return
        if self._fork is None:
            self._fork = _Fork(self._answer, self._server)
        self._fork.asked = True
        with suppress(OSError):  # it has just ended: its end of the pipe will tell
            _send(self._fork.pipe, message)


class _Fork:
    """A fork of this process that answers texts one after the other."""

    def __init__(self, answer: Answer, server: Connection) -> None:
        self.asked = False
        self.pipe, theirs = Pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            server.close()  # else nobody would notice the end of the holder
            self.pipe.close()
            _answer_all(answer, theirs, parent)
        theirs.close()

    def stop(self) -> str | None:
        """End it, whatever it does; say how it had ended before if it owed an answer."""
        os.kill(self._pid, signal.SIGKILL)  # not yet waited for: the number is still its own
        _, status = os.waitpid(self._pid, 0)
        self.pipe.close()
        if not self.asked:
            return None
        code = os.waitstatus_to_exitcode(status)
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _answer_all(answer: Answer, pipe: Connection, parent: int) -> NoReturn:
    """Answer until the holder has gone; nothing of it is left to be cleaned up."""
    code = 1
    try:
        end_with_parent(parent)
        while True:
            _send(pipe, _answered(answer, Message.from_bytes(pipe.recv_bytes()).body))
    except (EOFError, ConnectionError):
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _answered(answer: Answer, text: str) -> Message:
    try:
        return Message(Kind.ANSWERS, answer(text))
    except UserError as error:
        return Message(Kind.REFUSED, str(error))
    except Exception:
        return Message(Kind.FAILED, traceback.format_exc())


def end_with_parent(parent: int | None = None) -> None:
    """Let the system end this process with the thread that started it, where it can (Linux).

    Elsewhere the closed pipe does, as soon as this process looks at it.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def _taken_stdin() -> Connection:
    """Return the pipe to the server, and leave nothing that a library could read or write by mistake."""
    if sys.stdin is None or os.isatty(0):
        raise UserError(
            "found a terminal on stdin, expected the server; `serve` starts this command itself"
        )
    pipe = Connection(os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return pipe


def _send(pipe: Connection, message: Message) -> None:
    pipe.send_bytes(message.to_bytes())
