"""The trace and machine that the options of a command name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.cli.terminal import progress_bar, show_first_uses
from engine.errors import InputError, single_line
from engine.own.allowed_code import allow_named
from engine.policy.policy import Policy, parse_policy
from engine.reading.log import Log
from engine.reading.measure import measured_jobs as jobs_of_span
from engine.reading.options import Reading, further_names
from engine.reading.read import on_site_machine, read_log_as
from engine.shown_text import is_named
from engine.slurm.site.left_out import lines_left_out
from engine.trace import Trace
from engine.trace.scale import Scaling, parse_scale, scaled

if TYPE_CHECKING:
    from engine.filter import Expression
    from engine.metrics.metric import Metric


def open_log(options: argparse.Namespace, policies: Sequence[Policy] = (), *, tells: bool = True) -> Log:
    """Read, clean and cut the log of the options, on the machine of the first site among the policies.

    A machines file is the log's own machine; a spelled cluster is another machine to simulate the log on,
    also for the sites. What is not simulated of these is printed to standard error (`tells`). Raises
    InputError, also if the machine is too small for every job of the log.
    """
    reading = on_site_machine(reading_of(options), policies)
    show_first_uses(options.quiet)  # reading a log is the first of these
    with progress_bar("reading", options) as progress:
        read = read_log_as(options.trace, reading, progress)
    trace = scaled(read.trace, _scale(options))
    measured_jobs(options, trace)  # raises, before anything is simulated, if there are none
    opened = Log(trace, read.cluster, options.cluster is not None, options.trace, reading)
    if tells and not options.quiet:
        for line in dict.fromkeys(_doubts(opened, policies)):
            print(line, file=sys.stderr)
    return opened


def check_accounts(trace: Trace, by: str | None) -> None:
    """Raise InputError where jobs are to be grouped by accounts and the log has none."""
    if by != "account":
        return
    if not any(is_named(by, name) for name in trace.group.names):
        raise InputError(f"{trace.name} names no account for any job: choose another --by")


def _doubts(opened: Log, policies: Sequence[Policy]) -> Iterator[str]:
    """What is not simulated of each site, and on which machine it runs where that is not the files' own."""
    for policy in dict.fromkeys(policies):
        site = policy.site
        if site is None:
            continue
        if doubt := opened.doubt_of_machine(policy):
            yield f"{site.path}: {doubt}"
        for line in map(single_line, lines_left_out(site, opened.trace)):
            yield f"{site.path}: not simulated: {line}"


def as_logged(options: argparse.Namespace, policy: Policy) -> Trace:
    """The trace of the options without the changes of a what-if, for a policy. Raises InputError."""
    with progress_bar("reading", options) as progress:
        return read_log_as(options.trace, on_site_machine(reading_of(options), [policy]), progress).trace


def reading_of(options: argparse.Namespace) -> Reading:
    """The options for reading a log, from the command line. Raises InputError."""
    # The mapping becomes text: a reading is written into sessions and results, where a path alone would not
    # do.
    columns = ""
    if options.columns is not None:
        from engine.logs.tables.columns import format_mapping, read_mapping

        columns = format_mapping(read_mapping(options.columns))
    return Reading(
        further=further_names(options.trace, options.further),
        machine=options.cluster or "",
        failures="" if options.failures is None else str(options.failures),
        power=options.power or "",
        columns=columns,
        units=options.units or "",
        fields=options.fields or "",
        clean=tuple(options.clean),
        timezone=options.timezone or "",
        dependencies=options.dependencies or "",
        clusters=getattr(options, "clusters", None) or "",
        partitions=options.partitions or "",
        jobs=options.jobs or "",
        start=options.start or "",
        end=options.end or "",
        users=options.users or "",
        queues=options.queues or "",
    )


def policy_of(text: str, options: argparse.Namespace) -> Policy:
    """A policy from its spelling, with the estimate and the seed of the options. Raises InputError.

    Code of the user's own that it names may run: whoever gave the command has asked for that.
    """
    allow_named(text)
    return parse_policy(text, options.estimate, options.seed)


def named_metric(text: str) -> Metric:
    """A metric by its name. Raises InputError. Code of the user's own that it names may run."""
    from engine.metrics.metric_names import parse_metric
    from engine.metrics.own_metric import allow_metric

    allow_metric(text)
    return parse_metric(text)


def _scale(options: argparse.Namespace) -> Scaling:
    factors = {name: getattr(options, name) for name in ("theta", "rho", "walltime_cap", "rightsize")}
    return parse_scale(",".join(f"{name}={text}" for name, text in factors.items() if text is not None))


def measured_jobs(options: argparse.Namespace, trace: Trace) -> NDArray[np.bool_] | None:
    """The jobs of `--measure FROM:TO`, shape (n,); None where all are measured. Raises InputError."""
    return None if options.measure is None else jobs_of_span(options.measure, trace)


def measured_filter(options: argparse.Namespace, trace: Trace) -> Expression | None:
    """The filter of `--filter`. Raises InputError, also for names that do not exist in the log."""
    if options.filter is None:
        return None
    from engine.filter import FilterError
    from engine.filter.complete import unknown_names
    from engine.filter.parse import parse_own_filter

    try:
        expression = parse_own_filter(options.filter)
    except FilterError as error:
        raise InputError(f"--filter {options.filter}: {error.message}") from None
    # A name that no job has would select nothing, most likely by a slip.
    unknown = unknown_names(expression, trace)
    if unknown:
        raise InputError(f"--filter {options.filter}: {trace.name} has {unknown[0]}")
    return expression
