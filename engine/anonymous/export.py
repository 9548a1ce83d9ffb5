"""A log and its site written under other names, into a folder of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.anonymous.accounting import Renaming, renamed_lsf, renamed_pbs, renamed_sge
from engine.anonymous.dump import renamed_dump, see_dump
from engine.anonymous.names import NewNames, SeenNames
from engine.anonymous.numbers import STANDARD_FIELDS, renamed_numbers
from engine.anonymous.site_files import SiteFiles
from engine.atomic import fill_folder, write_atomically
from engine.errors import InputError
from engine.input import exists, is_folder, read_text
from engine.logs.files.content import log_files, read_log
from engine.logs.files.parquet import is_parquet
from engine.logs.formats.lsf import read_lsf
from engine.logs.formats.pbs import read_pbs
from engine.logs.formats.sge import read_sge
from engine.logs.json_log import read_json, slurm_rows
from engine.logs.read import is_standard
from engine.logs.readers import format_of
from engine.logs.rows import text_lines
from engine.logs.sacct.prints.dump import read_slurm, rows_in
from engine.logs.sacct.prints.jobcomp import jobcomp_rows, read_jobcomp
from engine.logs.sacct.prints.parquet import is_slurm_parquet, parquet_rows
from engine.logs.sacct.prints.text import Marks
from engine.logs.sacct.rows import SlurmRows
from engine.trace.file_names import machines_path

_HEAD = 1 << 16
_MOST_BYTES = 64 << 20
_MOST_FILES = 200


class Exported(NamedTuple):
    """The files that were written: the log, and the folder of the site if one was given."""

    log: Path
    site: Path | None
    replaced: int


def anonymize(
    log: Path, further: Sequence[Path], site: Path | None, folder: Path, key: Path | None
) -> Exported:
    """Write a log and its site under other names into a folder, which is new or empty, or nothing.

    The log is of Slurm in any of its prints, of PBS, Grid Engine or LSF, or in the Standard Workload Format.
    With `key` the old and new names are written there, for this user alone. Raises InputError for other logs,
    and OSError.
    """
    if exists(folder) and (not is_folder(folder) or any(folder.iterdir())):
        raise InputError(f"{folder}: this is no new or empty folder")
    names = NewNames()
    files = None if site is None else _site_files(site)
    if files is not None:
        # The site's names come first, so that the same names in its log get the same new names.
        files.see(names)
    name, text = _renamed_log(log, further, names)
    if not text.strip():
        raise InputError(f"{log}: there is no job in this file")
    machines = machines_path(log)

    def fill(part: Path) -> None:
        _fill(text, part / name)
        if exists(machines):
            _fill(_machines(read_text(machines, _MOST_BYTES)), part / f"{Path(name).stem}.machines")
        if files is not None:
            (part / "site").mkdir()
            for file, content in files.renamed(names):
                _fill(content, part / "site" / file)

    fill_folder(folder, fill)
    rows = names.rows()
    # The table undoes everything: it is readable for its owner alone.
    if key is not None:
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([("kind", "name", "new name"), *rows])
        write_atomically(key, partial(_fill, table.getvalue()), private=True)
    return Exported(folder / name, None if files is None else folder / "site", len(rows))


def _renamed_log(log: Path, further: Sequence[Path], names: NewNames) -> tuple[str, str]:
    """The name of the written log, and its text. Raises InputError for a log of another format."""
    files = [file for part in (log, *further) for file in log_files(part, [])]
    # Each branch below writes the format that it read, so that the same reader reads the copy.
    if all(is_parquet(file) and is_slurm_parquet(file) for file in files):
        return _of_rows(log, lambda: parquet_rows(files, Marks()), names)
    if any(map(is_parquet, files)):
        raise InputError(f"{log}: Parquet that is not of sacct cannot be written under other names")
    data, parts = read_log(log, further=further)
    head = data[:_HEAD].tobytes()
    known = None if is_standard(head) else format_of(head)
    if known is None and (is_standard(head) or head.lstrip().startswith(b";")):
        lines = _text_of(data)
        # Numbers have no names, but for the columns that Alea appends.
        if any(len(line.split()) > STANDARD_FIELDS for line in lines if not line.lstrip().startswith(";")):
            raise InputError(f"{log}: the further columns of Alea name nodes; convert it to .swf first")
        return "log.swf", _lines(renamed_numbers(lines))
    read = None if known is None else known.read
    if read is read_slurm:
        return _of_rows(log, lambda: rows_in(log, data, parts), names)
    if read is read_jobcomp:
        return _of_rows(log, lambda: jobcomp_rows(log, data), names)
    if read is read_json and slurm_rows(log, data) is not None:
        return _of_rows(log, lambda: slurm_rows(log, data) or (), names)
    for reader, name, renamed in _ACCOUNTING:
        if read is reader:
            lines = _text_of(data)
            # A first pass collects all names: their order decides the new names, and the last line may bring
            # the first name.
            for _ in renamed(lines, SeenNames(names)):
                pass
            return name, _lines(renamed(lines, names))
    what = "this format" if known is None else known.name
    raise InputError(
        f"{log}: {what} cannot be written under other names; convert it to .swf first, which has no names of "
        "jobs and nodes"
    )


_ACCOUNTING: tuple[tuple[object, str, Renaming], ...] = (
    (read_pbs, "pbs.txt", renamed_pbs),
    (read_sge, "accounting.txt", renamed_sge),
    (read_lsf, "lsb.acct", renamed_lsf),
)
"""Readers of accounting, the name of such a file, and what writes its lines."""


def _of_rows(log: Path, blocks: Callable[[], Iterable[SlurmRows]], names: NewNames) -> tuple[str, str]:
    """The jobs of any print of sacct, as one dump; `blocks` reads them, once for the names and once more.

    Raises InputError if that would not be known as one again.
    """
    see_dump(blocks(), names)
    text = _lines(renamed_dump(blocks(), names))
    known = format_of(text[:_HEAD].encode("utf-8", "surrogateescape"))
    if text and (known is None or known.read is not read_slurm):
        raise InputError(f"{log}: its first jobs have no times, by which a dump of sacct is known")
    return "sacct.txt", text


def _text_of(data: NDArray[np.uint8]) -> list[str]:
    """The lines that readers read."""
    return [line for _, line in text_lines(data, None)]


def _machines(text: str) -> str:
    """A machines file whose groups of nodes have numbers in place of names."""
    rows = [line.split() for line in text.split("\n") if line.strip() and line.strip()[0] not in ";#"]
    return _lines(" ".join((row[0], f"g{k:03}", *row[2:])) for k, row in enumerate(rows, 1))


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _site_files(site: Path) -> SiteFiles:
    """The files of a site's folder, or that of a slurm.conf."""
    folder = site if is_folder(site) else site.parent
    paths = [path for path in sorted(folder.iterdir()) if path.is_file()] if is_folder(site) else [site]
    texts = {}
    for path in paths[:_MOST_FILES]:
        try:
            texts[path.name] = read_text(path, _MOST_BYTES)
        except InputError:
            continue
    return SiteFiles(folder, texts)


def _fill(text: str, part: Path) -> None:
    part.write_text(text, "utf-8", errors="surrogateescape")
