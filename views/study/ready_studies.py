"""The ready-made studies."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.sweep.study_file import study_source, study_title
from resources import studies


def in_words(path: Path) -> str:
    """The name of a ready-made study, short enough for a menu."""
    return path.stem.replace("-", " ").capitalize()


@cache
def ready_made() -> dict[str, Path]:
    """Their files by their titles."""
    return {study_title(path): path for path in studies().values()}


@cache
def ready_made_sources() -> dict[Path, str]:
    """The sources that they name, by their files."""
    return {path: study_source(path) for path in studies().values()}
