"""Texts answered one after the other in a process that can be killed, with limits on number and time.

What nobody waits for any more (too late, the client gone, the server ending) is stopped.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from select import POLLERR, POLLHUP, POLLIN, poll
from threading import BoundedSemaphore, Lock

from babi_cascade.app.serve.errors import (
    BusyError,
    FailedError,
    GoneError,
    NotLoadedError,
    complain,
)
from babi_cascade.app.serve.messages import Kind, Message
from babi_cascade.app.serve.model_process import ONE_THREAD
from babi_cascade.app.serve.texts import parsed
from babi_cascade.errors import UserError

SECONDS_TO_STOP = 2.0
"""After so many a holder that does not stop its fork is ended itself."""

LOOK = 0.1
"""Seconds between two looks whether a client that waits for its turn is still there."""

LONGEST_PAUSE = 60.0
"""Seconds between two tries to load a model again."""


class Answering:
    """Answers whole texts.

    Parameters
    ----------
    command : starts the process that holds the model, see ``hold_model``
    seconds : after so many the one who asks is told that it took too long
    waiting : texts that may wait for an answer; the next one is told to come later
    """

    def __init__(self, command: Sequence[str], seconds: float, waiting: int) -> None:
        self._command = list(command)
        self._seconds = seconds
        self._places = BoundedSemaphore(waiting)
        self._turn = Lock()  # who has it may use the process
        self._ending = Lock()  # between starting a process and ending all
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._ready = False
        self._pause, self._not_before = 1.0, 0.0

    def start(self) -> None:
        """Start the process that holds the model, and wait until the model is loaded.

        The thread that calls this or `tend` has to stay: the process ends with it.
        """
        with self._turn:
            self._start()
            assert self._pipe is not None
            try:
                self._hear(self._pipe)
            except (EOFError, OSError):
                assert self._process is not None
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(
                        SECONDS_TO_STOP
                    )  # it ends on its own, with its own exit code
                code = self._end()
                if code > 0:
                    raise NotLoadedError(code) from None
                raise UserError(
                    f"the process that loads the model was ended by {_signal_name(-code)} (often for "
                    "lack of memory)"
                ) from None

    def tend(self) -> None:
        """See to it that there is a process with the model; called now and then, never waits."""
        if not self._turn.acquire(blocking=False):
            return
        try:
            if self._pipe is None:
                if not self._closed and time.monotonic() >= self._not_before:
                    self._start()
            elif self._pipe.poll(0):
                self._hear(self._pipe)
        except (EOFError, OSError):
            self._lost()
        finally:
            self._turn.release()

    def answer(self, text: str, client: socket.socket | None = None) -> str:
        """Return the answers to a text as JSON; nothing more is done for a client that has gone."""
        parsed(text)  # what is refused anyway does not wait
        deadline = time.monotonic() + self._seconds
        if not self._places.acquire(blocking=False):
            raise BusyError("many questions are waiting; ask again in a moment")
        try:
            while not self._turn.acquire(timeout=min(LOOK, self._seconds)):
                self._still_wanted(deadline, client)
            try:
                return self._answer(text, deadline, client)
            finally:
                self._turn.release()
        finally:
            self._places.release()

    def close(self) -> None:
        """Take nothing more, and stop what is under way."""
        with self._ending:
            self._closed = True
            if self._process is not None:
                _kill(self._process)

    # -- for who has the turn ----------------------------------------------------------------------------

    def _answer(self, text: str, deadline: float, client: socket.socket | None) -> str:
        self._still_wanted(deadline, client)
        if self._pipe is None or not self._ready:
            raise BusyError("the model is being loaded; ask again in a moment")
        try:
            message = self._asked(self._pipe, text, deadline, client)
        except (EOFError, OSError):
            self._lost()
            if self._closed:
                raise BusyError("the server is ending") from None
            raise FailedError from None
        if message.kind is Kind.ANSWERS:
            return message.body
        if message.kind is Kind.REFUSED:
            raise UserError(message.body)
        if message.kind is Kind.ENDED:
            complain(
                f"error: the process that answers was ended by {message.body}; another one goes on"
            )
        else:
            complain(f"error: a text could not be answered\n{message.body}")
        raise FailedError

    def _asked(
        self, pipe: Connection, text: str, deadline: float, client: socket.socket | None
    ) -> Message:
        pipe.send_bytes(Message(Kind.TEXT, text).to_bytes())
        try:
            while not wait(
                [pipe] if client is None else [pipe, client], deadline - time.monotonic()
            ) or (not pipe.poll(0)):
                self._still_wanted(deadline, client)
                if client is not None and _has_more(client):
                    client = (
                        None  # it sends what nobody asked for; it will not be told from leaving
                    )
        except (BusyError, GoneError):
            self._stop(pipe)
            raise
        return Message.from_bytes(pipe.recv_bytes())

    def _stop(self, pipe: Connection) -> None:
        """Stop what is under way; what was said of it meanwhile is not wanted."""
        pipe.send_bytes(Message(Kind.STOP).to_bytes())
        limit = time.monotonic() + SECONDS_TO_STOP
        while pipe.poll(max(0.0, limit - time.monotonic())):
            if Message.from_bytes(pipe.recv_bytes()).kind is Kind.STOPPED:
                return
        raise TimeoutError

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with self._ending, theirs:
            if self._closed:
                ours.close()
                return
            # A session of its own: Ctrl-C reaches the server alone, and one kill all that answers.
            self._process = subprocess.Popen(
                self._command,
                stdin=theirs.fileno(),
                start_new_session=True,
                env={**os.environ, **ONE_THREAD},
            )
        self._pipe, self._ready = Connection(ours.detach()), False

    def _hear(self, pipe: Connection) -> None:
        """Take what a process says that was asked nothing."""
        message = Message.from_bytes(pipe.recv_bytes())
        if message.kind is Kind.READY:
            self._ready, self._pause = True, 1.0

    def _lost(self) -> None:
        """Tell that the process with the model has ended; `tend` starts another one."""
        code = self._end()
        if not self._closed:
            how = _signal_name(-code) if code <= 0 else f"exit code {code}"
            complain(
                f"error: the process that holds the model has ended ({how}); it is started again"
            )
        self._not_before = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _end(self) -> int:
        """End the process and all that it started; return its exit code."""
        assert self._process is not None
        assert self._pipe is not None
        with self._ending:
            _kill(self._process)
            self._pipe.close()
            code = self._process.returncode
            self._process, self._pipe, self._ready = None, None, False
        return code

    def _still_wanted(self, deadline: float, client: socket.socket | None) -> None:
        if self._closed:
            raise BusyError("the server is ending")
        if time.monotonic() >= deadline:
            raise BusyError(f"no answer within {self._seconds:g} s; ask less at once")
        if client is not None and _is_gone(client):
            raise GoneError


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and all of its session."""
    if process.returncode is None:  # not yet waited for: the number is still its own
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _is_gone(client: socket.socket) -> bool:
    """Say whether a client has closed its connection."""
    return _peeked(client) == b""


def _has_more(client: socket.socket) -> bool:
    return bool(_peeked(client))


def _peeked(client: socket.socket) -> bytes | None:
    """Return the next byte of a client; none at its end, None where there is nothing yet."""
    look = poll()
    look.register(client, POLLIN)
    found = look.poll(0)
    if not found:
        return None
    if found[0][1] & (POLLERR | POLLHUP):
        return b""
    try:
        return client.recv(1, socket.MSG_PEEK)
    except OSError:
        return b""
