"""The processes that answer questions about jobs by a user's own code, such as its metrics and quantities."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.own.file import OwnFile
from engine.own.measured_columns import RESULT
from engine.own.running import texts_to_run
from engine.own.shared_arrays import load, mapped, store
from engine.system import end_group, hands_on_files, new_memory

LONGEST = 60.0
"""s for which an answer may be worked out."""

MOST_MEMORY = 4 << 30
"""Bytes that the process may take beside what it shares."""

MOST_IDLE = 4
"""Processes that are kept for further questions."""

_GRACE_S = 1.0
"""s that a process has to end by itself."""


def answer_to(
    file: OwnFile, asked: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, Any], NDArray[np.float64] | None]:
    """What code answers to a question about columns of jobs, and the column RESULT if there is one.

    The code has to be allowed. Raises InputError with what goes wrong in the process.
    """
    if not hands_on_files():
        raise InputError("code of your own runs on Linux and macOS only")
    process = _taken(file)
    answer, result = process.answer(asked, columns)
    with _taking:
        _idle.append(process)
    return answer, result


class _Answering:
    """The process that answers the questions about a file, one after the other: it is started once.

    What fails in the code itself is an answer. Where the process fails, it is ended.
    """

    def __init__(self, file: OwnFile) -> None:
        self.file, self._memory = file, new_memory()
        # -P keeps the folder in which the command runs from the modules that the process may import.
        command: Sequence[str] = [sys.executable, "-P", "-m", "engine.own.answer_child"]
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(self._memory,),
            env={**os.environ, "PYTHONHASHSEED": "0"},
            start_new_session=True,  # so that the process and all that it starts are ended as a group
        )
        # The first question brings the code with it, which later questions find there.
        self._with_first = {**texts_to_run(file), "file": self._memory, "memory": MOST_MEMORY}

    def answer(
        self, asked: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Any], NDArray[np.float64] | None]:
        """What it answers to a question about jobs, and a copy of the column that it wrote.

        Raises InputError where it ends, or takes too long.
        """
        os.ftruncate(self._memory, 0)  # pages of zeros are left out when arrays are stored
        places = store(self._memory, list(columns.values()))
        question = {**self._with_first, **asked, "columns": list(columns), "places": places}
        self._with_first = {}
        try:
            line = self._line((json.dumps(question) + "\n").encode())
        except BaseException:
            self.end()
            raise
        try:
            answer = json.loads(line)
        except ValueError:
            status = self.end()
            how = f"signal {-status}" if status < 0 else f"status {status}"
            why = f"its process ended with {how} before the answer was there"
            raise InputError(f"{self.file.path}: {why}") from None
        if not isinstance(answer, dict):
            self.end()
            raise InputError(f"{self.file.path}: its process answered with something else")
        if RESULT not in columns:
            return answer, None
        # A copy: the memory is emptied for the next question.
        place = places[list(columns).index(RESULT)]
        return answer, next(load(mapped(self._memory), [place])).copy()

    def _line(self, question: bytes) -> bytes:
        """The line that it answers with; less where it ends before. Raises InputError after LONGEST."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, which reading tells
            self._child.stdin.write(question)
            self._child.stdin.flush()
        line, until = b"", time.monotonic() + LONGEST
        while not line.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._child.stdout], [], [], left)[0]:
                raise InputError(f"{self.file.path}: it did not return for {LONGEST:g} s")
            piece = os.read(self._child.stdout.fileno(), 1 << 16)
            if not piece:
                break
            line += piece
        return line

    def end(self) -> int:
        """End the process; how it ended."""
        with suppress(BrokenPipeError):
            assert self._child.stdin is not None
            self._child.stdin.close()
        # A process that does not end by itself soon is ended with all that it started.
        try:
            status = self._child.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            end_group(self._child.pid)
            status = self._child.wait()
        assert self._child.stdout is not None
        self._child.stdout.close()
        os.close(self._memory)
        return status


_idle: list[_Answering] = []
"""Processes that have answered and wait for the next question, the newest last."""


def _taken(file: OwnFile) -> _Answering:
    """A process of this file that nobody else asks, kept or new; of others too many are ended."""
    with _taking:
        for place, process in enumerate(_idle):
            if process.file == file:
                return _idle.pop(place)
        surplus = [_idle.pop(0) for _ in range(len(_idle) - MOST_IDLE + 1)]
    for process in surplus:
        process.end()
    return _Answering(file)


_taking = threading.Lock()


@atexit.register
def end_idle() -> None:
    """End the processes that wait for questions."""
    while _idle:
        _idle.pop().end()
