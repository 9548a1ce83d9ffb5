"""The context menu of a job in the queue: what to look into, and what would help it."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from engine.logs.queue.state import WAITING, QueuedJob
from views.data.now_look import FIELDS
from views.widgets.menu_entries import MenuEntry, MenuItem, literal


class LooksInto(Protocol):
    """A page that shows one user, account or partition, and describes one job."""

    def look_into(self, field: str, name: str) -> None:
        """Look into the jobs of a user, account or partition alone."""

    def look_at_all(self) -> None:
        """Look at all jobs again."""

    def want_help(self) -> None:
        """Ask what would help the described job."""

    def fit(self) -> None:
        """Show all the time that there is."""


def queue_entries(job: QueuedJob | None, page: LooksInto) -> list[MenuItem]:
    """What can be done with a job, and with all jobs."""
    items: list[MenuItem] = []
    for field in FIELDS if job is not None else ():
        name = getattr(job, field)
        if name:
            items.append(
                MenuEntry(f"Show only {field} {literal(name)}", partial(page.look_into, field, name))
            )
    if job is not None and job.state == WAITING:
        items.append(MenuEntry("What would &help?", page.want_help))
    return [
        *items,
        None,
        MenuEntry("&All jobs", page.look_at_all),
        MenuEntry("&Fit all time", page.fit),
    ]
