"""A log read with options: its machine, the rules of cleaning, and the selected jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.arrays import Mask
from engine.dates import parse_time
from engine.errors import InputError, single_line
from engine.input import exists, is_folder
from engine.logs.files.content import Progress
from engine.logs.nodes.node_commands import read_printed
from engine.logs.read import make_trace, read_records
from engine.logs.tables.columns import ColumnMap, parse_mapping, parse_units
from engine.machine.cluster import Cluster, parse_cluster, read_machines
from engine.machine.power import with_power
from engine.policy.policy import Policy
from engine.reading.measure import measured_jobs
from engine.reading.options import OptionError, Reading
from engine.reading.power import read_power
from engine.simulation.refused_jobs import refused_jobs
from engine.slurm.conf.kind import conf_kind
from engine.slurm.conf.select import SHARED, NodeUse
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.folder import read_site_at
from engine.trace import Trace
from engine.trace.clean import switches
from engine.trace.cluster_records import clusters_in, named_clusters, of_clusters
from engine.trace.dependencies import following
from engine.trace.file_names import machines_path
from engine.trace.records import Records
from engine.trace.trace import Note
from engine.trace.transform import chosen_jobs, selected_names
from engine.trace.wall_clock import in_zone
from engine.words import clip, no_job_fits, no_job_selected, typed


@dataclass(frozen=True)
class RemainingJobs:
    """The number of jobs that are left by an option and those before it."""

    option: str
    jobs: int


@dataclass(frozen=True, eq=False)
class ReadLog:
    """A log read with options, the machine of its runs, and the number of jobs that each option left."""

    trace: Trace
    cluster: Cluster
    left: tuple[RemainingJobs, ...]


def read_log_as(path: Path, reading: Reading, progress: Progress | None = None) -> ReadLog:
    """Read, clean and cut a log, and find the machine of its runs.

    A machines file is the log's own machine; a spelled cluster is another machine to simulate the log on.
    Raises InputError, also if the machine is too small for every job of the log.
    """
    check_options(reading)
    return cut_log(path, reading, records_as(path, reading, progress))


def on_site_machine(reading: Reading, policies: Sequence[Policy]) -> Reading:
    """The same options, on the machine of the first site among the policies unless they name a machine.

    The log is then read as the log of that machine: its jobs take nodes, and RAM, as they do there.
    """
    site = next((policy.site for policy in policies if policy.machine is not None), None)
    return reading if reading.machine or site is None else replace(reading, machine=str(site.path.absolute()))


def check_options(reading: Reading) -> None:
    """Raise InputError for options that are wrong for any log, before it is read."""
    try:
        switches(_rules(reading))
    except OptionError:
        raise
    except InputError as error:
        raise OptionError("clean", str(error)) from error
    _positions(reading.jobs)
    _units(reading)
    if reading.dependencies not in ("", "on", "off"):
        raise OptionError("dependencies", f"{reading.dependencies}: expected on or off")


def records_as(path: Path, reading: Reading, progress: Progress | None = None) -> Records:
    """The records of the log: the long half of the work, which only files, machine and columns matter to."""
    return read_records(
        path,
        further=reading.further_paths(path),
        cluster=machine_named(reading.machine).own,
        columns=_columns(reading),
        fields=reading.fields,
        progress=progress,
    )


def _columns(reading: Reading) -> ColumnMap | None:
    """What is said of columns and units; None for nothing. Raises InputError."""
    if not reading.columns and not reading.units:
        return None
    columns = parse_mapping(reading.columns, "columns")
    return replace(columns, units={**columns.units, **_units(reading)})


def _units(reading: Reading) -> dict[str, str]:
    """The units that are said, by role. Raises OptionError."""
    try:
        return parse_units(reading.units)
    except InputError as error:
        raise OptionError("units", str(error)) from error


def cut_log(path: Path, reading: Reading, records: Records) -> ReadLog:
    """Apply the remaining options to the records, after `read_records`. Raises InputError, OptionError."""
    own, cluster_text, use, machine_notes = machine_named(reading.machine)
    left = [RemainingJobs("log", len(records))]
    if reading.clusters or records.cluster is not None:
        records = _of_clusters(records, reading.clusters, own)
        left.append(RemainingJobs("clusters", len(records)))
    if reading.partitions:
        records = _of_partitions(records, reading.partitions, own)
        left.append(RemainingJobs("partitions", len(records)))
    if reading.timezone:
        try:
            records = in_zone(records, reading.timezone)
        except InputError as error:
            raise OptionError("timezone", str(error)) from error
    failures = Path(reading.failures) if reading.failures else None
    trace = make_trace(records, cluster=own, failures=failures, clean=_rules(reading), use=use)
    del records  # a trace of millions of jobs needs their memory
    left.append(RemainingJobs("clean", len(trace)))
    trace = trace.with_notes(*_notes_on_machine(machine_notes))
    cluster = trace.cluster if cluster_text is None else _parsed(cluster_text, trace, reading)
    if reading.power:
        trace = _with_power(trace, cluster, reading.power)
    fits = ~refused_jobs(trace, cluster)
    if not fits.any():
        source = reading.machine or _source_of_machine(path)
        raise InputError(f"{source}: {no_job_fits(len(trace))} on this machine, {cluster}")
    kept = np.ones(len(trace), np.bool_)
    for option, mask in _conditions(trace, reading):
        kept &= mask
        left.append(RemainingJobs(option, int(np.count_nonzero(kept))))
    if not kept.any():
        raise InputError(f"{trace.name}: {no_job_selected(len(trace))}")
    left.append(RemainingJobs("machine", int(np.count_nonzero(fits & kept))))
    if reading.measure:
        measured = measured_jobs(reading.measure, trace)
        left.append(RemainingJobs("measure", int(np.count_nonzero(measured & fits & kept))))
    part = _part(trace, kept, reading)
    return ReadLog(following(part) if reading.dependencies == "on" else part, cluster, tuple(left))


def _with_power(trace: Trace, cluster: Cluster, text: str) -> Trace:
    """The trace with the power of its machine known. Raises OptionError."""
    try:
        model, notes = read_power(text, trace, cluster)
    except InputError as error:
        raise OptionError("power", str(error)) from error
    return replace(trace, cluster=with_power(trace.cluster, model)).with_notes(*notes)


class NamedMachine(NamedTuple):
    """The log's own machine from a file, and how its jobs take nodes; or the spelling of another machine."""

    own: Cluster | None = None
    cluster_text: str | None = None
    use: NodeUse = SHARED
    machine_notes: tuple[str, ...] = ()
    """Lines about parts of the file that are interpreted differently from Slurm, or not at all."""


