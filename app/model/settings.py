"""Settings kept between sessions: theme, window, layout, recent files.

Several programs may run at once: each writes its own changes and leaves the rest of the file unchanged.
"""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_config_path

from app.model.documents.from_json import from_json
from app.model.documents.json_input import parse_json
from app.model.documents.upgrade import SETTINGS_FORMAT, settings_format, upgrade_settings
from engine.atomic import write_atomically
from engine.reading.options import Reading
from engine.trust import DistrustError, check_own
from views.data.asked_job import AskedJob
from views.data.view_options import ViewOptions

MOST_RECENT = 10
MOST_READINGS = 40
TEXT_SIZES = range(7, 17)
"""Sizes of text that can be chosen, in points: the tallest still fits a line of titles."""

_MOST_PIXELS = 16_384

_MOST_BYTES = 4 << 20
"""Of the file; with many layouts and filters it has 100 kB."""

PRESETS_SHOWN = ("recorded", "fcfs", "fairshare-fcfs", "easy", "fairshare-easy")
"""The initial runs of a trace: its own schedule if it has one, and the four policies of
Toth & Klusacek 2014, section 4."""


@dataclass(frozen=True)
class NowSettings:
    """What of the queue as it is was shown last: its files, how it is looked at, and the job asked about."""

    queue: str = ""  # the file of its print
    site: str = ""  # slurm.conf, or a folder of the site's files
    minutely: bool = False
    arrivals: bool = False  # further jobs come in replays, as in the open log
    rows: str = "processors"
    colours: str = "user"
    method: bool = False  # answers are with their method
    asked: AskedJob = field(default_factory=AskedJob)
    command: str = ""  # the last command that printed the queue
    by_command: bool = False  # it is shown as the command prints it, not of the file


@dataclass(frozen=True)
class ChangeSettings:
    """What of a change of rules was asked last: the files of both, and the date in the log of that name."""

    before: str = ""  # slurm.conf, or a folder of the site's files
    after: str = ""
    at: str = ""  # ISO
    log: str = ""
    by: str = ""  # the groups that are shown


