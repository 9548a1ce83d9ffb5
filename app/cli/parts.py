"""Options of the commands that print and draw the results of runs, and the lookup of commands."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from app.cli.options import (
    add_fair_starts,
    add_filter,
    add_force,
    add_metric_names,
    add_names,
    add_output,
    add_printing,
    add_runners,
    add_share,
    add_trace,
    count,
    count_from_0,
    log_path,
    percentage,
)
from resources import papers, studies

DONE, FAILED = 0, 1

_ONLY_ASKED = ("commands", "directories", "comments")
"""What `collect` brings only if it is asked for."""


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


def add_runs(parser: argparse.ArgumentParser, needed: bool = True) -> None:
    """Add the option for the policies of several runs."""
    about = (
        "policy of a run; repeat for more runs. `easy with walltime_cap=4h` changes the workload of that run "
    )
    about += "alone (`batchscope policies` lists the changes)"
    parser.add_argument("-p", "--policy", action="append", required=needed, metavar="POLICY", help=about)


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Options of `explain`."""
    add_trace(parser)
    parser.add_argument("-p", "--policy", default="easy", metavar="POLICY", help="policy to simulate (easy)")
    parser.add_argument("--job", dest="job_id", required=True, metavar="ID", help="id of the job in the log")
    about = "plain text for its user, with what would have helped: the log is simulated again with this job "
    about += "asking for less time, fewer processors, or another queue"
    parser.add_argument("--answer", action="store_true", help=about)
    about = "the whole answer of --answer: the request, all reasons, and the effect of each change"
    parser.add_argument("--method", action="store_true", help=about)
    parser.set_defaults(run=command("explain:explain_job"))


def add_new(parser: argparse.ArgumentParser) -> None:
    """Options of `new`."""
    about = "a file of policies, or a package of policies, metrics, a reader and a view"
    parser.add_argument("kind", choices=("policy", "package"), help=about)
    parser.add_argument("file", type=Path, metavar="FILE", help="the file, like mine.py, or folder to write")
    parser.set_defaults(run=command("new:new_file"))


def add_doubtful(parser: argparse.ArgumentParser) -> None:
    """The option that shows what-ifs of a site whose model misleads."""
    about = "show what-ifs of a site also where its model has the accounts in another order than the log"
    parser.add_argument("--doubtful", action="store_true", help=about)


def add_difference(parser: argparse.ArgumentParser) -> None:
    """Options of `difference`."""
    add_trace(parser)
    about = "give it twice: the baseline, and the run to compare with it"
    parser.add_argument("-p", "--policy", action="append", required=True, metavar="POLICY", help=about)
    groups = ("user", "account", "queue", "class", "hour", "weekday")
    parser.add_argument("--by", choices=groups, default="user", help="how the table groups jobs (user)")
    add_doubtful(parser)
    parser.set_defaults(run=command("difference:compare_two"))


def add_waits(parser: argparse.ArgumentParser) -> None:
    """Options of `waits`."""
    add_trace(parser)
    about = "the schedule whose waits are told (recorded if the log has starts, otherwise easy), or a site"
    parser.add_argument("-p", "--policy", metavar="POLICY", help=about)
    about = "how jobs are grouped: account, partition, user or week (of submission), or several with commas "
    about += "(account)"
    parser.add_argument("--by", default="account", metavar="NAMES", help=about)
    add_filter(parser)
    about = "write a table with one row for each group: .csv or .parquet"
    add_output(parser, about)
    parser.set_defaults(run=command("site.waits:waits"))


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
    parser.set_defaults(run=command("site.twin:twin"))


def add_change(parser: argparse.ArgumentParser) -> None:
    """The options of `change`."""
    add_trace(parser)
    _add_change_of_rules(parser, required=True)
    parser.set_defaults(run=command("change:change"))


def _add_change_of_rules(group: argparse._ActionsContainer, *, required: bool) -> None:
    """The date of a change of rules, and the site's files before and after it."""
    about = "when the rules changed: an ISO date in the log's time zone, or seconds from its zero"
    group.add_argument("--at", required=required, metavar="DATE", help=about)
    for name in ("before", "after"):
        about = f"the site's files with the rules {name} that date: site:DIR, or a slurm.conf"
        group.add_argument(f"--{name}", required=required, metavar="SITE", help=about)


