"""Opening a trace file: its contents determine the reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.input import exists
from engine.logs import format_table as formats
from engine.logs.files.content import Progress, log_files, read_log
from engine.logs.files.other_files import columns_without_widths, not_a_log, table_without_header
from engine.logs.files.parquet import is_parquet
from engine.logs.files.parts import LogPart, name_part, passed_over
from engine.logs.formats.alea import has_further_columns, read_alea
from engine.logs.formats.failures import NO_NODES, with_failures
from engine.logs.formats.swf import NO_UNITS, read_swf
from engine.logs.messages import blank_messages, size_of_messages
from engine.logs.text.narrow_tokens import NarrowTokens, tokenize_narrow
from engine.logs.text.tokens import tokenize
from engine.machine.cluster import Cluster, read_machines
from engine.slurm.conf.kind import PRINTED, SLURM_CONF, conf_kind
from engine.slurm.conf.select import SHARED, NodeUse
from engine.trace.clean import clean_records, switches
from engine.trace.file_names import beside_log, machines_path, trace_name
from engine.trace.records import Records
from engine.trace.trace import Trace
from engine.words import listed

if TYPE_CHECKING:
    from engine.logs.readers import Format
    from engine.logs.tables.columns import ColumnMap

_STANDARD = re.compile(rb"; Version: [\d.]{1,9}\s*\n(?:(?:;[^\n]*|[-\d. ]*\r?)\n)*+(?:;[^\n]*|[-\d. ]*)")
_SIGNS, _FEWEST_FIELDS = (b"|", b"\t", b";", b",", b"^", b":"), 20  # that records of other formats have
_NUMBERS = re.compile(rb"(?:[ \t]*;[^\n]*\n|\s*\n)*+[ \t]*-?\d")  # a first line of numbers, behind comments
_HEAD = 1 << 16  # bytes that determine the format
_PART_HEAD = 1 << 13  # the same for a single file of several


def read_trace(
    path: Path,
    *,
    further: Sequence[Path] = (),
    cluster: Cluster | None = None,
    failures: Path | None = None,
    clean: Mapping[str, bool] | None = None,
    columns: ColumnMap | None = None,
    fields: str = "",
    progress: Progress | None = None,
) -> Trace:
    """Open, clean and order a log: a file, or a folder of rotated files, whose lines are numbered
    continuously.

    `further` are files (or folders) of the same log. `cluster` is the log's machine; by default that of the
    `.machines` file beside the log or of its header, otherwise a machine that fits the jobs. `failures` are
    the outages of its nodes; by default those of the `.failures` file beside the log. `clean` switches rules
    of cleaning. `columns` gives the meaning of a table's columns, if their names do not, and the order of day
    and month, also of a dump of sacct; units alone are those of any log of numbers. `fields` are those of a
    dump, like its `--format`, if its first line does not name them. `progress` is called with 0 to 1 and may
    raise to cancel.

    Raises InputError, a single line that starts with the path, if there is no readable trace.
    """
    try:
        switches(clean)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    # There is no other reference to the records, so that their memory is freed early.
    return make_trace(
        read_records(
            path,
            further=further,
            cluster=cluster,
            columns=columns,
            fields=fields,
            progress=_part(progress, 0.0, 0.95),
        ),
        cluster=cluster,
        failures=failures,
        clean=clean,
        progress=progress,
    )


def read_records(
    path: Path,
    *,
    further: Sequence[Path] = (),
    cluster: Cluster | None = None,
    columns: ColumnMap | None = None,
    fields: str = "",
    progress: Progress | None = None,
) -> Records:
    """The records of a log before any rule of cleaning: the first half of `read_trace`."""
    try:
        passed: list[str] = []
        files = [file for part in (path, *further) for file in log_files(part, passed)]
        parquet = [file for file in files if is_parquet(file)]
        if not parquet:
            records = _read_records(path, further, cluster, columns, fields, progress, passed)
            return replace(records, written=_written(files))
        from engine.logs.recognition import recognised_parquet
        from engine.logs.sacct.prints.parquet import is_slurm_parquet, read_slurm_parquet
        from engine.logs.tables.table import read_parquet

        # Parquet and texts have nothing in common that could make them a single log.
        if len(parquet) < len(files):
            known = set(parquet)
            other = next(file for file in files if file not in known)
            raise InputError(f"{other}: this is no Parquet file, and {parquet[0]} of the same log is one")
        machine = cluster or _machinesbeside_log(path)
        sacct = not _names_columns(columns) and all(is_slurm_parquet(file) for file in files)
        read_as = recognised_parquet(files[0], sacct=sacct, mapped=_names_columns(columns))
        if sacct:
            dates = columns.dates if columns else ""
            _refuse_units(columns, formats.SACCT.label)
            records = read_slurm_parquet(path, files, machine, progress, dates)
        else:
            records = read_parquet(path, files, machine, columns, progress)
        notes = (*records.notes, passed_over(passed))
        return replace(records, notes=notes, written=_written(files), read_as=read_as)
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory for a trace of this size") from error


def make_trace(
    records: Records,
    *,
    cluster: Cluster | None = None,
    failures: Path | None = None,
    clean: Mapping[str, bool] | None = None,
    use: NodeUse = SHARED,
    progress: Progress | None = None,
) -> Trace:
    """The trace of a log's records: the second half of `read_trace`. `use` is how jobs take nodes there."""
    path = records.path
    try:
        trace = clean_records(records, name=trace_name(path), cluster=cluster, on=clean, use=use)
        # A file of failures beside the log counts where none was named.
        beside = beside_log(path, ".failures")
        if failures is not None:
            trace = with_failures(trace, failures)
        elif exists(beside):
            trace = with_failures(trace, beside) if not trace.cluster.pooled else trace.with_notes(NO_NODES)
    except MemoryError as error:
        raise InputError(f"{path}: not enough memory for a trace of this size") from error
    if progress is not None:
        progress(1.0)
    return trace


