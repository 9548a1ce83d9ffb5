"""Entry point of a `batchscope` process.

Python's collector of garbage would look through all that is loaded again and again while it is loaded, for a
tenth of a second: it begins to work when the command does.
"""

from __future__ import annotations

import gc


def run_process() -> None:
    """Run the command and exit with its status."""
    gc.disable()
    from app.cli.main import run_process

    run_process()
