"""A real Slurm by hand: `python -m tests.real FOLDER [few|many]` keeps in FOLDER what it said."""

import sys
from pathlib import Path

from tests.real.session import take
from tests.real.site import lacks

if __name__ == "__main__":
    if missing := lacks():
        sys.exit(missing)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    print(take(folder.resolve(), *sys.argv[2:3]))