def machine_named(text: str) -> NamedMachine:
    """The machine that a text describes: a spelling, a file, or the folder of a site's files.

    None for an empty text. Raises InputError.
    """
    if not text:
        return NamedMachine()
    # A file goes before a spelling, as a file may have any name.
    if exists(Path(text)):
        path = Path(text)
        if not is_folder(path) and not conf_kind(path):
            printed = read_printed(path)
            if printed is None:
                return NamedMachine(read_machines(path))
            doubts = tuple(f"{path.name}: {single_line(note)}" for note in printed.notes)
            return NamedMachine(printed.machine, machine_notes=doubts)
        conf = read_site_at(path).conf if is_folder(path) else read_slurm_conf(path)
        if not conf.has_nodes:
            raise InputError(f"{path}: the files of this site name no nodes")
        machine_notes = tuple(
            f"{path.name}: {single_line(text)}" for text in (*conf.notes, *conf.passed_over)
        )
        return NamedMachine(conf.machine, use=conf.use, machine_notes=machine_notes)
    # What looks like a path and is none is a typing error, not a spelling.
    if "/" in text.partition("~")[0] or text.endswith(".machines"):
        raise InputError(f"{text}: no such machines file")
    return NamedMachine(cluster_text=text)


def machine_at(text: str) -> Cluster:
    """A machine from its spelling, a machines file or a `slurm.conf`. Raises InputError."""
    machine = machine_named(text)
    return machine.own or parse_cluster(machine.cluster_text or text)


def _notes_on_machine(machine_notes: Sequence[str], most: int = 20) -> list[Note]:
    """Lines about the file of the machine as quality notes, the first of many."""
    notes = [Note("machine", text, 1) for text in machine_notes[:most]]
    more = len(machine_notes) - most
    return notes + (
        [Note("machine", "further lines like these on the machine's file", more)] if more > 0 else []
    )


