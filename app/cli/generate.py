"""The command that makes a synthetic log, by a model or like a log that is given."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from app.cli.terminal import progress_bar
from app.export.output import SWF_BEGINS, aligned, check_output, keep_others, print_json
from engine.atomic import check_own_name
from engine.errors import InputError
from engine.input import first_bytes, refuse_inputs
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster
from engine.reading.read import machine_at
from engine.trace.file_names import machines_path
from engine.trace.generate import GeneratedLog, write_log
from engine.trace.generate.generated_log import GPU
from engine.trace.generate.likeness import Likeness, likenesses
from engine.trace.generate.log import is_table
from engine.trace.generate.models import generated
from engine.trace.trace import Trace
from engine.words import counted
from views.figures.save import save_printed
from views.text.values import duration

SUFFIXES = (".swf", ".csv", ".gz")

_TABLE_BEGINS = '"job_id","submit","runtime","walltime",'
"""How its tables of jobs begin."""

_MACHINES_BEGIN = r"0\t[^\t\n]+\t\d+\t\d+\t1\t\d+[\t\n]"
"""How its machines files begin: with the first group of nodes."""


def generate(options: argparse.Namespace) -> None:
    """Write the log and its machines file; say how like the given log it is. Raises InputError, OSError."""
    path: Path = options.output
    begins = _TABLE_BEGINS if is_table(path) else SWF_BEGINS
    # All places are checked before the log is made, which takes as long as it is large.
    check_output(path, *SUFFIXES, begins=begins, force=options.force)
    if not options.force:
        _keep_machines(path)
    check_output(options.figure, ".png", ".svg", ".pdf", force=options.force)
    like: Path | None = options.like
    if options.figure is not None and like is None:
        raise InputError("--figure compares with a log; name it with --like")
    log, origin = _log(options)
    refuse_inputs(path)
    with progress_bar("writing", options) as progress:
        write_log(log, path, progress)
    facts: dict[str, object] = {"file": str(path), "jobs": log.jobs, "cluster": log.cluster.spelling}
    if not options.json and not options.quiet:
        print(f"wrote {counted(log.jobs, 'job')} of {log.cluster} to {path}", file=sys.stderr)
        if not is_table(path) and any(dict(group.extra).get(GPU) for group in log.cluster.groups):
            print("it does not say which jobs ask for GPUs: name it .csv for them", file=sys.stderr)
    if origin is not None:
        # The written file is read again, so that what is compared is what others will read, with its
        # roundings.
        alike = likenesses(origin, read_trace(path))
        facts["like"] = {
            likeness.name: {"distance": likeness.distance, "percentiles": likeness.percentiles()}
            for likeness in alike
        }
        if options.figure is not None:
            from views.curves.likeness import likeness_page
            from views.figures.plots import plots_figure
            from views.figures.printing import PrintOptions, printed

            names = (origin.name, path.name)
            draw = partial(plots_figure, likeness_page(alike, names), f"{names[0]} and {names[1]}")
            save_printed(printed(draw, PrintOptions()), options.figure)
        if not options.json:
            print("\n".join(_lines(alike)))
    if options.json:
        print_json(facts)


def _keep_machines(path: Path) -> None:
    """Refuse another program's machines file beside the log: it is written together with the log.

    Raises InputError, OSError.
    """
    machines = machines_path(path)
    check_own_name(machines)
    # Machines files have no title, and a site's own looks like those that are written here. So only a file
    # that lies beside a log of ours, which `check_output` has looked at, is taken for ours.
    keep_others(machines, _MACHINES_BEGIN if first_bytes(path, 1) else "")


def _log(options: argparse.Namespace) -> tuple[GeneratedLog, Trace | None]:
    """The synthetic log, and the log that `--like` names as its model; None without `--like`."""
    if options.like is not None and options.model is not None:  # before the log is read
        raise InputError("--model and --like exclude each other")
    origin = None if options.like is None else read_trace(options.like)
    cluster = None if options.cluster is None else _machine(options.cluster)
    options_of_model = {name: getattr(options, name) for name in ("jobs", "load", "users")}
    return generated(options.model or "", origin, options.seed, cluster=cluster, **options_of_model), origin


def _machine(text: str) -> Cluster:
    machine = machine_at(text)
    if machine.failures is not None:
        raise InputError(f"--cluster {text}: a log does not hold when nodes fail; spell the machine without")
    return machine


def _lines(alike: list[Likeness]) -> list[str]:
    """A table: for each quantity some percentiles of the original log, then of the generated log."""
    rows = [["", "", *(f"{percent} %" for percent, _, _ in alike[0].percentiles()), "distance"]]
    for likeness in alike:
        pairs = [
            (_value(first, likeness), _value(second, likeness)) for _, first, second in likeness.percentiles()
        ]
        rows.append([likeness.name, "log", *(first for first, _ in pairs), ""])
        rows.append(["", "generated", *(second for _, second in pairs), f"{likeness.distance:.3f}"])
    return aligned(rows, left=(0, 1))


def _value(value: float, model: Likeness) -> str:
    return duration(round(value)) if model.seconds else f"{round(value):,}"
