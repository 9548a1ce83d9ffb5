"""Options of the commands that print and draw the results of runs, and the lookup of commands."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from app.cli.options import add_fair_starts, add_filter, add_share, add_trace, count, count_from_0

DONE, FAILED = 0, 1


def collect_from_now_on() -> None:
    """Let Python's collector work, on what is made from now on: what was loaded stays."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def command(path: str) -> Callable[[argparse.Namespace], int]:
    """The command `module:function` of `app.cli`, which loads the engine only when it runs.

    A function returns False if the work failed.
    """

    def run(options: argparse.Namespace) -> int:
        module, _, function = path.partition(":")
        command: Callable[[argparse.Namespace], bool | None] = getattr(
            import_module(f"app.cli.{module}"), function
        )
        collect_from_now_on()
        return FAILED if command(options) is False else DONE

    return run


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Options of `explain`."""
    add_trace(parser)
    parser.add_argument("-p", "--policy", default="easy", metavar="POLICY", help="what to simulate (easy)")
    parser.add_argument(
        "--job", dest="job_id", required=True, metavar="ID", help="the job, by its id in the log"
    )
    about = "plain text for its user, with what would have helped: the log is simulated again with this job "
    about += "asking for less time, fewer processors, or another queue"
    parser.add_argument("--answer", action="store_true", help=about)
    parser.set_defaults(run=command("explain:explain_job"))


def add_difference(parser: argparse.ArgumentParser) -> None:
    """Options of `difference`."""
    add_trace(parser)
    about = "the first run, and, given again, the run that is compared with it"
    parser.add_argument("-p", "--policy", action="append", required=True, metavar="POLICY", help=about)
    groups = ("user", "account", "queue", "class", "hour", "weekday")
    parser.add_argument("--by", choices=groups, default="user", help="the groups of the table (user)")
    parser.set_defaults(run=command("difference:compare_two"))


def add_figure(parser: argparse.ArgumentParser) -> None:
    """Options of `figure`."""
    from app.export.look_options import spell_look_options
    from views.catalog import RUN_FIGURES
    from views.figures.printing import PAPERS

    kinds = [spec.kind for spec in RUN_FIGURES if not spec.kind.endswith("-column")]
    about = f"what is drawn: {', '.join(kinds)}; append -column for a figure as wide as a column of a page"
    parser.add_argument("kind", metavar="KIND", help=about)
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", action="append", required=True, metavar="POLICY", help="repeat for each run"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=".pdf, .svg or .png")
    about = (
        f"an option of the view, or what is picked in it; repeat for more. There are {spell_look_options()}"
    )
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=about)
    about = "the time that charts over time show (all of it); dates or seconds"
    parser.add_argument("--shown", metavar="FROM:TO", help=about)
    add_filter(parser)
    add_fair_starts(parser)
    about = (
        "a user who is picked: figures of single users, like `filling`, are of that user (else of who used "
    )
    about += "most), and Gantt charts fade the jobs of others; repeat for more"
    parser.add_argument("--user", action="append", default=[], metavar="NAME", help=about)
    about = "write the data of the figure: .csv, .parquet or .json"
    parser.add_argument("--data", type=Path, metavar="FILE", help=about)
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    group = parser.add_argument_group("print")
    papers = ", ".join(f"{name} ({paper.about})" for name, paper in PAPERS.items())
    group.add_argument("--paper", metavar="SIZE", help=f"a width in mm, or {papers}")
    about = "the most that the page has room for (as the paper has, else as the figure needs)"
    group.add_argument("--height", type=float, metavar="MM", help=about)
    group.add_argument("--font", metavar="NAME", help="(DejaVu Sans)")
    group.add_argument("--font-size", type=float, metavar="PT", help="(as suits the paper, else 8)")
    group.add_argument("--grey", action="store_true", help="no colours: greys, markers and hatches")
    group.add_argument("--no-title", action="store_true", help="without the title at the top")
    group.add_argument("--no-captions", action="store_true", help="without the notes below plots")
    about = "omit the source lines below the figure; the file's metadata still holds them"
    group.add_argument("--no-note", action="store_true", help=about)
    add_share(parser)
    parser.set_defaults(run=command("figure:make_figure"))


def add_twin(parser: argparse.ArgumentParser) -> None:
    """The options of `twin`."""
    add_trace(parser)
    about = "the site's files: a folder with its slurm.conf and what `sacctmgr dump`, `sshare -a -l -P`, "
    about += "`sacctmgr show qos -P`, `scontrol show config` and `scontrol show reservation` print; or its "
    about += "slurm.conf alone"
    parser.add_argument("--site", type=Path, metavar="DIR", help=about)
    about = "estimate delays of launch and completion from the first half of the log, and nodes "
    about += "that were away in each week, with their evidence; say how near the second half comes with them"
    parser.add_argument("--fit", action="store_true", help=about)
    parser.set_defaults(run=command("twin:twin"))


def add_now(parser: argparse.ArgumentParser) -> None:
    """The options of `now`."""
    add_trace(parser, optional=True)
    about = "what `squeue --json`, `squeue` (any format with a header), `scontrol show job -o`, `sacct -P` "
    about += "or `qstat -f` (also `-F json`) prints"
    parser.add_argument("--from-file", type=Path, metavar="FILE", help=about)
    about = "a command that prints it, such as 'ssh login squeue --json': split into words and run as given, "
    about += "without a shell"
    parser.add_argument("--command", dest="command_line", metavar="COMMAND", help=about)
    about = "how long that command may run (60 s)"
    parser.add_argument("--wait", type=count, default=60, metavar="N", help=about)
    about = "the site's slurm.conf, or a folder of its files, as for `twin`; else `--cluster` names a machine"
    parser.add_argument("--site", type=Path, metavar="DIR", help=about)
    about = "an additional job, submitted now: resources of each node and a time limit, such as 2x64c256g/12h"
    parser.add_argument("--job", metavar="SPEC", help=about)
    parser.add_argument("--user", metavar="NAME", help="whose job that is")
    parser.add_argument("--partition", metavar="NAME", help="where it is submitted (any node)")
    about = "how often runtimes are drawn (100), of those of like jobs of TRACE, where one is given; 0: only "
    about += "what is planned by limits"
    parser.add_argument("--replays", type=count_from_0, default=100, metavar="N", help=about)
    about = "time limit for all replays (5 s); the output says how many replays were run"
    parser.add_argument("--seconds", type=count, default=5, metavar="N", help=about)
    about = "how many of 100 replays start a job within its span (80), which is widened for what replays do "
    about += "not know: it also holds the planned start, and half as much again of the time from now"
    parser.add_argument("--cover", type=count, default=80, metavar="N", help=about)
    about = "calibrate spans at so many random instants of TRACE (0), such as 100: predictions from what was "
    about += (
        "known then, against the starts of the log; every other instant is kept to say how well spans held"
    )
    parser.add_argument("--calibrate", type=count_from_0, default=0, metavar="N", help=about)
    about = (
        "keep predictions in FILE, which is made or extended, and score those whose jobs have started since; "
    )
    about += "from 20 of these on spans are calibrated by them"
    parser.add_argument("--keep", type=Path, metavar="FILE", help=about)
    about = "write a page for browsers (.html) that needs no other file"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=about)
    parser.set_defaults(run=command("now:now"))


def add_report(parser: argparse.ArgumentParser) -> None:
    """Options of `report`."""
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", action="append", required=True, metavar="POLICY", help="repeat for each run"
    )
    about = "the policy that the others are compared with (the first)"
    parser.add_argument("--baseline", metavar="POLICY", help=about)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the report, new or empty"
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier report in that folder")
    add_filter(parser)
    add_share(parser)
    parser.set_defaults(run=command("report:write_report"))


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Options of `doctor`."""
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.set_defaults(run=command("doctor:doctor"))
