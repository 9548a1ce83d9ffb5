"""A child process that compiles the kernels it is asked for: `python -m app.work.compile_on_request`.

Requests come on its standard input, and entries of the cache go to its standard output, both from and to the
process that started it (`kernel_children.py`). It ends with that process, or if nothing is asked for a while.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import suppress
from threading import Timer

IDLE_S = 10.0
"""A child that nothing is asked of for longer ends, since the compiler takes over 100 MB."""


def main() -> None:
    """Answer until there is nothing more to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the process that asks decides
    # What is printed by accident must not be read as an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BrokenPipeError, EOFError):
        while True:
            end = Timer(IDLE_S, os._exit, (0,))
            end.daemon = True
            end.start()
            request = pickle.load(sys.stdin.buffer)
            end.cancel()
            pickle.dump(_answer(request), answers)
            answers.flush()


def _answer(request: object) -> bytes | str:
    """An entry of the cache, or the reason why there is none."""
    from engine.compiler.compile_request import CompileRequest
    from engine.compiler.on_request import entry_for

    try:
        assert isinstance(request, CompileRequest)
        return entry_for(request)
    except Exception as error:  # for the message of the process that asks
        return str(error) or type(error).__name__


if __name__ == "__main__":
    main()