@dataclass
class Settings:
    """Settings of the user; every field has a default, so that files of other versions can be read.

    Callbacks given to `watch` are called for each field that is set; dictionaries are replaced, never changed
    in place.
    """

    theme: Literal["light", "dark", "system"] = "system"
    text_size: int = 0  # in points; 0: as the desktop has it
    geometry: str = ""  # base64 of QMainWindow.saveGeometry
    state: str = ""  # base64 of QMainWindow.saveState
    divided: list[int] = field(default_factory=list)  # heights: charts over time, box-plots and tables
    view: ViewOptions = field(default_factory=ViewOptions)  # as a new window begins
    share: str = "fair"
    fair_starts: bool = False
    toured: bool = False  # the tour of the window was seen or skipped
    scheduler: str = ""  # of Dask, whose workers make the runs of studies and searches
    explore_live: bool = True  # charts follow a slider while it moves
    policies: list[str] = field(default_factory=lambda: [*PRESETS_SHOWN])  # of a newly opened trace
    layouts: dict[str, Any] = field(default_factory=dict)  # by name: `app.model.layout.LayoutState` as JSON
    filters: dict[str, str] = field(default_factory=dict)  # saved filters, by name
    hiding: dict[str, bool] = field(default_factory=dict)  # whether these hide what they do not match
    administrators: dict[str, list[str]] = field(default_factory=dict)  # users, by the name of the trace
    without_administrators: bool = False  # in heatmaps and metrics
    recent: list[str] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)  # how logs were opened with options, by path
    now: NowSettings = field(default_factory=NowSettings)
    twin_site: str = ""  # slurm.conf of the twin that was simulated last
    twin_by: str = "queue"  # what its waits are grouped by
    change: ChangeSettings = field(default_factory=ChangeSettings)
    columns: dict[str, str] = field(default_factory=dict)  # mappings of tables, by `TableSample.key`
    kept: str = field(default="{}", init=False, compare=False)  # as it was last read or written
    doubts: tuple[str, ...] = field(default=(), init=False, compare=False)  # what could not be read

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        for callback in self.__dict__.get("_watchers", []):
            callback()

    def watch(self, callback: Callable[[], object]) -> None:
        """Call `callback` whenever a field is set, until `unwatch`."""
        self.__dict__.setdefault("_watchers", []).append(callback)

    def unwatch(self, callback: Callable[[], object]) -> None:
        """Stop calling `callback`."""
        self.__dict__["_watchers"].remove(callback)

    @property
    def spelling(self) -> str:
        """The settings as JSON, in a single line."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init}
        return json.dumps(values, default=asdict)

    def remember_reading(self, path: Path, reading: Reading) -> None:
        """Keep how a log was opened, the last MOST_READINGS of them; the path is without links."""
        name = str(path)
        others = {key: value for key, value in self.readings.items() if key != name}
        self.readings = dict([*others.items(), (name, reading)][-MOST_READINGS:])

    def remember_columns(self, key: str, mapping: str) -> None:
        """Keep what the columns of a table mean, of the last MOST_READINGS kinds of tables."""
        others = {known: value for known, value in self.columns.items() if known != key}
        self.columns = dict([*others.items(), (key, mapping)][-MOST_READINGS:])

    def remember(self, path: Path) -> None:
        """Put a file first in the list of recent files. Links are left as they are: nothing is looked at."""
        name = str(path.absolute())
        self.recent = [name, *(other for other in self.recent if other != name)][:MOST_RECENT]


def settings_path() -> Path:
    """The settings file of this user."""
    return user_config_path("batchscope") / "settings.json"


def load_settings() -> Settings:
    """The saved settings; the defaults where there are none. A broken file is set aside, not lost."""
    path = settings_path()
    settings = Settings()
    try:
        values = _document(path)
        settings = _settings_of(values)
        # Settings of a newer version are read as far as they are known, and never written over.
        if settings_format(values) > SETTINGS_FORMAT:
            settings.doubts = (
                f"A newer Batchscope wrote {path}: the settings that this version knows are used, and "
                "changes are not saved, so that no newer setting is lost.",
            )
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        settings.doubts = (_set_aside(path, error),)
    # What is unchanged is not written: the file may be edited by another window.
    settings.kept = settings.spelling
    return settings


def save_settings(settings: Settings) -> None:
    """Write what has changed since the settings were last read or written."""
    now = settings.spelling
    if now != settings.kept:
        try:
            write_changes(settings.kept, now)
        except OSError as error:
            report_unsaved(error)
        else:
            settings.kept = now


def report_unsaved(error: Exception) -> None:
    """Log that the settings could not be saved."""
    logging.getLogger(__name__).warning("could not save %s: %s", settings_path(), error)


def write_changes(before: str, now: str) -> None:
    """Apply the changes from one `Settings.spelling` to another to the file. Raises OSError.

    If the file is missing or broken it holds all of `now` afterwards; a broken file is set aside.
    """
    path, values = settings_path(), json.loads(now)
    path.parent.mkdir(parents=True, exist_ok=True)
    theirs = _in_file(path)
    if theirs is not None and settings_format(theirs) > SETTINGS_FORMAT:
        return  # of a newer version, with settings that would be lost
    if theirs is not None:
        known, recent, stored = json.loads(before), values["recent"], theirs.get("recent")
        values = _merge(known, values, theirs)
        names = stored if isinstance(stored, list) else []
        others = [name for name in names if name not in (*known.get("recent", []), *recent)]
        values["recent"] = [*recent, *others][:MOST_RECENT]  # what others have opened meanwhile
    values["format"] = SETTINGS_FORMAT
    text = json.dumps(values, indent=2)
    write_atomically(path, lambda file: file.write_text(text, "utf-8"), own_name=not _is_link_of_user(path))


def _is_link_of_user(path: Path) -> bool:
    """Whether the user has put a link in place of the settings, as people do who keep theirs in a repository.

    Files in folders of others are written through no link; this one is, where no other user can have made or
    changed the link, what it leads to, or a folder on the way to either.
    """
    if not path.is_symlink():
        return False
    try:
        check_own(path)
    except (DistrustError, OSError):  # of somebody else, or it leads nowhere
        return False
    return True


def _in_file(path: Path) -> dict[str, Any] | None:
    """The document in the file; None where there is none, or none that can be read."""
    try:
        return upgrade_settings(_document(path))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        _set_aside(path, error)
    return None


def _document(path: Path) -> dict[str, Any]:
    """The document in the file. Raises FileNotFoundError; OSError or ValueError for one of other kind."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise ValueError("it is not a file")  # a pipe could be waited for, for ever
    if about.st_size > _MOST_BYTES:
        raise ValueError(f"it is larger than {_MOST_BYTES >> 20} MiB")
    values = parse_json(path.read_bytes())
    if not isinstance(values, dict):
        raise ValueError("no settings")
    return values


def _set_aside(path: Path, error: Exception) -> str:
    """Rename a broken file; returns what was done with it, in words."""
    aside = path.with_suffix(".broken")
    done = f"{path} is broken ({error}) and was set aside as {aside.name}"
    try:
        path.replace(aside)
    except OSError as problem:
        done = f"{path} is broken ({error}) and cannot be set aside: {problem.strerror or problem}"
    logging.getLogger(__name__).warning("%s", done)
    return done


def _merge(before: dict[str, Any], now: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """`theirs` with the changes from `before` to `now`: named items (filters, layouts) are merged one
    by one.
    """
    merged = {key: value for key, value in theirs.items() if key in now or key not in before}
    for key, value in now.items():
        old, there = before.get(key), merged.get(key)
        if key in before and value == old:
            continue
        if isinstance(value, dict) and isinstance(old, dict) and isinstance(there, dict):
            merged[key] = _merge(old, value, there)
        else:
            merged[key] = value
    return merged


def _settings_of(values: Mapping[str, Any]) -> Settings:
    """Settings from a document: its known fields of the right type; elsewhere the defaults hold."""
    settings = from_json(Settings, upgrade_settings(values))
    settings.text_size = settings.text_size if settings.text_size in TEXT_SIZES else 0
    settings.policies = settings.policies or [*PRESETS_SHOWN]
    settings.divided = [size for size in settings.divided if 0 <= size < _MOST_PIXELS]
    return settings
