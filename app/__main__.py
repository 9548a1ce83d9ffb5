"""`python -m app` is the `batchscope` command.

`-m` puts the folder that one stands in before all others. Unless the program lies in it, it goes before
anything is imported. (Where it holds an `app` of its own, that is what `python -m app` asks for;
the `batchscope` command never looks there.)
"""

import os
import sys

if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH120
    del sys.path[0]

from app.cli.entry import run_process

run_process()