def _read_records(
    path: Path,
    further: Sequence[Path],
    cluster: Cluster | None,
    columns: ColumnMap | None,
    fields: str,
    progress: Progress | None,
    passed: list[str],
) -> Records:
    """The records of all files of a log; `passed` are the files that were left out."""
    text, parts = read_log(path, _part(progress, 0.0, 0.3), further, passed)
    try:
        messages = blank_messages(text, parts, _is_known)
        _check_parts(text, parts, named=bool(columns or fields))
        read = _reader(path, text, parts, cluster, columns, fields, _part(progress, 0.3, 1.0))
        read_as = _read_as(text[:_HEAD].tobytes(), columns, fields)
        found = read(text)
        del text  # else memory would hold it together with the records
        records = found if isinstance(found, Records) else found()
        notes = (*records.notes, messages, passed_over(passed))
        return replace(records, notes=notes, read_as=records.read_as or read_as)
    except InputError as error:
        name_part(error, path, parts)
        raise


def _written(files: Sequence[Path]) -> float | None:
    """When the newest of these files was written, s since 1970; None where any is no regular file."""
    try:
        states = [file.stat() for file in files]
    except OSError:
        return None
    regular = all(S_ISREG(state.st_mode) for state in states)
    return max((state.st_mtime for state in states), default=None) if regular else None


def _reader(
    path: Path,
    text: NDArray[np.uint8],
    parts: Sequence[LogPart],
    cluster: Cluster | None,
    columns: ColumnMap | None,
    fields: str,
    progress: Progress | None,
) -> Callable[[NDArray[np.uint8]], Records | Callable[[], Records]]:
    """The reader of a text of this kind, by the format of its first lines."""
    own = _machinesbeside_log(path)
    machine = cluster or own
    head = text[:_HEAD].tobytes()
    units = columns.units if columns is not None and columns.units_alone else NO_UNITS
    # The Standard Workload Format is by far the most frequent, and its readers load nothing else.
    if (columns is None or units) and not fields and is_standard(head):
        return lambda text: _read_numbers(path, text, own, cluster, progress, units)
    from engine.logs.formats.gwf import read_gwf
    from engine.logs.readers import format_of
    from engine.logs.sacct.prints.dump import read_slurm
    from engine.logs.tables.table import is_odd_table, read_csv

    firsts = [part.line for part in parts[1:]]
    known = format_of(head)
    # Fields that are given make any text a print of sacct.
    dump = bool(fields) or (known is not None and known.read is read_slurm)
    if dump and not _names_columns(columns):
        _refuse_units(columns, formats.SACCT.label)
        dates = "" if columns is None else columns.dates
        return lambda text: read_slurm(path, text, machine, progress, fields, parts, dates)
    of_table = is_odd_table(head) if known is None else known.read is read_csv
    if of_table or (columns is not None and not units):
        return lambda text: read_csv(path, text, machine, progress, columns, firsts)
    if known is not None and known.read is read_gwf:
        return lambda text: read_gwf(path, text, machine, progress, _units_of_numbers(units))
    if known is not None:
        _refuse_units(columns, known.name)
        return lambda text: known.read(path, text, machine, progress)
    # Readers of installed packages are asked last: none can take a format away from those that are built in.
    if known is None and not _NUMBERS.match(head):
        from engine.logs.installed_readers import installed_reader

        reader = installed_reader(path, head)
        if reader is not None:
            return lambda text: reader.records(path, text.tobytes().decode("utf-8", "replace"), machine)
    return lambda text: _read_numbers(path, text, own, cluster, progress, units)


def _names_columns(columns: ColumnMap | None) -> bool:
    """Whether it tells more of a table than the order of dates, or units."""
    return columns is not None and not (columns.dates_alone or columns.units_alone)


def _refuse_units(columns: ColumnMap | None, format: str) -> None:
    """Raise InputError where units are said of a log whose format has its own."""
    if columns is not None and columns.units_alone:
        raise InputError(f"--units has no use for {format}: this format has units of its own")


