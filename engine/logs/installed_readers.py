"""Readers of logs that installed packages bring along, asked where no reader of the program knows a log.

A reader is a module or an object with `recognises(head)`, given the first bytes of a log, and `read(text)`,
which makes a pandas DataFrame of the log's text: a row for each job, with the columns of a CSV of jobs
(submit, runtime, procs, walltime, user...; times in s or dates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from engine.errors import InputError
from engine.logs.tables.table import read_parquet
from engine.machine.cluster import Cluster
from engine.packages import READERS, installed
from engine.trace.records import Records

_TABLE = "table.parquet"


class InstalledReader(NamedTuple):
    """A reader of an installed package, by the name of its entry point."""

    name: str
    reader: Any

    def records(self, path: Path, text: str, machine: Cluster | None) -> Records:
        """The records of a log. Raises InputError, also where the package's code fails."""
        frame = _asked(path, self.name, lambda: self.reader.read(text))
        if not hasattr(frame, "to_parquet"):
            raise InputError(
                f"{path}: the reader {self.name} gives {type(frame).__name__}, not a pandas DataFrame"
            )
        with TemporaryDirectory() as folder:
            table = Path(folder) / _TABLE
            try:
                frame.to_parquet(table, index=False)
                found = read_parquet(path, [table], machine)
            except InputError as error:  # which names a file that nobody has seen
                raise InputError(str(error).replace(f"{table}", f"{path} by {self.name}")) from None
            except (ValueError, TypeError) as error:  # columns of mixed types, or two of the same name
                raise InputError(f"{path}: the table of the reader {self.name} is none: {error}") from None
        return replace(found, read_as=f"{self.name}, by the reader of an installed package: certain")


def installed_reader(path: Path, head: bytes) -> InstalledReader | None:
    """The first reader of an installed package that knows a log by its first bytes.

    Packages are imported here, and only here. Raises InputError where their code fails.
    """
    for name, place in installed(READERS).items():
        module, _, attribute = place.partition(":")

        # The package is only imported when it is asked, within the guard against its errors.
        def load(module: str = module, attribute: str = attribute) -> Any:
            found = import_module(module)
            for part in attribute.split(".") if attribute else ():
                found = getattr(found, part)
            return found

        reader = _asked(path, name, load)
        if _asked(path, name, partial(_recognises, reader, head)):
            return InstalledReader(name, reader)
    return None


def _recognises(reader: Any, head: bytes) -> bool:
    """Whether a reader knows a log; a function of its own, as what has no such method fails here, too."""
    return bool(reader.recognises(head))


def _asked(path: Path, name: str, what: Callable[[], Any]) -> Any:
    """What a package's code gives. Raises InputError with what goes wrong there."""
    try:
        return what()
    except MemoryError:
        raise
    except Exception as error:  # whatever it is, it is the package's
        text = f"{type(error).__name__}: {str(error)[:300]}"
        raise InputError(f"{path}: the reader {name} of an installed package fails: {text}") from None
