"""A log as a program in Python asks for it: a file or a table of pandas, and options by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.reading.log import Log
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.spelling import refuse_unknown
from engine.trace.scale import parse_scale, scaled

if TYPE_CHECKING:
    import pandas as pd

_LISTS = ("further", "clean")
"""Options that are given several times on the command line; other lists are separated by commas."""

_TABLE = "table.parquet"


def given_log(
    path: str | PathLike[str] | pd.DataFrame,
    scale: Mapping[str, float | str],
    **options: str | Sequence[str],
) -> Log:
    """Read a log with options that are fields of `Reading`, with its load changed by `scale`.

    Raises InputError.
    """
    spelled: dict[str, Any] = {name: _spelled(name, value) for name, value in options.items()}
    reading = replace(Reading(), **spelled)
    factors = parse_scale(
        ",".join(f"{name}={_number(name, value)}" for name, value in scale.items() if value != "")
    )
    if not isinstance(path, str | PathLike):
        return _of_table(path, reading, factors)
    read = read_log_as(Path(path), reading)
    return Log(scaled(read.trace, factors), read.cluster, bool(reading.machine), Path(path), reading, factors)


def _of_table(frame: Any, reading: Reading, factors: Any) -> Log:
    """The log of a DataFrame, which is read like a file of the same columns. Raises InputError."""
    if not hasattr(frame, "to_parquet"):
        raise InputError(f"a log is a path or a DataFrame, not {type(frame).__name__}")
    with TemporaryDirectory() as folder:
        path = Path(folder) / _TABLE
        try:
            frame.to_parquet(path, index=False)
            read = read_log_as(path, reading)
        except InputError as error:  # which names a file that nobody has seen
            raise InputError(
                str(error).replace(f"{path}: ", "the DataFrame: ").replace(fspath(path), _TABLE)
            ) from None
        except (ValueError, TypeError, OSError) as error:  # columns of mixed types, or two of the same name
            raise InputError(f"the DataFrame cannot be written as a table: {error}") from None
    return Log(scaled(read.trace, factors), read.cluster, bool(reading.machine), scaling=factors)


def check_log(log: object) -> None:
    """Raise InputError for anything but a log, such as its path."""
    if not isinstance(log, Log):
        hint = f": read it first, log = batchscope.read({log!r})" if isinstance(log, str) else ""
        raise InputError(f"a log is what batchscope.read returns, not {type(log).__name__}{hint}")


def refuse_misspelt(unknown: Iterable[str], function: Callable[..., Any], what: str) -> None:
    """Raise InputError for the first name that is none of the function's options, with the nearest one."""
    parameters = inspect.signature(function).parameters.values()
    known = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
    refuse_unknown(unknown, known, what)


def _spelled(name: str, value: object) -> str | tuple[str, ...]:
    """The value of an option as a text, or as several. Raises InputError for anything else."""
    if isinstance(value, str):
        return (value,) if name in _LISTS and value else () if name in _LISTS else value
    if not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
        example = f'{name}="{value}c"' if name == "machine" and isinstance(value, int) else f'{name}="..."'
        raise InputError(f"{name}={value!r}: options are texts as on the command line, like {example}")
    return tuple(value) if name in _LISTS else ",".join(value)


def _number(name: str, value: object) -> str:
    if not isinstance(value, str | int | float):
        raise InputError(f"{name}={value!r}: give a number, or a text as on the command line")
    return str(value)
