"""Waits by groups and kinds of reasons: as text, as columns of a file, and as values for programs."""

from __future__ import annotations

from engine.metrics.waits import GroupWaits
from engine.quantities.job_table import Table
from engine.shown_text import format_name
from views.text.values import duration

_NAMED = {"partition": "queue", "account": "account", "user": "user"}


def waits_rows(waits: GroupWaits) -> list[list[str]]:
    """The titles and a row for each group: its jobs that waited, their waits, and shares in %; or nothing."""
    if not len(waits.seconds):
        return []
    shown = waits.shown
    titles = [*waits.by, "jobs", "waits", *(f"{waits.kinds[kind]} %" for kind in shown)]
    rows = [
        [
            *(_name(field, name) for field, name in zip(waits.by, waits.names[k], strict=True)),
            f"{int(waits.jobs[k]):,}",
            duration(float(waits.seconds[k])),
            *(f"{100 * waits.shares[k, kind]:.1f}" for kind in shown),
        ]
        for k in range(len(waits.seconds))
    ]
    return [titles, *rows]


def _name(field: str, name: str) -> str:
    return format_name(_NAMED[field], name) if field in _NAMED else name


def waits_table(waits: GroupWaits) -> Table:
    """A row for each group: its names, jobs that waited, their waits, and the s of each kind of reason."""
    of_names = [(field, [names[k] for names in waits.names]) for k, field in enumerate(waits.by)]
    parts = [(f"{kind.replace(' ', '_')}_s", waits.parts[:, place]) for place, kind in enumerate(waits.kinds)]
    return [*of_names, ("jobs", waits.jobs), ("wait_s", waits.seconds), *parts]


def waits_facts(waits: GroupWaits) -> dict[str, object]:
    """The waits for programs; times in s."""
    groups = [
        {
            **dict(zip(waits.by, waits.names[k], strict=True)),
            "jobs": int(waits.jobs[k]),
            "wait_s": int(waits.seconds[k]),
            "parts_s": dict(zip(waits.kinds, waits.parts[k].tolist(), strict=True)),
        }
        for k in range(len(waits.seconds))
    ]
    return {"by": list(waits.by), "inferred": waits.inferred, "groups": groups}
