"""`now --every`: the queue as pages, a document and metrics, renewed until the process is ended."""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from app.export.output import keep_others
from app.export.published_queue import (
    PublishedQueue,
    published_fragment,
    published_page,
    queue_document,
    queue_metrics,
    renewed_words,
)
from app.export.queue_page import PAGE_BEGINS
from app.work.process import trim_heaps, tune_allocator
from engine.atomic import check_own_name, write_atomically
from engine.errors import InputError
from engine.now.queue_forecast import QueueForecast
from engine.shown_text import json_text

PAGE, FRAGMENT, DOCUMENT = "index.html", "fragment.html", "queue.json"
_BEGINNINGS = {
    PAGE: PAGE_BEGINS,
    FRAGMENT: '<section class="batchscope-queue"',
    DOCUMENT: r'\{"format": "batchscope-queue"',
}
"""How a file of each name begins if it was written here."""

_METRICS_BEGIN = "# HELP batchscope_"
_SHORTEST_PAUSE = 1.0
"""Least pause between two tries, s: each runs a command that puts load on the controller of the cluster."""


class PublishPlace(NamedTuple):
    """Where a queue is published: a folder, and a file of metrics beside it, or None; and how."""

    folder: Path
    metrics: Path | None
    every: int
    public: bool

    def write(self, view: PublishedQueue) -> None:
        """Write all files, each at once; the document last, since it says that the others are there.

        The folder may be one that others can write: links in place of the files are refused. Raises OSError.
        """
        texts = {
            PAGE: published_page(view),
            FRAGMENT: published_fragment(view),
            DOCUMENT: json_text(queue_document(view)) + "\n",
        }
        for name, text in texts.items():
            _write(self.folder / name, text, own_name=True)
        if self.metrics is not None:
            _write(self.metrics, queue_metrics(view), own_name=False)


def check_place(place: PublishPlace, *, force: bool = False) -> None:
    """Make the folder where it lacks, and refuse files that were not written here, unless with `force`.

    Raises InputError, OSError.
    """
    place.folder.mkdir(parents=True, exist_ok=True)
    beginnings = {place.folder / name: begins for name, begins in _BEGINNINGS.items()}
    for path in beginnings:
        check_own_name(path)
    if place.metrics is not None:
        beginnings[place.metrics] = _METRICS_BEGIN
    if not force:
        for path, begins in beginnings.items():
            keep_others(path, begins)


@dataclass
class Publisher:
    """Publishes what `ask` answers, and goes on where that fails: the last queue stays, and its age shows."""

    place: PublishPlace
    ask: Callable[[], QueueForecast]
    tell: Callable[[str], None]
    clock: Callable[[], float] = time.time
    last: PublishedQueue | None = None

    def renew(self) -> None:
        """Ask once, and write what came of it."""
        last = self.last or PublishedQueue(None, 0, None, self.place.every, public=self.place.public)
        try:
            answer = self.ask()
            read = answer.state.time if answer.state.time is not None else int(self.clock())
            view = replace(last, answer=answer, written=int(self.clock()), read=read, failure="")
        except (InputError, OSError) as error:
            view = replace(last, written=int(self.clock()), failure=str(error))
        # Only a change is logged: a line for each success would fill the log of the service.
        if self.last is None or self.last.failure != view.failure:
            self.tell(renewed_words(view))
        self.last = view
        try:
            self.place.write(view)
        except OSError as error:
            self.tell(f"{error.filename}: {error.strerror}")

    def run(self, pause: Callable[[float], object] = time.sleep) -> None:
        """Renew until the process is ended. SIGTERM ends it well, as a service is ended."""
        try:
            while True:
                begun, first = time.monotonic(), self.last is None
                self.renew()
                if first:  # what is loaded by now stays: the collector need not look through it each time
                    gc.collect()
                    gc.freeze()
                trim_heaps()  # otherwise the memory of reading the queue is kept until the next reading
                pause(max(self.place.every - (time.monotonic() - begun), _SHORTEST_PAUSE))
        except KeyboardInterrupt as interrupt:
            if interrupt.args != (signal.SIGTERM,):
                raise
            self.tell("ended by SIGTERM")


def publish(options: argparse.Namespace, ask: Callable[[], QueueForecast]) -> None:
    """Publish in the folder of `-o` until the process is ended. Raises InputError, OSError."""
    place = PublishPlace(options.output, options.metrics, options.every, options.public)
    check_place(place, force=options.force)

    def tell(words: str) -> None:
        if not options.quiet:
            print(f"{place.folder}: {words}", file=sys.stderr, flush=True)

    tune_allocator()
    Publisher(place, ask, tell).run()


def _write(path: Path, text: str, *, own_name: bool) -> None:
    write_atomically(path, lambda part: part.write_text(text, "utf-8"), own_name=own_name)
