"""`python -m app` is the `batchscope` command.

`-m` puts the working directory first on the import path. It is removed before anything is imported, unless it
contains the program. (If it has its own package `app`, then `python -m app` means that package; the
`batchscope` command never looks there.)
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH120
    del sys.path[0]

from app.cli.entry import run_process

run_process()
