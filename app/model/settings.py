"""What is kept between sessions: theme, window, layout, recent files.

Several programs may run at once: each writes what it has changed and leaves the rest of the file as it is.
"""

from __future__ import annotations

import contextlib
import json
import logging
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from platformdirs import user_config_path

from engine.atomic import write_atomically
from views.data.gantt.colours import ColourMode

MOST_RECENT = 10

PRESETS_SHOWN = ("fcfs", "fairshare-fcfs", "easy", "fairshare-easy")
"""What a trace is first simulated under: the four policies of Toth & Klusacek 2014, section 4."""


@dataclass
class Settings:
    """Every field has a default, so that a file of another version can be read."""

    theme: Literal["light", "dark", "system"] = "system"
    show_down: bool = True  # the layers of Gantt charts
    show_waits: bool = False
    show_reservations: bool = False
    show_idle: bool = False
    step: Literal["row", "user", "delay"] = "row"
    geometry: str = ""  # base64 of QMainWindow.saveGeometry
    state: str = ""  # base64 of QMainWindow.saveState
    divided: list[int] = field(default_factory=list)  # heights: charts over time, box-plots and tables
    columns: int = 2  # run panels beside each other
    rows: Literal["processors", "nodes", "users", "queues", "jobs"] = "processors"
    user_order: Literal["violations", "name", "usage"] = "violations"
    users_by_queue: bool = False  # the rows of the heatmaps
    heatmap_shows: Literal["max", "mean"] = "max"
    shared_scale: bool = True  # of the heatmaps and strips of all runs
    show_cpu: bool = True  # the strips under the heatmaps
    show_ram: bool = True
    show_queue: bool = True
    show_folds: bool = True  # strips are folded away where room is short
    colours: ColourMode = "user"
    share: str = "fair"
    fair_starts: bool = False
    timeline_log: bool = False  # queue depth on a logarithmic scale
    timeline_averages: list[str] = field(default_factory=lambda: ["now", "10 h", "24 h"])
    gain_weights: list[int] = field(
        default_factory=lambda: [50, 25, 25]
    )  # wait, unfair jobs, loss, each 0 to 100
    explore_live: bool = True  # charts follow a slider while it moves
    policies: list[str] = field(default_factory=lambda: [*PRESETS_SHOWN])  # of a newly opened trace
    layouts: dict[str, Any] = field(default_factory=dict)  # by name: `app.shell.layout.Layout` as JSON
    distributions: str = ""  # Choices.spelling
    scatter: str = ""  # ScatterChoices.spelling
    hidden_columns: dict[str, list[str]] = field(default_factory=dict)  # of tables, by their names
    filters: dict[str, str] = field(default_factory=dict)  # saved ones, by name
    administrators: dict[str, list[str]] = field(default_factory=dict)  # users, by the name of the trace
    without_administrators: bool = False  # in heatmaps and metrics
    recent: list[str] = field(default_factory=list)
    kept: str = field(default="{}", init=False, compare=False)  # as it was last read or written

    @property
    def spelling(self) -> str:
        """All of it as JSON, in one line."""
        return json.dumps({entry.name: getattr(self, entry.name) for entry in fields(self) if entry.init})

    def remember(self, path: Path) -> None:
        """Put a file first among the recent ones."""
        name = str(path.resolve())
        self.recent = [name, *(other for other in self.recent if other != name)][:MOST_RECENT]


def settings_path() -> Path:
    """The settings file of this user."""
    return user_config_path("batchscope") / "settings.json"


def load_settings() -> Settings:
    """The saved settings; the defaults where there are none. A broken file is set aside, not lost."""
    path = settings_path()
    try:
        settings = Settings(**_of_the_right_type(json.loads(path.read_text("utf-8"))))
    except FileNotFoundError:
        settings = Settings()
    except (OSError, ValueError, TypeError, AttributeError) as error:
        _set_aside(path, error)
        settings = Settings()
    settings.kept = settings.spelling
    return settings


def save_settings(settings: Settings) -> None:
    """Write what has changed since the settings were last read or written."""
    now = settings.spelling
    if now != settings.kept:
        try:
            write_changes(settings.kept, now)
        except OSError as error:
            tell_unsaved(error)
        else:
            settings.kept = now


def tell_unsaved(error: Exception) -> None:
    """Say in the log that the settings could not be saved."""
    logging.getLogger(__name__).warning("could not save %s: %s", settings_path(), error)


def write_changes(before: str, now: str) -> None:
    """Bring the file from one `Settings.spelling` to another. Raises OSError.

    Where there is none that can be read it holds all of `now` afterwards; a broken one is set aside.
    """
    path, values = settings_path(), json.loads(now)
    path.parent.mkdir(parents=True, exist_ok=True)
    theirs = _in_file(path)
    if theirs is not None:
        known, recent, stored = json.loads(before), values["recent"], theirs.get("recent")
        values = _merge(known, values, theirs)
        names = stored if isinstance(stored, list) else []
        others = [name for name in names if name not in (*known.get("recent", []), *recent)]
        values["recent"] = [*recent, *others][:MOST_RECENT]  # what others have opened meanwhile
    write_atomically(path, lambda file: file.write_text(json.dumps(values, indent=2), "utf-8"))


def _in_file(path: Path) -> dict[str, Any] | None:
    """What the file holds now; None where there is none, or none that can be read."""
    try:
        values = json.loads(path.read_text("utf-8"))
        if isinstance(values, dict):
            return values
        _set_aside(path, ValueError("no settings"))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        _set_aside(path, error)
    return None


def _set_aside(path: Path, error: Exception) -> None:
    """A broken file is not lost."""
    logging.getLogger(__name__).warning("%s is broken (%s) and was set aside", path, error)
    with contextlib.suppress(OSError):
        path.replace(path.with_suffix(".broken"))


def _merge(before: dict[str, Any], now: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """`theirs` with the changes from `before` to `now`: of what has names (filters, layouts) one by one."""
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


def _of_the_right_type(values: Any) -> dict[str, Any]:
    """The entries that are known and of the type of their default, and among its choices."""
    default = Settings()
    hints = get_type_hints(Settings)
    kept = {}
    for entry in fields(Settings):
        if not entry.init:
            continue
        value = values.get(entry.name)
        choices = get_args(hints[entry.name]) if get_origin(hints[entry.name]) is Literal else ()
        if type(value) is type(getattr(default, entry.name)) and (not choices or value in choices):
            kept[entry.name] = value
    kept["filters"] = {k: v for k, v in kept.get("filters", {}).items() if isinstance(v, str)}
    for lists in ("administrators", "hidden_columns"):
        kept[lists] = {
            key: [entry for entry in entries if isinstance(entry, str)]
            for key, entries in kept.get(lists, {}).items()
            if isinstance(entries, list)
        }
    kept["recent"] = [entry for entry in kept.get("recent", []) if isinstance(entry, str)]
    policies = [entry for entry in kept.get("policies", []) if isinstance(entry, str)]
    kept["policies"] = policies or [*PRESETS_SHOWN]
    if not all(isinstance(entry, str) for entry in kept.get("timeline_averages", [])):
        del kept["timeline_averages"]
    weights = kept.get("gain_weights")
    if weights is not None and [w for w in weights if type(w) is int and 0 <= w <= 100] != weights[:3]:
        del kept["gain_weights"]
    kept["divided"] = [
        entry for entry in kept.get("divided", []) if type(entry) is int and 0 <= entry < 16_384
    ]
    return kept
