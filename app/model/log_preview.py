"""A log that is about to be opened: how many jobs its options leave, worked out in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.reading import progress_of
from engine.errors import InputError
from engine.machine.cluster import machine_problem
from engine.reading.options import Reading
from engine.simulation.control import Control
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

if TYPE_CHECKING:
    from engine.logs.sacct.prints.fields import FieldsSample
    from engine.logs.sample import TableSample
    from engine.reading.read import ReadLog
    from engine.trace.records import Records

_READ, _SAMPLE = "read", "sample"


@dataclass(frozen=True, eq=False)
class _Held:
    """Records, and the options that mattered to them."""

    key: tuple[Any, ...]
    records: Records


class LogPreview(QObject):
    """A log under changing options: its records are read once and cached, then cut again for each change.

    `read` (Reading, ReadLog) carries the result of the options; `wrong` (error) reports invalid options.
    `sampled` (TableSample or FieldsSample) carries the first rows of a log that is a table, or has no field
    names.
    """

    read = Signal(object, object)
    wrong = Signal(object)
    sampled = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.executor = Executor(self, threads=2, nice=NICE_BACKGROUND)
        self._held: _Held | None = None

    @property
    def progress(self) -> float | None:
        """The progress of reading, 0 to 1; None if nothing is being read."""
        task = self.executor.task(_READ)
        return None if task is None else task.control.progress

    def sample(self) -> None:
        """Look at the first rows, if it is a table, or a dump of sacct that names no fields."""
        self.executor.submit(_SAMPLE, self._sample, self.sampled.emit, self.wrong.emit)

    def look(self, reading: Reading) -> None:
        """Compute the result of these options; of several requests the newest is answered.

        A reading in progress continues if the new options do not change the records.
        """
        running = self._asked if self.executor.task(_READ) is not None else None
        self._asked = self._key(reading)
        self.executor.submit(
            _READ,
            partial(self._look, reading),
            partial(self._show, reading),
            self.wrong.emit,
            after_running=running == self._asked,
        )

    _asked: tuple[Any, ...] | None = None

    def close(self) -> None:
        """Stop, and release the records."""
        self.executor.shutdown()
        self._held = None

    def _key(self, reading: Reading) -> tuple[Any, ...]:
        """The options that affect the records; a spelled machine does not."""
        file = reading.machine if reading.machine and machine_problem(reading.machine) else ""
        return reading.further, file, reading.columns, reading.units, reading.fields

    def _sample(self, _: Control) -> TableSample | FieldsSample | None:
        from engine.logs.sample import dump_sample, table_sample

        return table_sample(self.path) or dump_sample(self.path)

    def _look(self, reading: Reading, control: Control) -> tuple[_Held, ReadLog | InputError]:
        from engine.reading.read import check_options, cut_log, records_as

        check_options(reading)
        held, key = self._held, self._key(reading)
        if held is None or held.key != key:
            held = _Held(key, records_as(self.path, reading, progress_of(control)))
        try:
            return held, cut_log(self.path, reading, held.records)
        except InputError as error:  # the records are worth keeping
            return held, error

    def _show(self, reading: Reading, preview: tuple[_Held, ReadLog | InputError]) -> None:
        self._held, read = preview
        if isinstance(read, InputError):
            self.wrong.emit(read)
        else:
            self.read.emit(reading, read)
