"""The tests of the command line on an installed program: `python -m tests.installed PYTHON [ARGS...]`.

PYTHON is that of an environment with a wheel and with what tests need; ARGS go to pytest, by default
`tests/app/cli`. The tests are copied, and import what is installed: names are changed as in a package.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.packaging_modules import load
from tests.paths import ROOT, SHARED

_LARGE = ("__pycache__", "pictures", "benchmarks")
_READ = ("resources", "packaging", "pyproject.toml", "README.md", "CHANGELOG.md")
"""What tests read beside them; none of it is imported."""

_PROGRAM = re.compile(r"(?<=[\"'; ])((?:from|import) )(?=(?:app|engine|views|resources)\.)")
_LATER_LINE = re.compile(r"(?<=\\n)((?:from|import) )(?=(?:app|engine|views|resources)\.)")
"""Imports within a string that is a program: at its beginning, behind a statement, or in a further line."""

_COMMAND = '"-m", "app"'


def copy_tests(folder: Path) -> Path:
    """Copy the tests into a folder, so that they import an installed program; the folder. Raises OSError."""
    inside = load("inside")
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns(*_LARGE))
    for path in (folder / "tests").rglob("*.py"):
        text = inside.imports_inside(path.read_text("utf-8"), ROOT)
        for pattern in (_PROGRAM, _LATER_LINE):
            text = pattern.sub(rf"\1{inside.INSIDE}.", text)
        path.write_text(text.replace(_COMMAND, f'"-m", "{inside.INSIDE}"'), "utf-8")
    for name in _READ:
        (folder / name).symlink_to(ROOT / name)
    return folder


def main(arguments: list[str]) -> int:
    """Run the tests in a folder of their own; the exit status of pytest, or 2 for wrong usage."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    python, *words = arguments
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "copy"
        copy_tests(folder)
        if SHARED.exists():
            (Path(place) / SHARED.name).symlink_to(SHARED)
        call = [str(Path(python).absolute()), "-m", "pytest", "-p", "no:cacheprovider"]
        return subprocess.call([*call, *(words or ["tests/app/cli"])], cwd=folder, env=os.environ)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