def add_now(parser: argparse.ArgumentParser) -> None:
    """The options of `now`."""
    add_trace(parser, optional=True)
    about = "what `squeue --json`, `squeue` (any format with a header), `scontrol show job -o`, `sacct -P` "
    about += "or `qstat -f` (also `-F json`) prints"
    parser.add_argument("--from-file", type=log_path, metavar="FILE", help=about)
    about = "a command that prints it, such as 'ssh login squeue --json': split into words and run as given, "
    about += "without a shell"
    parser.add_argument("--command", dest="command_line", metavar="COMMAND", help=about)
    about = "time limit of the command in seconds (60)"
    parser.add_argument("--wait", type=count, default=60, metavar="N", help=about)
    about = "when the queue was printed, by the site's clock (2026-11-29T10:00, or s from 1970): for a file "
    about += "without a date of its own, which may be a copy of any age"
    parser.add_argument("--at", metavar="TIME", help=about)
    about = "the cluster to answer for, or several with commas, of a print of several (`squeue -M all`); "
    about += "else there is a table for each"
    parser.add_argument("--clusters", metavar="NAME", help=about)
    about = "the site's slurm.conf, or a folder of its files, as for `twin`; else `--cluster` names a "
    about += "machine. Of several sites, each is that of the cluster that its slurm.conf names (ClusterName)"
    parser.add_argument("--site", type=Path, action="append", default=[], metavar="DIR", help=about)
    about = "an additional job, submitted now: resources of each node and a time limit, such as "
    about += "2x64c256g/12h; below the table stands its answer in at most forty words, as of --answer"
    parser.add_argument("--job", metavar="SPEC", help=about)
    about = "draw the map of starts of jobs like that, how long each size and time limit would wait: .pdf, "
    about += ".svg or .png"
    parser.add_argument("--map", type=Path, metavar="FILE", help=about)
    about = "for the user of the job with this id, in at most forty words: when it starts, how sure that is, "
    about += "why it waits, and what would help: the queue is planned again with this job asking for less "
    about += "time, fewer processors, or another partition; `new` is the job of --job"
    parser.add_argument("--answer", metavar="ID", help=about)
    about = "the whole answer of --answer or --job, as `explain --answer` gives: the request, how starts and "
    about += "spans are worked out, and the effect of each change"
    parser.add_argument("--method", action="store_true", help=about)
    parser.add_argument("--user", metavar="NAME", help="user of the job")
    parser.add_argument("--partition", metavar="NAME", help="partition of the job (any node)")
    about = "number of replays with random runtimes (100), those of similar jobs of TRACE if given; 0: only "
    about += "the plan by time limits"
    parser.add_argument("--replays", type=count_from_0, default=100, metavar="N", help=about)
    about = "let further jobs come in replays as in the last weeks of TRACE, at the same hours of three "
    about += "days; else none comes"
    parser.add_argument("--arrivals", action="store_true", help=about)
    about = "time limit for all replays (none); the output says how many replays were run"
    parser.add_argument("--seconds", type=count, metavar="N", help=about)
    about = (
        "how many of 100 real starts spans are to contain (80): those of the replays, calibrated on TRACE or "
    )
    about += (
        "on kept predictions; where neither is there, only wider than the replays', and the output says so"
    )
    parser.add_argument("--cover", type=percentage, default=80, metavar="N", help=about)
    about = "calibrate spans at so many random instants of TRACE (60; 0: "
    about += "not at all): predictions from what was known then, against the starts of the log; the output "
    about += "says how many starts spans contained that were calibrated on other times"
    parser.add_argument("--calibrate", type=count_from_0, metavar="N", help=about)
    about = (
        "keep predictions in FILE, which is made or extended, and score those whose jobs have started since; "
    )
    about += "from 20 of these on spans are calibrated by them"
    parser.add_argument("--keep", type=Path, metavar="FILE", help=about)
    about = "write a page for browsers (.html) that needs no other file; with --every the folder of the pages"
    add_output(parser, about)
    about = "renew every N seconds, until the process is ended, what is published in the folder of -o: "
    about += "index.html, fragment.html for a page of your own, and queue.json. Where a try fails the last "
    about += "queue stays, with its age"
    parser.add_argument("--every", type=count, metavar="N", help=about)
    about = "publish no users, accounts and job names, and no sentence that may name them: jobs are found by "
    about += "their ids"
    parser.add_argument("--public", action="store_true", help=about)
    about = (
        "write the metrics of the queue as text for Prometheus, such as for the textfile collector of its "
    )
    about += "node exporter (.prom)"
    parser.add_argument("--metrics", type=Path, metavar="FILE", help=about)
    parser.set_defaults(run=command("site.now:now"))