def _units_of_numbers(units: Mapping[str, str]) -> Mapping[str, str]:
    """The units of a log of numbers that names no columns. Raises InputError for another role."""
    from engine.logs.tables.columns import SERIAL, WITHOUT_COLUMNS

    if other := next((role for role in units if role not in WITHOUT_COLUMNS), ""):
        raise InputError(f"--units {other}={units[other]}: this log has numbers of {listed(WITHOUT_COLUMNS)}")
    if SERIAL in units.values():
        raise InputError(f"--units: days of a spreadsheet ({SERIAL}) are for tables that name their columns")
    return units


def _read_as(head: bytes, columns: ColumnMap | None, fields: str) -> str:
    """What a log that begins like this is taken for, and how sure that is."""
    if not _names_columns(columns) and not fields and is_standard(head):
        return "Standard Workload Format, with its header: certain"
    from engine.logs.recognition import recognised

    return recognised(head, mapped=_names_columns(columns), fields=fields)


def _read_numbers(
    path: Path,
    text: NDArray[np.uint8],
    own: Cluster | None,
    cluster: Cluster | None,
    progress: Progress | None,
    units: Mapping[str, str],
) -> Callable[[], Records]:
    """What makes the records of a text in the Standard Workload Format, or in Alea's. It needs the text no
    longer for the former.
    """
    numbers = tokenize_narrow(text, _part(progress, 0.0, 0.8))
    # No line is a row of numbers: the error says what the text looks like instead.
    if not len(numbers):
        from engine.logs.sacct.prints.fields import is_unnamed, unnamed_fields

        head = text[:_HEAD].tobytes()
        if what := columns_without_widths(head):
            raise InputError(f"{path}: {what}")
        what = table_without_header(head, str(path))
        if is_unnamed(head):
            raise unnamed_fields(path, otherwise=what)
        if what:
            raise InputError(f"{path}: {what}")
        raise _no_trace(path, numbers)
    units = _units_of_numbers(units)
    # Only Alea's logs have columns behind the 18th, and need the text again for them.
    if not has_further_columns(numbers.has_more):
        return lambda: read_swf(path, numbers, own, units)
    tokens = tokenize(text)
    return lambda: read_alea(path, text, tokens, own, cluster, _part(progress, 0.8, 1.0), units)


def _check_parts(text: NDArray[np.uint8], parts: Sequence[LogPart], *, named: bool) -> None:
    """Raise InputError if a file is not a log, or in another format. Files without a recognisable format
    continue the log.

    `named`: the user named columns or fields, and thereby the format.
    """
    own = _format_of(text[:_HEAD].tobytes())
    for part, end in zip(parts, [*(part.begin for part in parts[1:]), len(text)], strict=True):
        head = text[part.begin : min(end, part.begin + _PART_HEAD)].tobytes()
        if what := not_a_log(head):
            raise InputError(f"{part.name}: {what}")
        found = None if named else _format_of(head)
        if found is not None and found is not own:
            what = own.name if own else "another format"
            raise InputError(
                f"{part.name}: this is {found.name}, and the log begins as {what}: "
                "together they are not one log"
            )


def _format_of(head: bytes) -> Format | None:
    """The format of a log by its first bytes; None for the Standard Workload Format, and if unknown."""
    if is_standard(head):
        return None
    from engine.logs.readers import format_of

    return format_of(head)


def _is_known(head: bytes) -> bool:
    return _format_of(head) is not None


def is_standard(head: bytes) -> bool:
    """Whether a log is certainly in the Standard Workload Format, by its first bytes.

    The evidence is its header, and lines of numbers only, with few of the characters that separate fields
    in other formats: no other reader accepts such a log. Other logs may be in that format, too.
    """
    if _STANDARD.fullmatch(head) is None:
        return False
    comments = (line for line in head.split(b"\n") if line.startswith(b";"))
    return all(max(map(line.count, _SIGNS)) < _FEWEST_FIELDS for line in comments)


def without_messages(head: bytes) -> bytes:
    """The beginning of a log, with blanks in place of messages of a command before it."""
    size = size_of_messages(head, _is_known)
    return re.sub(rb"[^\n]", b" ", head[:size]) + head[size:]


def _machinesbeside_log(path: Path) -> Cluster | None:
    machines = machines_path(path)
    return read_machines(machines) if exists(machines) else None


def _no_trace(path: Path, tokens: NarrowTokens) -> InputError:
    if not tokens.bad_lines:
        return InputError(f"{path}: there is no job in this file")
    if kind := conf_kind(path):
        named = f"a {kind}" if kind != PRINTED else "what `scontrol show config` prints"
        use = f"; the machine and the policy are in the {SLURM_CONF} (--cluster and -p)"
        if kind == SLURM_CONF:
            use = f" but a machine (--cluster {path.name}) and a policy (-p)"
        return InputError(f"{path}: {named} is not a log{use}")
    first = tokens.bad_lines[0]
    return InputError(f"{path}:{first.number}: this is not a trace: {first.problem} in {first.text[:60]!r}")


def _part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of a stage as a part of the whole."""
    if progress is None:
        return None
    return lambda done: progress(begin + (end - begin) * done)
