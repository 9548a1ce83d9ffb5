"""The questions asked of the open trace besides its runs: a study file, and a search; sessions save them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.search.typed_question import TypedQuestion
from resources import studies


@dataclass
class Questions:
    """The study that was chosen last, and the search that was begun last."""

    study: Path | None = None
    search: TypedQuestion = field(default_factory=TypedQuestion)


def format_study(path: Path | None) -> str:
    """A ready-made study by its name, another by its path; empty: none."""
    if path is None:
        return ""
    return path.stem if studies().get(path.stem) == path else str(path.absolute())


def find_study(text: str) -> Path | None:
    """The study that `format_study` spelled, where it is still there."""
    path = studies().get(text, Path(text)) if text else None
    try:
        return path if path is not None and path.is_file() else None
    except (OSError, ValueError):  # no name that a file can have
        return None