def add_report(parser: argparse.ArgumentParser) -> None:
    """Options of `report`."""
    add_trace(parser, optional=True, clusters=True)
    add_runs(parser, needed=False)
    about = "policy that the others are compared with (a site's own, else easy, else the first simulated)"
    parser.add_argument("--baseline", metavar="POLICY", help=about)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of the report, new or empty (needed)"
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier report in that folder")
    about = "make the report in DIR again, without a log or further options, and list the numbers that differ"
    parser.add_argument("--again", type=Path, metavar="DIR", help=about)
    about = "a section on whether a change of a site's rules helped, as `change` tells it"
    _add_change_of_rules(parser.add_argument_group("change of rules", about), required=False)
    add_filter(parser)
    add_share(parser)
    add_fair_starts(parser)
    add_metric_names(parser)
    about = "check the simulated schedules and their reasons as `audit` does, and say what was checked"
    parser.add_argument("--audit", action="store_true", help=about)
    add_names(parser)
    add_doubtful(parser)
    parser.set_defaults(run=command("report:report"))


def add_paper(parser: argparse.ArgumentParser) -> None:
    """Options of `paper`."""
    about = "folder with a paper.toml, or a paper that comes along: "
    parser.add_argument("folder", type=Path, metavar="DIR", help=f"{about}{', '.join(papers())}")
    about = "make all in another place, and list the numbers that differ from the results that are there"
    parser.add_argument("--check", action="store_true", help=about)
    about = "only this figure or table, by its name; repeat for more"
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help=about)
    about = "a folder that has logs of the paper (the paper's own, and the current folder); repeat for more"
    parser.add_argument("--logs", type=Path, action="append", default=[], metavar="DIR", help=about)
    about = "folder for the results, and for rows of studies that are used again (that of the paper)"
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=about)
    about = "a policy, or a file of your own such as mine.py:late, that is ranked with those of the paper; "
    about += "repeat for more"
    parser.add_argument("-p", "--policy", action="append", default=[], metavar="POLICY", help=about)
    about = "run the programs of somebody's own that the paper names, without showing them"
    parser.add_argument("--trust", action="store_true", help=about)
    parser.add_argument("--force", action="store_true", help="replace earlier results")
    add_runners(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=command("paper:make"))


def add_cite(parser: argparse.ArgumentParser) -> None:
    """Options of `cite`."""
    about = "only these entries, like batchscope or tang2013"
    parser.add_argument("names", nargs="*", metavar="NAME", help=about)
    parser.set_defaults(run=command("paper:cite"))


def add_collect(parser: argparse.ArgumentParser) -> None:
    """The options of `collect`."""
    about = "folder to write to: a site's folder, with the log in `jobs` and the queue in `queue`"
    parser.add_argument("folder", type=Path, nargs="?", metavar="DIR", help=about)
    about = "print a script for the shell instead, which does the same where it is run: sh collect.sh DIR"
    parser.add_argument("--print", action="store_true", help=about)
    about = "the batch system (that whose commands are here; of --print slurm)"
    parser.add_argument("--system", choices=("slurm", "pbs", "sge"), help=about)
    about = "first day of the log, such as 2026-11-01 (30 days before the last)"
    parser.add_argument("--from", dest="start", metavar="DATE", help=about)
    parser.add_argument("--to", dest="end", metavar="DATE", help="end of the log, not part of it (now)")
    about = "also collect what users and administrators wrote: command lines (which bring dependencies), "
    about += "directories, comments; repeat for more"
    parser.add_argument("--with", dest="bring", action="append", default=[], choices=_ONLY_ASKED, help=about)
    add_force(parser)
    add_printing(parser)
    parser.set_defaults(run=command("collect:collect"))


