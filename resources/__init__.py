"""What the program brings along."""

from __future__ import annotations

from pathlib import Path


def example_path() -> Path:
    """The bundled example: a trace with its machines file beside it."""
    return Path(__file__).parent / "example.swf.gz"


def guide_path() -> Path:
    """The user guide, in Markdown, with its pictures beside it."""
    return Path(__file__).parent / "guide" / "guide.md"
