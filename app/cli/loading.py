"""The trace and machine that the options of a command name."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.cli.terminal import progress_bar
from engine.errors import InputError, single_line
from engine.machine.cluster import Cluster, parse_cluster
from engine.reading.measure import measured_jobs as jobs_of_span
from engine.reading.options import Reading, further_names
from engine.reading.read import machine_named, read_log_as
from engine.slurm.conf.kind import conf_kind
from engine.trace import Trace
from engine.trace.scale import Scaling, parse_scale, scaled

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.policy.policy import Policy


def open_trace(options: argparse.Namespace) -> tuple[Trace, Cluster]:
    """Read, clean and cut the trace of the options, and find the machine of its runs.

    A machines file is the log's own machine; a spelled cluster is another machine to simulate the log on.
    Raises InputError, also if the machine is too small for every job of the log.
    """
    with progress_bar("reading", options) as progress:
        read = read_log_as(options.trace, reading_of(options), progress)
    trace = scaled(read.trace, _scale(options))
    measured_jobs(options, trace)  # raises, before anything is simulated, if there are none
    return trace, read.cluster


def as_logged(options: argparse.Namespace) -> Trace:
    """The trace of the options without the changes of a what-if. Raises InputError."""
    with progress_bar("reading", options) as progress:
        return read_log_as(options.trace, reading_of(options), progress).trace


def reading_of(options: argparse.Namespace) -> Reading:
    """The options for reading a log, from the command line. Raises InputError."""
    columns = ""
    if options.columns is not None:
        from engine.trace.table_columns import format_mapping, read_mapping

        columns = format_mapping(read_mapping(options.columns))
    return Reading(
        further=further_names(options.trace, options.further),
        machine=options.cluster or "",
        failures="" if options.failures is None else str(options.failures),
        columns=columns,
        fields=options.fields or "",
        clean=tuple(options.clean),
        timezone=options.timezone or "",
        dependencies=options.dependencies or "",
        partitions=options.partitions or "",
        jobs=options.jobs or "",
        start=options.start or "",
        end=options.end or "",
        users=options.users or "",
        queues=options.queues or "",
    )


_SITE = "site:"
"""Begins the policy of a folder of a site's files."""


def policy_of(
    text: str,
    options: argparse.Namespace,
    trace: Trace | None = None,
    cluster: Cluster | None = None,
    *,
    as_keys: bool = False,
) -> Policy:
    """A policy from its spelling, or from a site's `slurm.conf`, simulated like the site's own Slurm.

    With `as_keys` a site becomes the nearest policy of keys, completed by a trace and its machine: for
    commands that use the decisions of single passes, or change keys.

    Settings without a counterpart are then reported on standard error. Raises InputError.
    """
    from engine.policy.policy import parse_policy, site_policy

    beside: tuple[str, ...] = ()
    if as_keys and text.startswith(_SITE):
        from engine.slurm.site.folder import read_site_at

        site = read_site_at(Path(text.removeprefix(_SITE)))
        text, beside = str(site.conf.path), site.beside
    if not names_site(text):
        return parse_policy(text, options.estimate, options.seed)
    if not as_keys and options.estimate not in (None, "requested"):
        raise InputError(f"--estimate {options.estimate} has no use with {text}: Slurm goes by time limits")
    if as_keys:
        from engine.slurm.conf.slurm_conf import read_slurm_conf
        from engine.slurm.export.policy import slurm_policy

        queues = () if trace is None else trace.queue.names
        accounts = () if trace is None else trace.group.names
        nearest = slurm_policy(read_slurm_conf(Path(text)), cluster, queues, accounts)
        policy, left_out = nearest.policy, (*nearest.left_out, *beside)
    else:
        from engine.slurm.site.left_out import lines_left_out
        from engine.slurm.site.site import read_site

        site = read_site(Path(text))
        policy, left_out = site_policy(site), lines_left_out(site, trace)
    if trace is not None and not options.quiet:
        if as_keys:
            print(
                f"{text}: translated to keys of policies here; `simulate -p` runs the site's own Slurm",
                file=sys.stderr,
            )
        for line in map(single_line, left_out):
            print(f"{text}: not simulated: {line}", file=sys.stderr)
    return policy if options.estimate is None or not as_keys else policy.with_keys(estimate=options.estimate)


def names_site(text: str) -> bool:
    """True if the policy argument is a `slurm.conf`; other files of Slurm are refused."""
    return bool(conf_kind(Path(text)))


def _scale(options: argparse.Namespace) -> Scaling:
    given = {name: getattr(options, name) for name in ("theta", "rho", "walltime_cap", "rightsize")}
    return parse_scale(",".join(f"{name}={text}" for name, text in given.items() if text is not None))


def measured_jobs(options: argparse.Namespace, trace: Trace) -> NDArray[np.bool_] | None:
    """The jobs of `--measure FROM:TO`, shape (n,); None where all are measured. Raises InputError."""
    return None if options.measure is None else jobs_of_span(options.measure, trace)


def measured_filter(options: argparse.Namespace, trace: Trace) -> Expression | None:
    """The filter of `--filter`. Raises InputError, also for names that do not exist in the log."""
    if options.filter is None:
        return None
    from engine.filter import FilterError, parse_filter
    from engine.filter.complete import unknown_names

    try:
        expression = parse_filter(options.filter)
    except FilterError as error:
        raise InputError(f"--filter {options.filter}: {error.message}") from None
    unknown = unknown_names(expression, trace)
    if unknown:
        raise InputError(f"--filter {options.filter}: {trace.name} has {unknown[0]}")
    return expression


def machine_of(text: str) -> Cluster:
    """A machine from its spelling, a machines file or a `slurm.conf`. Raises InputError."""
    machine = machine_named(text)
    return machine.own or parse_cluster(machine.cluster_text or text)
