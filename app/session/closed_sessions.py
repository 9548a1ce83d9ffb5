"""Sessions that were closed or replaced without being saved: the last few are kept."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from platformdirs import user_state_path

from app.model.documents.document import SUFFIX, Session
from app.session.archive import read_session, write_session
from engine.errors import InputError
from views.text.counts import clip

MOST = 10
"""Maximum number of closed sessions."""


@dataclass(frozen=True)
class ClosedSession:
    """A description of a closed session: its trace and runs, and its closing time."""

    path: Path
    name: str


def closed_folder() -> Path:
    """The folder of this user's closed sessions."""
    return user_state_path("batchscope") / "closed"


def closed_paths() -> list[Path]:
    """The files of closed sessions, the last first."""
    try:
        return sorted(closed_folder().glob(f"[!.]*{SUFFIX}"), key=lambda path: path.name, reverse=True)[:MOST]
    except OSError:
        return []


def keep_closed(session: Session) -> None:
    """Keep a session, and no more than MOST of them. Raises OSError."""
    folder = closed_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_session(folder / f"{time.time_ns():020d}{SUFFIX}", session, private=True)
    for path in sorted(folder.glob(f"[!.]*{SUFFIX}"))[:-MOST]:
        forget_closed(path)


def forget_closed(path: Path) -> None:
    """Let go of a session that is open again."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def recently_closed() -> list[ClosedSession]:
    """The closed sessions that can be read, the last first."""
    sessions = []
    for path in closed_paths():
        with suppress(InputError, ValueError, OSError):
            session = read_session(path)
            when = datetime.fromtimestamp(int(path.stem) / 1e9)
            runs = ", ".join(run.title or run.policy for run in session.runs) or "no run"
            trace = Path(session.source.path).name
            sessions.append(ClosedSession(path, f"{trace}: {clip(runs, 50)} ({when:%d %b, %H:%M})"))
    return sessions
