"""Files of a site's folder that hold less than they should: error messages, bare headings, cut dumps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from engine.slurm.site.reservations import NO_RESERVATIONS
from engine.words import clip, listed

_ERROR = re.compile(
    r"(?:\S+: )?(?:error|fatal): |slurm_load_\w+|Unable to contact slurm controller|"
    r"(?:Access|Permission)[/ ](?:permission )?denied|(?:-?\w+: )*\S+: command not found|"
    r"Problem talking to the database|You are not running a supported accounting_storage plugin",
    re.IGNORECASE,
)
_FIRST_LINES = 3
"""Lines of a file in which an error message is looked for: further down it is part of what is printed."""

_NAMED = 6
"""Files that a note names; further ones are counted."""

_CONTENTS = (
    ("qos", "priorities and limits of qualities of service"),
    ("assoc", "shares and limits of accounts and users"),
    ("dump", "shares and limits of accounts and users"),
    ("acct", "shares and limits of accounts and users"),
    ("share", "shares of accounts and users"),
    ("res", "reservations"),
    ("node", "nodes and which of them are down"),
    ("part", "partitions and which of them are down"),
    ("conf", "settings of the scheduler"),
)
"""A part of a file's name, and what is missing where such a file is not usable."""


def error_message(text: str) -> str:
    """The line by which a command of Slurm failed, at the beginning of its output; empty if it did not."""
    lines = [line.strip() for line in text[:4096].split("\n") if line.strip()]
    return next((clip(line) for line in lines[:_FIRST_LINES] if _ERROR.match(line)), "")


def note_of_error(file: Path, text: str) -> str:
    """The note of a file that holds nothing, or an error message instead; empty for other files."""
    reason = "an error message of Slurm instead" if (message := error_message(text)) else "the file is empty"
    if not message and text.strip():
        return ""
    quoted = f" (“{message}”)" if message else ""
    return f"{clip(file.name)}: {reason}{quoted}; {contents_of(file.name)}"


def contents_of(name: str) -> str:
    """What is missing where a file of this name cannot be used, as a clause."""
    lower = name.lower()
    contents = next((contents for part, contents in _CONTENTS if part in lower), "")
    return f"{contents} are missing" if contents else "what it should hold is missing"


def note_of_rest(names: Sequence[str]) -> str:
    """The note of the files that are of no kind that a site has; empty without any."""
    if not names:
        return ""
    shown = [clip(name) for name in names[:_NAMED]]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED:,} more")
    return f"not read, since by content they are no files of a site: {listed(shown)}"


def note_of_heading(name: str, rows: int, contents: str) -> str:
    """The note of a table that has a heading alone; empty for others."""
    return "" if rows else f"{clip(name)}: it holds a heading without rows; {contents} are missing"


def note_of_cut(name: str, text: str) -> str:
    """The note of a file that ends within a line, as if cut off; empty for others.

    All that Slurm prints ends with a line break; of a file that was edited its last line may be whole.
    """
    if text.endswith("\n"):
        return ""
    last = clip(text.rpartition("\n")[2].strip(), 40)
    ends = f"it ends within a line, as if cut off (“{last}”)"
    return f"{clip(name)}: {ends}; {_what_follows(name)} may be missing"


def note_of_cut_dump(name: str, text: str) -> str:
    """The note of a `sacctmgr dump` that was cut between lines: it ends with an account without users.

    A dump lists each account with its children after a line `Parent`, and it writes no such line for an
    account without children; a cut between two other lines cannot be told from a whole dump.
    """
    if not text.rstrip("\n").rpartition("\n")[2].startswith("Parent - ") or not text.endswith("\n"):
        return ""
    where = "after the heading of an account"
    return f"{clip(name)}: it ends {where}, as if cut off; accounts and users after it are missing"


def note_of_cut_reservations(name: str, text: str) -> str:
    """The note of reservations of which the last has no users and accounts: `scontrol` prints these last."""
    last = text.rpartition("ReservationName=")[2]
    none = NO_RESERVATIONS in text
    if none or not text.endswith("\n") or re.search(r"\sUsers=\S*.*\sAccounts=", last):
        return ""
    return f"{clip(name)}: its last reservation has no users and accounts, as if cut off; more may be missing"


def note_of_cut_config(name: str, text: str) -> str:
    """The note of what `scontrol show config` printed without the time that slurmctld started at."""
    if not text.endswith("\n") or "BOOT_TIME" in text:
        return ""
    return f"{clip(name)}: it does not say when slurmctld started (BOOT_TIME), from which its periods count"


def _what_follows(name: str) -> str:
    contents = contents_of(name).removesuffix(" are missing").removesuffix(" is missing")
    return "more" if contents.startswith("what ") else f"more {contents}"
