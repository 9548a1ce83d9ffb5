"""LaTeX as it is installed, if it is: what it says of a text."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

with_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")


def complaints(file: Path) -> list[str]:
    """The lines on boxes that are too wide or too high, on floats larger than a page, and on errors."""
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", file.name]
    done = subprocess.run(
        command, cwd=file.parent, capture_output=True, text=True, errors="replace", timeout=120
    )
    bad = ("Overfull", "!", "LaTeX Warning: Float too large")
    return [line for line in done.stdout.splitlines() if line.startswith(bad)]


def has_packages(*names: str) -> bool:
    """Whether LaTeX has these packages; a small installation lacks some."""
    finder = shutil.which("kpsewhich")
    if finder is None:
        return False
    files = [f"{name}.sty" for name in names]
    found = subprocess.run([finder, *files], capture_output=True, text=True, check=False, timeout=60).stdout
    return len(found.split()) == len(files)


def long_name(chance: random.Random) -> str:
    """A name of letters, digits and marks that LaTeX reads otherwise, of up to 70 letters."""
    letters = "abcdefmwMWilTX0123456789-_:=,./+ &%"
    drawn = "".join(chance.choice(letters) for _ in range(chance.choice([3, 8, 20, 45, 70])))
    return drawn.strip() or "x"


def long_text(chance: random.Random) -> str:
    """Up to ten such names."""
    return " ".join(long_name(chance) for _ in range(chance.choice([1, 3, 10])))