def add_anonymize(parser: argparse.ArgumentParser) -> None:
    """The options of `anonymize`."""
    about = "log to write under other names: of Slurm in any of its prints, of PBS, Grid Engine or LSF, or "
    about += "in the Standard Workload Format (- is standard input); several files are read as a single log"
    parser.add_argument("trace", type=log_path, nargs="+", metavar="LOG", help=about)
    about = "the site's files, a folder or a slurm.conf, under the same new names"
    parser.add_argument("--site", type=Path, metavar="DIR", help=about)
    about = "folder to write to, new or empty"
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help=about)
    about = "also write which name became which, to a CSV that is yours alone (no such key is kept)"
    parser.add_argument("--key", type=Path, metavar="FILE", help=about)
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.add_argument("--quiet", action="store_true", help="no messages")
    parser.set_defaults(run=command("anonymize:anonymize"))


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Options of `doctor`."""
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.set_defaults(run=command("doctor:doctor"))


def add_search(parser: argparse.ArgumentParser) -> None:
    """Options of `search`."""
    add_trace(parser)
    for name in ("minimize", "maximize"):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="METRIC",
            help=f"a metric to {name}; repeat for several",
        )
    about = "a constraint, such as 'veet_q3 <= 20', or 'wait_max <= 10 %%' relative to the baseline"
    parser.add_argument("--subject-to", action="append", default=[], metavar="EXPR", help=about)
    about = "key to vary, over its whole range or these values: bf=0..1, order=fcfs|sjf; of a site an "
    about += "option: bf_interval, PriorityWeightAge=0..5000, Fairshare (of all accounts), "
    about += "MaxJobsPU.QOS=2..10; repeat for more"
    parser.add_argument("--vary", action="append", default=[], metavar="KEY[=VALUES]", help=about)
    parser.add_argument(
        "-p", "--policy", default="easy", metavar="POLICY", help="policy to start from (easy), or a site"
    )
    about = "policy to improve on (easy, or the site that the search starts from)"
    parser.add_argument("--baseline", metavar="POLICY", help=about)
    parser.add_argument(
        "--trials", type=count, default=200, metavar="N", help="number of policies to try (200)"
    )
    add_doubtful(parser)
    add_share(parser)
    add_output(parser, "write a table with one row for each policy tried: .csv or .parquet")
    add_runners(parser)
    parser.set_defaults(run=command("search:search_policies"))


def add_generate(parser: argparse.ArgumentParser) -> None:
    """Options of `generate`."""
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUT",
        help="log to write: .swf or .csv, compressed if .gz follows; the machine is written next to it",
    )
    parser.add_argument(
        "--model",
        choices=("lublin", "bursty", "saturated", "campus"),
        help="workload model: lublin (Lublin & Feitelson 2003, default), bursty (long user sessions), "
        "saturated (more work than the machine can do), or campus (as in the bundled example)",
    )
    about = "take machine, users, load and distributions from this log, and print how similar the new log is"
    parser.add_argument("--like", type=log_path, metavar="TRACE", help=about)
    parser.add_argument(
        "--figure", type=Path, metavar="FILE", help="draw the similarity to the log: .png, .svg or .pdf"
    )
    add_force(parser)
    parser.add_argument(
        "--jobs", type=count, metavar="N", help="number of jobs (10000, or as many as in the log)"
    )
    parser.add_argument(
        "--cluster", metavar="SPEC", help="machine, such as 20x80c505g, or a machines file (128c)"
    )
    about = "offered load: requested processor time divided by capacity (as given by the model)"
    parser.add_argument("--load", type=float, metavar="X", help=about)
    parser.add_argument("--users", type=count, metavar="N", help="number of users (100)")
    parser.add_argument("--seed", type=count_from_0, metavar="N", help="seed of the random numbers (0)")
    add_printing(parser)
    parser.set_defaults(run=command("generate:generate"))


def add_rank(parser: argparse.ArgumentParser) -> None:
    """Options of `rank`."""
    add_trace(parser)
    about = "another log, which gets its own column; repeat for more"
    parser.add_argument("--log", type=log_path, action="append", default=[], metavar="FILE", help=about)
    add_runs(parser)
    about = "policy that changes are against; it is ranked too (easy)"
    parser.add_argument("--baseline", default="easy", metavar="POLICY", help=about)
    metrics = ("bounded_slowdown_mean", "wait_mean")
    about = "metric whose mean over weeks gives the ranks, the smallest first (bounded_slowdown_mean)"
    parser.add_argument("--by", choices=metrics, default=metrics[0], help=about)
    about = "new or empty folder for the tables: ranks of policies, their metrics, and the logs"
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help=about)
    parser.add_argument("--force", action="store_true", help="replace an earlier result in that folder")
    add_names(parser)
    parser.set_defaults(run=command("rank:rank"))


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Options of `sweep`."""
    parser.add_argument(
        "study",
        metavar="STUDY",
        help=f"study file (.toml), or a built-in study: {', '.join(studies())}",
    )
    add_trace(parser, optional=True)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for the results; results that it already contains are reused",
    )
    about = "a file of your own code, such as mine.py, that the study names and that may run; repeat for more"
    parser.add_argument("--code", type=Path, action="append", default=[], metavar="FILE", help=about)
    about = "another log, which gets its own column in tables; repeat for more"
    parser.add_argument("--log", type=log_path, action="append", default=[], metavar="FILE", help=about)
    about = "new or empty folder for the study's figures, and for tables that include the paper's numbers"
    parser.add_argument("--figures", type=Path, metavar="DIR", help=about)
    about = "replace an existing folder of figures, and a results.parquet that no sweep wrote"
    parser.add_argument("--force", action="store_true", help=about)
    about = "metrics of the table of numbers in this order, with commas (all)"
    parser.add_argument("--rows", metavar="NAMES", help=about)
    add_names(parser)
    add_doubtful(parser)
    add_runners(parser)
    parser.set_defaults(run=command("sweep:sweep"))
