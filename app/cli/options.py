"""Options that several commands have, and how their values are spelled."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from engine.errors import InputError
from engine.input import STANDARD_INPUT


def add_output(parser: argparse.ArgumentParser, about: str) -> None:
    """The file that a command writes, and the option to replace any other file."""
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=about)
    add_force(parser)


def add_force(parser: argparse.ArgumentParser) -> None:
    """The option of commands that write files; `check_output` (`app.export.output`) says what is kept."""
    about = "also replace files that were not written by this command"
    parser.add_argument("--force", action="store_true", help=about)


def add_printing(parser: argparse._ActionsContainer) -> None:
    """The options of what a command prints: its answer as JSON, and progress."""
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def add_picture(parser: argparse.ArgumentParser) -> None:
    """Options of a window that is drawn to a file."""
    from views.catalog import NAMES

    group = parser.add_argument_group("picture instead of a window")
    group.add_argument(
        "--screenshot", type=Path, metavar="FILE", help="draw the window to FILE when all is done"
    )
    group.add_argument("--size", type=_size, metavar="WxH", help="of the window (1600x1000)")
    group.add_argument("--theme", choices=("light", "dark"), help="(as set in the window, at first light)")
    group.add_argument("--view", choices=NAMES, help="what the window shows")
    about = "let --screenshot replace a file that is no picture"
    group.add_argument("--force", action="store_true", help=about)


def names_in(text: str | None) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def add_names(parser: argparse.ArgumentParser) -> None:
    """Add the option for the file of names that tables and figures show."""
    about = 'a TOML file of names: "shown words" by run, policy, key, metric or unit'
    parser.add_argument("--names", type=Path, metavar="FILE", help=about)


def add_chosen_groups(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose rows and columns of the table of `--by`, and their names."""
    about = "groups of the table of --by in this order, with commas (all)"
    parser.add_argument("--groups", metavar="NAMES", help=about)
    about = "columns of the table of --by in this order, with commas, such as wait_mean,cpu_used (all)"
    parser.add_argument("--values", metavar="NAMES", help=about)
    add_names(parser)


def add_share(parser: argparse.ArgumentParser) -> None:
    """Add the option for the users' shares."""
    parser.add_argument(
        "--share",
        default="fair",
        metavar="SPEC",
        help=(
            "the share that each user may expect: fair, 1/10, 64c256g8gpu, users.csv; options may "
            "follow, as in fair:share_decay=3d,batches=10m"
        ),
    )


def add_fair_starts(parser: argparse.ArgumentParser) -> None:
    """Add the option that computes fair starts: the start times if no later job had been submitted."""
    from engine.schedule.schedule import FairBy

    parser.add_argument(
        "--fair-starts",
        nargs="?",
        const="estimate",
        choices=get_args(FairBy),
        help=(
            "compute when jobs would have started without later submissions (unfair_jobs, "
            "unfair_delay_mean), with runtimes as estimated (estimate) or as they were (actual)"
        ),
    )


def add_metric_names(parser: argparse.ArgumentParser) -> None:
    """Add the option for additional metrics alone."""
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help=(
            "an additional metric with its parameter: psf:alpha=1.5, value:delta=20, awf:weight=ram; "
            "or a metric of your own, mine.py:late; may be repeated"
        ),
    )


def add_metric(parser: argparse.ArgumentParser) -> None:
    """Add the options for additional metrics, and for what they need."""
    from engine.policy.penalty import PENALTIES

    add_fair_starts(parser)
    add_metric_names(parser)
    parser.add_argument(
        "--penalty",
        choices=tuple(PENALTIES),
        default="max",
        help="penalty that combines CPUs and RAM in normalized user wait times, for all policies (max)",
    )


def add_filter(parser: argparse.ArgumentParser) -> None:
    """Add the option for the measured jobs."""
    parser.add_argument(
        "--filter",
        metavar="EXPR",
        help="limit metrics to jobs that match in at least one run, such as 'user in (12, 62) and "
        "wait > 2h'; all jobs are simulated (`batchscope policies` lists the fields)",
    )


def log_path(word: str) -> Path:
    """The path of a log on the command line: `-` is standard input."""
    return STANDARD_INPUT if word == "-" else Path(word)


