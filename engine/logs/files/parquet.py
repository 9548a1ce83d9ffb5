"""Recognition of Parquet files, without the library that reads them."""

from __future__ import annotations

from pathlib import Path

from engine.input import is_folder, is_pipe, naming, open_input

_MARK = b"PAR1"


def is_parquet(path: Path) -> bool:
    """Whether a file is Parquet by its first bytes. Raises InputError if it cannot be read.

    A named pipe is not opened: who writes into it would find its reader gone when the log is read.
    """
    if is_folder(path) or is_pipe(path):
        return False
    with naming(path), open_input(path) as file:
        return not file.is_pipe and file.read()[:4] == _MARK
