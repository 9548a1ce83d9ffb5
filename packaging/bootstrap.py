#!/usr/bin/env python3
"""Two commands on a fresh machine, with nothing but Python.

    python3 packaging/bootstrap.py run [ARGS...]     batchscope ARGS, or its demo
    python3 packaging/bootstrap.py test [ARGS...]    every check; ARGS go to pytest
    python3 packaging/bootstrap.py test --quick      static checks, and tests of the files that changed

Both first see to the environment in `.venv` and to the shared libraries that Qt needs.
This file alone must still be read by old Pythons, down to 3.6, to say what is wrong.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 14)


def main(arguments: "list[str]") -> int:
    """Run the command that the arguments name; its exit status, or 2 for wrong usage."""
    if not arguments or arguments[0] not in ("run", "test"):
        asked = bool(arguments) and arguments[0] in ("-h", "--help")
        print(__doc__, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return restart(arguments)
    sys.path.insert(0, str(Path(__file__).resolve().parent))  # which PYTHONSAFEPATH leaves out
    import commands

    return commands.execute(arguments[0], arguments[1:])


def restart(arguments: "list[str]") -> int:
    """Restart under a Python that the locked packages support, if the path has one; otherwise return 1."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = shutil.which("python3.{}".format(minor))
        if other and subprocess.call([other, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            os.execv(other, [other, os.path.abspath(__file__)] + arguments)
    print(
        "Batchscope needs Python 3.11, 3.12, 3.13 or 3.14, and this is {}.{}.\n"
        "Install one of them (on Debian or Ubuntu: apt-get install python3 python3-venv; elsewhere: "
        "https://www.python.org/downloads/)\nand start this script with it.".format(*sys.version_info[:2]),
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
