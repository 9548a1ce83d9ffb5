"""Files of users' shares: a CSV with the columns `user,share`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from engine.errors import InputError

MAX_SIZE = 1 << 24


def read_share_rows(path: Path) -> list[tuple[int, str, str]]:
    """Line, user and share of each row as they are written, without blank rows; each user is there once.

    Raises InputError, which names the path and the line. Devices and pipes are not read: they may
    have no end.
    """
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: cannot read this file of shares: it is no file")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read(MAX_SIZE + 1)
        rows = list(csv.reader(io.StringIO(text[:MAX_SIZE], newline="")))
    except (OSError, ValueError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InputError(f"{path}: cannot read this file of shares: {why}") from error
    if len(text) > MAX_SIZE:
        raise InputError(f"{path}: a file of shares has at most {MAX_SIZE:,} characters; this one is longer")
    if not rows or [cell.strip().lower() for cell in rows[0]] != ["user", "share"]:
        raise InputError(f"{path}:1: expected the columns user,share")
    found = []
    users: set[str] = set()
    for number, row in enumerate(rows[1:], 2):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) != 2 or not cells[0]:
            raise InputError(f"{path}:{number}: expected user,share")
        if cells[0] in users:
            raise InputError(f"{path}:{number}: user {cells[0]} is listed twice")
        users.add(cells[0])
        found.append((number, cells[0], cells[1]))
    return found
