"""Collecting: the commands of a plan run one by one; what they print is written whole or not at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from shutil import which
from typing import NamedTuple

from engine.atomic import make_own_folder, write_atomically
from engine.collect.item import LOG, Item, Plan
from engine.errors import InputError
from engine.slurm.site.reservations import NO_RESERVATIONS

Run = Callable[[Sequence[str]], str]
"""Runs a command and returns what it prints; raises InputError where it fails."""


class Collected(NamedTuple):
    """What became of an item: `lines` that were written, or why it is missing, in words.

    An item that was collected before is `kept`; `empty` is that there is nothing of its kind.
    """

    item: Item
    lines: int = 0
    missing: str = ""
    kept: bool = False
    empty: bool = False


_NOTHING_THERE = "no topology"
"""What scontrol says, in small letters, where the network is not described."""


def command_of(words: Sequence[str]) -> str:
    """The name of the command, behind settings of its environment."""
    return next(word for word in words if word != "env" and "=" not in word)


def keep_others(plan: Plan, folder: Path) -> None:
    """Raise InputError for a folder with files of the plan's names that are somebody else's.

    So has /etc/slurm a `topology.conf`. Each collection first makes the folder of the log: where that is, the
    files were collected before.
    """
    if (folder / LOG).is_dir():
        return
    for name in plan.names:
        if (folder / name).exists():
            raise InputError(
                f"{folder / name}: this file was not collected; name another folder, or replace it by --force"
            )


def _settings(words: Sequence[str]) -> Sequence[str]:
    """The words before the command, which set its environment: nobody has to read them in a message."""
    return words[: words.index(command_of(words))]


def gather(plan: Plan, folder: Path, run: Run) -> Iterator[Collected]:
    """Collect the items of a plan into a folder, which is made, and yield what became of each.

    Files of this folder are replaced only by those of the same name. An item that lasts and is there is not
    collected again. Raises OSError.
    """
    make_own_folder(folder)
    for room in sorted({part for item in plan.items if (part := Path(item.file).parent.name)}):
        make_own_folder(folder / room)
    absent: set[str] = set()
    for item in plan.items:
        path = folder / item.file
        if item.lasting and path.is_file() and not path.is_symlink():
            yield Collected(item, kept=True)
            continue
        name = command_of(item.words)
        if name in absent or which(name) is None:
            absent.add(name)
            yield Collected(item, missing=f"there is no command {name}")
            continue
        try:
            text = run(item.words)
        except InputError as error:
            if not (item.optional and _NOTHING_THERE in str(error).lower()):
                yield Collected(
                    item, missing=str(error).removeprefix(f"{shlex.join(_settings(item.words))} ")
                )
                continue
            text = ""
        if text.strip() == NO_RESERVATIONS or (item.optional and not text.strip()):
            path.unlink(missing_ok=True)  # of an earlier time, when there were some
            yield Collected(item, empty=True)
            continue
        if why := _cut(item, text):
            yield Collected(item, missing=why)
            continue
        shown = item.shown(text, plan.asked)
        write_atomically(path, partial(_fill, shown), own_name=True)
        _remove_replaced(path, item)
        yield Collected(item, shown.count("\n"))


def _fill(text: str, part: Path) -> None:
    part.write_text(text, "utf-8")


def _cut(item: Item, text: str) -> str:
    """Why a text is not whole, in words; empty if it seems to be. A day without jobs may be empty."""
    name = command_of(item.words)
    # A day may have no jobs, but sacct prints its head even then.
    if not text:
        return "" if item.portion and name != "sacct" else f"{name} printed nothing"
    if not text.endswith("\n"):
        return f"what {name} printed ends within a line, as if cut off"
    if name == "sacct" and not text.startswith("JobID|"):
        return f"{name} did not print the names of the fields first"
    return ""


def _remove_replaced(path: Path, item: Item) -> None:
    """Remove what was collected of the same day before: the new file has all of it."""
    if not item.replaces:
        return
    for old in path.parent.iterdir():
        if old.name.startswith(item.replaces) and old != path and old.is_file():
            old.unlink(missing_ok=True)
