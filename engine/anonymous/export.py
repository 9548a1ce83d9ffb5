"""A log and its site written under other names, into a folder of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from engine.anonymous.dump import renamed_dump, see_dump
from engine.anonymous.names import NewNames
from engine.anonymous.numbers import renamed_numbers
from engine.anonymous.site_files import SiteFiles
from engine.atomic import make_own_folder, write_atomically
from engine.errors import InputError
from engine.input import exists, is_folder, read_text
from engine.logs.files.content import read_log
from engine.logs.files.parquet import is_parquet
from engine.logs.read import is_standard
from engine.logs.readers import format_of
from engine.logs.sacct.prints.dump import read_slurm, rows_in
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
    """Write a log and its site under other names into a folder, which is new or empty.

    The log is a dump of sacct in any of its prints, or in the Standard Workload Format. With `key` the old
    and new names are written there, for this user alone. Raises InputError for other logs, and OSError.
    """
    if exists(folder) and (not is_folder(folder) or any(folder.iterdir())):
        raise InputError(f"{folder}: this is no new or empty folder")
    names = NewNames()
    files = None if site is None else _site_files(site)
    if files is not None:
        files.see(names)
    name, text = _renamed_log(log, further, names)
    make_own_folder(folder)
    _write(folder / name, text)
    own = folder / "site"
    if files is not None:
        make_own_folder(own)
        for file, content in files.renamed(names):
            _write(own / file, content)
    machines = machines_path(log)
    if exists(machines):  # sizes of nodes, without their names
        _write(folder / f"{Path(name).stem}.machines", read_text(machines, _MOST_BYTES))
    rows = names.rows()
    if key is not None:
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([("kind", "name", "new name"), *rows])
        write_atomically(key, partial(_fill, table.getvalue()), private=True)
    return Exported(folder / name, None if files is None else own, len(rows))


def _renamed_log(log: Path, further: Sequence[Path], names: NewNames) -> tuple[str, str]:
    """The name of the written log, and its text."""
    if not is_folder(log) and is_parquet(log):
        raise InputError(f"{log}: Parquet cannot be written under other names; give what sacct printed")
    data, parts = read_log(log, further=further)
    head = data[:_HEAD].tobytes()
    known = None if is_standard(head) else format_of(head)
    if known is not None and known.read is read_slurm:
        see_dump(rows_in(log, data, parts), names)
        return "sacct.txt", _lines(renamed_dump(rows_in(log, data, parts), names))
    if known is None and (is_standard(head) or head.lstrip().startswith(b";")):
        lines = data.tobytes().decode("utf-8", "replace").splitlines()
        return "log.swf", _lines(renamed_numbers(lines))
    what = "this format" if known is None else known.name
    raise InputError(
        f"{log}: {what} cannot be written under other names; convert it to .swf first, which has no names of "
        "jobs and nodes"
    )


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


def _write(path: Path, text: str) -> None:
    write_atomically(path, partial(_fill, text), own_name=True)


def _fill(text: str, part: Path) -> None:
    part.write_text(text, "utf-8", errors="surrogateescape")
