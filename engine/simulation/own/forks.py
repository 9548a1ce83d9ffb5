"""Processes for a user's own code, forked from one that is started when the first of them is needed."""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from engine.compiler.cache import kernel_folder
from engine.simulation.own.fork_server import BEGIN, END

_WAIT_S = 5.0  # until a server that was told to end is ended


class Fork:
    """A process, by the connection to it: it reads a line, and answers with one.

    The server adds a line with its status when it has ended.
    """

    def __init__(self, server: _Server, number: int, connection: socket.socket) -> None:
        self._server, self._number, self._connection = server, number, connection

    def asked(self, line: bytes) -> list[bytes]:
        """The lines that come until it has ended: its answer, if any, and its status, if the server lives."""
        lines = b""
        with suppress(OSError):  # it has ended before it had read everything
            self._connection.sendall(line)
        with suppress(OSError):
            while piece := self._connection.recv(1 << 16):
                lines += piece
                # What it has started may hold on to the connection for longer than it lives.
                if lines.endswith(b"}\n") and b'{"status": ' in lines[-40:]:
                    break
        return lines.splitlines()

    def end(self) -> None:
        """End it, with what it has started."""
        self._server.send(END, self._number)

    def close(self) -> None:
        """Close the connection of a process that has ended."""
        self._connection.close()
        self._server.leave()


class _Server:
    """The process that forks, with an environment like this one's."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment, self.owner = environment, os.getpid()
        self._runs, self._used, self._retired = 0, 0, False
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                # -P: not the working directory's modules
                [sys.executable, "-P", "-m", f"{__package__}.fork_server", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=environment,
                start_new_session=True,
            )

    def serves(self, environment: Mapping[str, str]) -> bool:
        """Whether it can fork for this process as it is now."""
        same = self.environment == environment and self.owner == os.getpid()
        return same and self._process.poll() is None

    def fork(self, state: int, room: int) -> Fork:
        """A new process with these two files of memory."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            self._runs += 1
            self._used += 1
            number = self._used
            with suppress(OSError), Path(os.devnull).open("wb") as nothing:  # if it has ended, asking tells
                errors = 2 if _is_open(2) else nothing.fileno()
                files = [theirs.fileno(), errors, state, room]
                socket.send_fds(self._control, [BEGIN + number.to_bytes(8)], files)
        return Fork(self, number, ours)

    def send(self, kind: bytes, number: int) -> None:
        """Send a message about a run."""
        with self._lock, suppress(OSError):
            self._control.sendall(kind + number.to_bytes(8))

    def leave(self) -> None:
        """One of its processes has ended."""
        with self._lock:
            self._runs -= 1
            over = self._retired and not self._runs
        if over:
            self._stop()

    def retire(self) -> None:
        """End it when what it has forked has ended."""
        with self._lock:
            self._retired = True
            over = not self._runs
        if over:
            self._stop()

    def _stop(self) -> None:
        self._control.close()  # which ends it
        if self.owner == os.getpid():
            try:
                self._process.wait(_WAIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def _is_open(file: int) -> bool:
    """Whether this process has a file open under this number."""
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


_current: list[_Server] = []
_starting = threading.Lock()


def forked(state: int, room: int) -> Fork:
    """A new process for own code, with these two files of memory."""
    with _starting:
        return _server().fork(state, room)


def _server() -> _Server:
    """The server for this process as it is now: started anew where the environment is another by now."""
    kernel_folder()  # which the environment names: its cache of kernels is that of this process
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # strings hash alike in all runs
    if _current and not _current[0].serves(environment):
        _current.pop().retire()
    if not _current:
        _current.append(_Server(environment))
    return _current[0]


@atexit.register
def end_server() -> None:
    """End the server, if there is one."""
    while _current:
        _current.pop().retire()