def add_trace(parser: argparse.ArgumentParser, optional: bool = False, clusters: bool | None = None) -> None:
    """Add the trace argument, which can be `optional`, and the options of commands that read a trace.

    `clusters`: also the choice of a log's clusters, by default where the trace is not optional.
    """
    about = (
        "workload log (may be compressed), folder of rotated logs, or - for standard input; several files "
        "are read as a single log"
    )
    number = "*" if optional else "+"
    parser.add_argument("trace", type=log_path, nargs=number, action=_Files, metavar="TRACE", help=about)
    group = parser.add_argument_group("options of all commands that read a trace")
    machines = "machine: 20x80c505g+48x12c90g, 338c, bluegene, a machines file, a slurm.conf, or "
    machines += "what pbsnodes -a or qhost prints; "
    machines += "with 20x80c~30d/4h each node fails every 30 days on average, for 4 hours "
    machines += "(30d/4h/7/0.7: seed 7, Weibull times of shape 0.7)"
    group.add_argument("--cluster", metavar="SPEC", help=machines)
    failures = (
        "file with the failures of the log's nodes, in Alea's format (default: the .failures file "
        "next to the log)"
    )
    group.add_argument("--failures", type=Path, metavar="FILE", help=failures)
    about = "power of the machine's nodes, prices and carbon intensities: a TOML file, or log: learned from "
    about += "the energy of the log's jobs"
    group.add_argument("--power", metavar="FILE", help=about)
    about = "meaning of the columns of a table (CSV, Parquet): lines of TOML such as submit = 'Queued at'"
    group.add_argument("--columns", type=Path, metavar="FILE", help=about)
    about = "units of numbers that the log does not name, such as walltime=min,ram=gb"
    group.add_argument("--units", metavar="NAME=UNIT,...", help=about)
    about = "the --format of a sacct dump that has no header"
    group.add_argument("--fields", metavar="NAMES", help=about)
    group.add_argument(
        "--estimate", metavar="NAME", help="runtime estimate of policies without their own (requested)"
    )
    zone = "time zone of a log that has none or a wrong one, such as Europe/Prague"
    group.add_argument("--timezone", metavar="ZONE", help=zone)
    if (
        not optional if clusters is None else clusters
    ):  # where a queue is read, its clusters are chosen by an option of the same name
        about = "only these clusters of a log of several; more than one are taken for one machine"
        group.add_argument("--clusters", metavar="A,B", help=about)
    apart = "only these partitions, as a separate machine; -A leaves out partition A (default: all together)"
    group.add_argument("--partitions", metavar="A,B", help=apart)
    group.add_argument("--jobs", metavar="A:B", help="only jobs A to B - 1, counted from 0 after cleaning")
    group.add_argument(
        "--from", dest="start", metavar="TIME", help="only jobs submitted at or after TIME: a date or seconds"
    )
    group.add_argument("--to", dest="end", metavar="TIME", help="only jobs submitted before TIME")
    group.add_argument(
        "--theta", metavar="X", help="multiply inter-arrival times by X; less than 1 raises the load"
    )
    group.add_argument(
        "--rho",
        metavar="X",
        help="multiply the processors of jobs by X, up to the whole machine, and divide runtimes by as much",
    )
    cap = "cap requested walltimes, such as 12h or 12h;queue:30m; runtimes stay"
    group.add_argument("--walltime-cap", metavar="TIME", help=cap)
    cut = (
        "cap requested walltime, RAM and processors at the quantile Q (0 to 1) of what the user's jobs used; "
    )
    cut += "0.9;ram or 0.9;procs;walltime caps only these"
    group.add_argument("--rightsize", metavar="Q", help=cut)
    about = "on: in each schedule, submit a job that follows another (fields 17 and 18 of the log) when that "
    about += "job has ended and the think time has passed (off)"
    group.add_argument("--dependencies", choices=("on", "off"), help=about)
    group.add_argument(
        "--measure", metavar="FROM:TO", help="limit metrics to jobs submitted in this time range"
    )
    group.add_argument("--users", metavar="A,B", help="only these users; -A leaves out user A")
    group.add_argument("--queues", metavar="A,B", help="only these queues; -A leaves out queue A")
    group.add_argument(
        "--clean", action="append", default=[], metavar="RULE=on|off", help="switch a cleaning rule on or off"
    )
    group.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed for the values of jobs, for policies without their own (0)",
    )
    add_printing(group)


class _Files(argparse.Action):
    """Keeps the first file of a log as `trace` and the others as `further`."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        namespace.trace, *namespace.further = values or [None]


def add_runners(parser: argparse.ArgumentParser) -> None:
    """The options of commands that share out their runs: threads of this computer, or a Dask cluster."""
    where = parser.add_mutually_exclusive_group()
    about = "make so many runs at a time (one per core)"
    where.add_argument("--workers", type=workers, metavar="N", help=about)
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        default="",
        help="run on the workers of a Dask cluster, such as tcp://127.0.0.1:8786 or tls://host:8786; over "
        "tcp nobody is asked for a password: whoever reaches scheduler or workers can run programs as you",
    )


def count(text: str) -> int:
    """A whole number from 1 to 999,999,999. Raises ArgumentTypeError."""
    return _whole(text, 1)


def count_from_0(text: str) -> int:
    """A whole number from 0 to 999,999,999. Raises ArgumentTypeError."""
    return _whole(text, 0)


def workers(text: str) -> int:
    """A number of runs at a time, from 1 to 1,024. Raises ArgumentTypeError."""
    return _whole(text, 1, 1024)


def percentage(text: str) -> int:
    """A whole number from 1 to 99. Raises ArgumentTypeError."""
    return _whole(text, 1, 99)


def _whole(text: str, least: int, most: int = 999_999_999) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
    return int(text)


def refuse_given(options: argparse.Namespace, why: str, *names: str) -> None:
    """Raise InputError where an option was given that has no use here."""
    for name in names:
        if getattr(options, name) is not None:
            raise InputError(f"--{name.replace('_', '-')} has no use here: {why}")


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; spell it like 1600x1000") from None
    if not (320 <= width <= 16384 and 240 <= height <= 16384):
        raise argparse.ArgumentTypeError(f"{text}: sizes go from 320x240 to 16384x16384")
    return width, height


def seconds(text: str) -> float:
    """Seconds of a day at most. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not 0 to 86400 seconds")
    return value
