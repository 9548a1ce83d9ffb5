"""Entry point of a `batchscope` process.

Python's collector of garbage would look through all that is loaded again and again while it is loaded, for a
tenth of a second: it begins to work when the command does.
"""

from __future__ import annotations

import gc
import sys

from app.cli.interrupt import tell_interrupt


def run_process() -> None:
    """Run the command and exit with its status.

    An interrupt is told in a line from the first import on: loading takes long enough to be interrupted.
    """
    gc.disable()
    try:
        from app.cli.main import run_process

        run_process()
    except KeyboardInterrupt as interrupt:
        sys.exit(tell_interrupt(interrupt))
