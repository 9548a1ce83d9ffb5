"""Files of users' shares: a CSV with the columns `user,share`."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_SHARES_BYTES
from engine.words import clip

EQUAL = "equal"
"""The text for equal shares of all users."""


def read_share_rows(path: Path) -> list[tuple[int, str, str]]:
    """The line, user and share of each row as written, without blank rows; each user occurs once.

    Raises InputError, which names the path and the line.
    """
    rows = csv.reader(io.StringIO(read_text(path, MAX_SHARES_BYTES), newline=""))
    entries: list[tuple[int, str, str]] = []
    users: set[str] = set()
    end = 0  # of the row before
    try:
        header = [cell.strip().lower() for cell in next(rows, [])]
        if header != ["user", "share"]:
            raise InputError(f"{path}:1: expected the columns user,share")
        end = rows.line_num
        for row in rows:
            # A quoted cell may hold line breaks: a row begins right behind the last line of the row before.
            line, end = end + 1, rows.line_num
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if len(cells) != 2 or not cells[0]:
                raise InputError(f"{path}:{line}: expected user,share")
            user, share = cells
            if "," in user or not user.isprintable():
                raise InputError(f"{path}:{line}: no log has a user {clip(user)!r}: a name is one word")
            if user in users:
                raise InputError(f"{path}:{line}: user {clip(user)} is listed twice")
            users.add(user)
            entries.append((line, user, share))
    except csv.Error as error:
        raise InputError(f"{path}:{end + 1}: this is not a table: {error}") from error
    return entries


@dataclass(frozen=True)
class UserShares:
    """The share of each user or group in a file; `path` is that of the file, or `equal`."""

    path: str = EQUAL
    of_user: tuple[tuple[str, float], ...] = ()

    @property
    def absolute(self) -> UserShares:
        """The shares with the absolute path of their file."""
        return self if self.path == EQUAL else replace(self, path=str(Path(self.path).absolute()))

    def __str__(self) -> str:
        return self.path


def read_user_shares(text: str) -> UserShares:
    """The shares of a CSV file with the columns `user,share`; none for `equal`. Raises InputError.

    Shares are numbers above 0; only their ratios count. Users that are not listed have a share of 1. Files
    that end in `.users` or `.groups` are Alea's.
    """
    if text == EQUAL:
        return UserShares()
    if text.lower().endswith((".users", ".groups")):
        return UserShares(text, read_alea_shares(Path(text)))
    if not text.lower().endswith(".csv"):
        raise InputError(
            f"shares cannot be {text!r}: it is equal, or a file of users that ends in .csv, .users or .groups"
        )
    shares: dict[str, float] = {}
    for number, user, share in read_share_rows(Path(text)):
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", share) or float(share) <= 0:
            raise InputError(f"{text}:{number}: expected a user and a share above 0")
        shares[user] = float(share)
    return UserShares(text, tuple(shares.items()))


def read_alea_shares(path: Path) -> tuple[tuple[str, float], ...]:
    """The shares of users or groups in a file of the Alea simulator. Raises InputError.

    Each line has fields separated by blanks: the number used in logs, a name, the share, and a maximum of
    processors, which is ignored; lines with a `;` are comments. Shares apply to the number and to the name.
    """
    numbered: dict[str, float] = {}
    named: dict[str, float] = {}
    for line, text in enumerate(read_text(path, MAX_SHARES_BYTES).split("\n"), 1):
        words = text.split()
        if not words or ";" in words[0]:
            continue
        if len(words) < 3 or not all(re.fullmatch(r"\d{1,9}", words[k], re.ASCII) for k in (0, 2)):
            raise InputError(f"{path}:{line}: expected a number, a name and a share: {clip(text)}")
        number, name, share = words[0], words[1], float(words[2])
        if number in numbered:
            raise InputError(f"{path}:{line}: {number} is listed twice")
        if share <= 0:
            raise InputError(f"{path}:{line}: expected a share above 0")
        numbered[number] = share
        # Names may stand there twice, numbers may not: the first name counts.
        named.setdefault(name, share)
    return tuple((named | numbered).items())