def _part(trace: Trace, kept: Mask, reading: Reading) -> Trace:
    """The chosen jobs; the name of the trace includes the choice."""
    if not reading.part:
        return trace
    text = f"of {len(trace):,} jobs are looked at: {reading.part}"
    part = replace(trace.take(kept), name=f"{trace.name}, {reading.part}")
    return part.with_notes(Note("part", text, len(part)))


def _conditions(trace: Trace, reading: Reading) -> Iterator[tuple[str, Mask]]:
    """The options that choose jobs, and which jobs each lets in, shape (n,). Raises OptionError."""
    if reading.jobs:
        yield "jobs", chosen_jobs(trace, jobs=_positions(reading.jobs))
    for option, text in (
        ("from", reading.start),
        ("to", reading.end),
        ("users", reading.users),
        ("queues", reading.queues),
    ):
        if text:
            try:
                yield option, _let_in(trace, option, text)
            except InputError as error:
                raise OptionError(option, f"{text}: {error}") from error


def _let_in(trace: Trace, option: str, text: str) -> Mask:
    """The mask of the jobs that an option selects. Raises InputError."""
    if option == "from":
        return chosen_jobs(trace, start=parse_time(text, trace))
    if option == "to":
        return chosen_jobs(trace, end=parse_time(text, trace))
    if option == "users":
        return chosen_jobs(trace, users=names_in(text))
    return chosen_jobs(trace, queues=names_in(text))


def _of_clusters(records: Records, text: str, machine: Cluster | None) -> Records:
    """The records of some clusters; of a log of several, some have to be named. Raises OptionError."""
    if records.cluster is None:
        raise OptionError("clusters", f"{text}: {records.path} has not several clusters")
    # Several clusters are several machines: to take them for a single machine has to be asked for.
    if not text:
        first = clusters_in(records)[0][0]
        raise OptionError(
            "clusters",
            f"NAME is needed: {records.path} has jobs of several clusters, each of which is a machine of its "
            f"own: {named_clusters(records)}; --clusters {clip(first)} reads one, and several with commas "
            "take them for one machine",
            named_clusters(records),
        )
    try:
        passing = selected_names(str(records.path), "cluster", records.cluster, names_in(text))
    except InputError as error:
        raise OptionError("clusters", f"{text}: {error}") from error
    names = [name for name, let_in in zip(records.cluster.names, passing.tolist(), strict=True) if let_in]
    return of_clusters(records, names, machine)


def _of_partitions(records: Records, text: str, machine: Cluster | None) -> Records:
    """The records of some partitions; the machine of the whole log does not apply to them."""
    if records.partition is None:
        raise OptionError("partitions", f"{text}: {records.path} has no partitions")
    try:
        passing = selected_names(str(records.path), "partition", records.partition, names_in(text))
    except InputError as error:
        raise OptionError("partitions", f"{text}: {error}") from error
    chosen = passing[records.partition.codes]
    # The machine of the log belongs to all of its partitions together.
    whole = machine is not None or bool(chosen.all())
    return replace(records.take(chosen), machine=records.machine if whole else None)


def _parsed(text: str, trace: Trace, reading: Reading) -> Cluster:
    """A spelled machine, with the log's failures only if the spelling asks for them."""
    cluster = parse_cluster(text, trace.cluster)
    if reading.failures and cluster.failures is None:
        raise OptionError(
            "failures",
            f"{reading.failures}: these are of the log's own machine; leave --cluster out, or let "
            f"its nodes fail with --cluster {cluster}~log",
        )
    return cluster


def _source_of_machine(path: Path) -> str:
    """The source of the machine."""
    beside = machines_path(path)
    return str(beside if exists(beside) else path)


def _rules(reading: Reading) -> dict[str, bool]:
    rules = {}
    for text in reading.clean:
        name, _, value = text.partition("=")
        if value not in ("on", "off"):
            raise OptionError("clean", f"{text}: expected RULE=on or RULE=off")
        rules[name] = value == "on"
    return rules


def _positions(text: str) -> tuple[int | None, int | None] | None:
    if not text:
        return None
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return (int(first) if first else None, int(last) if last else None)
    except ValueError:
        raise OptionError("jobs", f"{text}: expected A:B, like 0:5000") from None


def names_in(text: str) -> list[str]:
    """The names of a list like `alice,-bob`."""
    return [name.strip() for name in typed(text).split(",") if name.strip()]
