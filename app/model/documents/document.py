"""A session as data: the path of the trace, its machine, the runs, and how they were looked at.

Schedules are not saved: a run is simulated again when the session is opened, which is faster than reading a
schedule. Every field has a default, so that files of other versions can be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from app.model.layout import LayoutState
from engine.reading.options import Reading
from engine.search.typed_question import TypedQuestion
from views.data.view_options import ViewOptions

FORMAT = 3
"""Of the file; it grows when a reader of the format before would misunderstand a session.

With it grows the list of steps in `upgrade.py`.
"""

SUFFIX = ".batchscope"

Stamp = tuple[int, int, int]
"""Inode, time and size of a file: another for each writing."""

LONGEST_TITLE = 60
"""Characters of the name that a reader gives a run."""


def stamp_of(file: Path) -> Stamp | None:
    """The stamp of a file as it is now; None where there is none. Call it in a thread."""
    try:
        about = file.stat()
    except (OSError, ValueError):
        return None
    return about.st_ino, about.st_mtime_ns, about.st_size


@dataclass(frozen=True)
class Source:
    """The trace of a session: its path, and the data that identify it."""

    path: str = ""  # absolute
    relative: str = ""  # from the folder of the session file; for sessions that move with their trace
    example: bool = False  # the bundled trace, wherever the program is installed
    size: int = 0  # bytes of the file
    sha256: str = ""  # of the file, hexadecimal


@dataclass(frozen=True)
class SavedRun:
    """A run as it is spelled; its colour follows from its id."""

    id: int = 0
    policy: str = ""
    cluster: str = ""  # spelled; empty: the study's
    title: str = ""  # the name that a reader gave it, if any


@dataclass(frozen=True)
class SavedText:
    """The text of a file of code, by lines; it is there to be read, and is never run."""

    file: str = ""  # from the folder of the file that was named
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class SavedCode:
    """A file of a user's own code that runs, metrics or quantities are of, as it was when they were made."""

    path: str = ""  # absolute
    sha256: str = ""  # the digest over all texts, by which a user allows the code
    texts: tuple[SavedText, ...] = ()  # that of the file, then those of the modules beside it


@dataclass(frozen=True)
class Picked:
    """The selection. Users, queues and jobs are named as the log names them."""

    span: tuple[float, float] | None = None  # the picked time range, s
    instant: float | None = None  # or the picked instant, s
    jobs: tuple[int | str, ...] = ()
    users: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    nodes: tuple[int, ...] = ()  # by number


@dataclass(frozen=True)
class View:
    """The look of the study: time, selection, filter, layout, and questions asked of it."""

    window: tuple[float, float] | None = None  # visible time, s from the trace's zero; None: all of it
    part: tuple[float, float] = (0.0, 1.0)  # of charts with many rows, as shares of their height
    picked: Picked = field(default_factory=Picked)
    filter: str = ""  # spelled; empty: none
    hides: bool = False  # what does not match the filter
    layout: LayoutState = field(default_factory=LayoutState)
    study: str = ""  # the name of a ready-made study file, or the path of another; empty: none
    search: TypedQuestion = field(default_factory=TypedQuestion)  # what was searched for last


@dataclass(frozen=True)
class Session:
    """All that is needed to bring a window back."""

    file: str = ""  # where an autosaved session was last saved by its owner, if ever
    newer: str = ""  # the version of a newer program that wrote the file, which is never written over
    source: Source = field(default_factory=Source)
    cluster: str = ""  # spelled; empty: the trace's own
    scale: str = ""  # spelled, of all runs, by earlier versions; now each run has its workload
    reading: Reading = field(default_factory=Reading)  # how the log is read
    share: str = "fair"
    share_beside: str = ""  # path of its file, relative to the folder of the session file
    fair_starts: bool = False
    left_out: tuple[str, ...] | None = None  # users that are not measured; None: whom the settings say
    runs: tuple[SavedRun, ...] = ()
    code: tuple[SavedCode, ...] = ()  # a user's own, that runs, metrics and quantities are of
    view: View = field(default_factory=View)

    @property
    def work(self) -> Session:
        """The part of a session that a user would miss: everything but the view, of which only the marks."""
        source = replace(self.source, relative="")
        marks = View(layout=LayoutState(options=ViewOptions(marks=self.view.layout.options.marks)))
        return replace(self, file="", newer="", source=source, share_beside="", view=marks)
