"""The trace and machine that the options of a command name."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.cli.terminal import progress_bar
from engine.dates import zone_of
from engine.errors import InputError
from engine.filter import Expression, FilterError, parse_filter
from engine.filter.complete import unknown_names
from engine.input import exists
from engine.machine.cluster import Cluster, parse_cluster, read_machines
from engine.machine.slurm_conf import is_slurm_conf, read_slurm_conf
from engine.policy.policy import Policy, parse_policy
from engine.policy.slurm_policy import slurm_policy
from engine.simulation.run import refused_jobs
from engine.trace import Trace
from engine.trace.read import machines_path, read_trace
from engine.trace.scale import Scale, parse_scale, scaled
from engine.trace.table_columns import read_mapping
from engine.trace.transform import select


def open_trace(options: argparse.Namespace) -> tuple[Trace, Cluster]:
    """Read, clean and cut the trace that the options name, and find the machine of its runs.

    A machines file is the log's own machine; a spelled cluster is one to try the log on.
    Raises InputError, also where the machine is too small for every job of the log.
    """
    machines, spelled = _machine(options.cluster)
    with progress_bar("reading", options) as progress:
        trace = read_trace(
            options.trace,
            cluster=machines,
            failures=options.failures,
            clean=_switches(options.clean),
            columns=None if options.columns is None else read_mapping(options.columns),
            progress=progress,
        )
    cluster = trace.cluster if spelled is None else _spelled(spelled, trace, options)
    if refused_jobs(trace, cluster).all():
        raise InputError(
            f"{_source_of_machine(options)}: none of the {len(trace):,} jobs fits on this machine, {cluster}"
        )
    trace = select(
        trace,
        jobs=_positions(options.jobs),
        start=parse_time(options.start, trace),
        end=parse_time(options.end, trace),
        users=_names(options.users),
        queues=_names(options.queues),
    )
    trace = scaled(trace, _scale(options))
    measured_jobs(options, trace)  # says, before anything is simulated, where there are none
    return trace, cluster


def policy_of(
    text: str, options: argparse.Namespace, trace: Trace | None = None, cluster: Cluster | None = None
) -> Policy:
    """A policy as it is spelled, or that of a `slurm.conf`, which a trace and its machine complete.

    What has no counterpart is then told on standard error. Raises InputError.
    """
    if not names_site(text):
        return parse_policy(text, options.estimate, options.seed)
    queues = () if trace is None else trace.queue.names
    site = slurm_policy(read_slurm_conf(Path(text)), cluster, queues)
    if trace is not None and not options.quiet:
        for line in site.left_out:
            print(f"{text}: not simulated: {line}", file=sys.stderr)
    return site.policy if options.estimate is None else site.policy.with_keys(estimate=options.estimate)


def names_site(text: str) -> bool:
    """Whether what stands for a policy is a `slurm.conf`."""
    return is_slurm_conf(Path(text))


def _scale(options: argparse.Namespace) -> Scale:
    given = {name: getattr(options, name) for name in ("theta", "rho")}
    return parse_scale(",".join(f"{name}={text}" for name, text in given.items() if text is not None))


def measured_jobs(options: argparse.Namespace, trace: Trace) -> NDArray[np.bool_] | None:
    """The jobs of `--measure FROM:TO`, shape (n,); None where all are measured. Raises InputError."""
    if options.measure is None:
        return None
    first, colon, last = _split_span(options.measure)
    if not colon:
        raise InputError(f"--measure {options.measure}: expected FROM:TO, ISO dates or seconds")
    start, end = parse_time(first or None, trace), parse_time(last or None, trace)
    chosen = np.ones(len(trace), np.bool_)
    if start is not None:
        chosen &= trace.submit >= start
    if end is not None:
        chosen &= trace.submit < end
    if not chosen.any():
        raise InputError(f"--measure {options.measure}: no job was submitted in that span")
    return chosen


def measured_filter(options: argparse.Namespace, trace: Trace) -> Expression | None:
    """The filter of `--filter`. Raises InputError, also for names that the log does not know."""
    if options.filter is None:
        return None
    try:
        expression = parse_filter(options.filter)
    except FilterError as error:
        raise InputError(f"--filter {options.filter}: {error.told}") from None
    unknown = unknown_names(expression, trace)
    if unknown:
        raise InputError(f"--filter {options.filter}: {trace.name} has {unknown[0]}")
    return expression


def parse_time(text: str | None, trace: Trace) -> int | None:
    """Seconds from the trace's zero of an ISO date (in the trace's time zone) or of plain seconds."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"cannot read the time {text!r}; give seconds or an ISO date like 2013-02-28"
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone_of(trace))
    return int(moment.timestamp()) - trace.zero


def _split_span(text: str) -> tuple[str, str, str]:
    """FROM:TO, where an ISO time may hold colons itself: the middle one of an odd number separates."""
    parts = text.split(":")
    if len(parts) % 2:
        return text, "", ""
    middle = len(parts) // 2
    return ":".join(parts[:middle]), ":", ":".join(parts[middle:])


def machine_of(text: str) -> Cluster:
    """A machine as it is spelled, or as a machines file or a `slurm.conf` tells. Raises InputError."""
    machines, spelled = _machine(text)
    return machines or parse_cluster(spelled or text)


def _machine(text: str | None) -> tuple[Cluster | None, str | None]:
    """The log's own machine from a file, or the spelling of another."""
    if text is None:
        return None, None
    if exists(Path(text)):
        path = Path(text)
        return read_slurm_conf(path).machine if is_slurm_conf(path) else read_machines(path), None
    if "/" in text.partition("~")[0] or text.endswith(".machines"):
        raise InputError(f"{text}: no such machines file")
    return None, text


def _spelled(text: str, trace: Trace, options: argparse.Namespace) -> Cluster:
    """A spelled machine, with the log's failures only where it says so."""
    cluster = parse_cluster(text, trace.cluster)
    if options.failures is not None and cluster.failures is None:
        raise InputError(
            f"--failures {options.failures}: these are of the log's own machine; leave --cluster out, or let "
            f"its nodes fail with --cluster {cluster}~log"
        )
    return cluster


def _source_of_machine(options: argparse.Namespace) -> str:
    """What said which machine this is."""
    if options.cluster is not None:
        return str(options.cluster)
    beside = machines_path(options.trace)
    return str(beside if exists(beside) else options.trace)


def _switches(rules: list[str]) -> dict[str, bool]:
    switches = {}
    for text in rules:
        name, _, value = text.partition("=")
        if value not in ("on", "off"):
            raise InputError(f"--clean {text}: expected RULE=on or RULE=off")
        switches[name] = value == "on"
    return switches


def _positions(text: str | None) -> tuple[int | None, int | None] | None:
    if text is None:
        return None
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return (int(first) if first else None, int(last) if last else None)
    except ValueError:
        raise InputError(f"--jobs {text}: expected A:B, like 0:5000") from None


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()] if text else []
