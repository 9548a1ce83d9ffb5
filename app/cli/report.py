"""The command `report`: a comparison as a folder with a page, figures, tables, session and methods."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.cli.change import change_of, sites_of
from app.cli.commands import all_simulated
from app.cli.loading import measured_filter, named_metric, open_log, policy_of
from app.cli.site_runs import say_verdict, shown_places, verdicts_of
from app.export.figure_request import request_of
from app.export.names_file import read_names
from app.export.provenance import Provenance
from app.model.chart_data import SimulatedSchedule, compared_run, lay_out
from app.model.documents.document import SavedRun, Session
from app.model.reading import source_of
from app.paper.carry_out import digest_of
from app.report.folder import check_folder
from app.report.make import ReportInput, make_report
from app.session.capture import code_of
from engine.errors import InputError
from engine.input import hold_standard_input
from engine.limits import MAX_TRACE_BYTES
from engine.policy.baseline import usual_baseline
from engine.policy.policy import Policy
from engine.policy.share import parse_share
from engine.runs import Measuring, measured
from engine.study import own_labels
from engine.sweep.paper_file import PaperFile, PaperItem, PaperLog, paper_text
from views.data.view_options import ViewOptions


def report(options: argparse.Namespace) -> bool:
    """Write a report, or repeat an earlier report, by the options.

    Returns False if a repeated report has other numbers than the earlier report. Raises InputError, OSError.
    """
    if options.again is not None:
        from app.cli.paper import repeat_report

        return repeat_report(options.again, options)
    write_report(options)
    return True


def write_report(options: argparse.Namespace) -> None:
    """Write the report of the runs into `options.output`. Raises InputError, OSError."""
    _check_given(options)
    check_folder(options.output, options.force)
    chosen = [policy_of(text, options) for text in options.policy]  # raises their errors
    parse_share(options.share)
    named = None
    if options.baseline is not None:
        wanted = policy_of(options.baseline, options)
        if wanted not in chosen:
            raise InputError(f"--baseline {options.baseline} is not one of the compared policies")
        named = chosen.index(wanted)
    for text in options.metric:
        named_metric(text)
    words = read_names(options.names)
    sites = _changed_sites(options)
    # A report names its logs by fingerprints, for which they are read once more.
    files = [Path(path) for path in (options.trace, *options.further)]
    hold_standard_input(files, MAX_TRACE_BYTES)
    source = source_of(files[0], files[1:])
    opened = open_log(options, [*chosen, *(sites or ())])
    change = None if sites is None else change_of(opened, sites, options)
    trace = opened.trace
    only = measured_filter(options, trace)
    schedules = all_simulated(opened, chosen, options, log=True, fair_by=options.fair_starts)
    charts = [lay_out(SimulatedSchedule(schedule, schedule.seconds)) for schedule in schedules]
    names = opened.names(chosen)
    verdicts = verdicts_of(names, [chart.schedule for chart in charts], options)
    say_verdict(verdicts, options)
    shown = shown_places(verdicts, named, options)
    hidden = {names[place]: why for place, why in verdicts.hidden.items() if place not in shown}
    verdicts = verdicts.only(shown)
    chosen, charts = [chosen[place] for place in shown], [charts[place] for place in shown]
    baseline = usual_baseline(chosen) if named is None else shown.index(named)
    how = Measuring(options.share, options.measure or "", options.filter or "", tuple(options.metric))
    runs = list(zip(verdicts.names, verdicts.schedules, strict=True))
    evaluations = [run.evaluation for run in measured(opened, runs, how).runs]
    on_machines = [(policy, opened.machine(policy)) for policy in chosen]
    labels = own_labels(on_machines, trace.cluster)
    judged = [
        compared_run(number, data, evaluation, None)
        .called(
            words.get(asked) or words.get(name, ""),
            *((label, chosen[:number].count(chosen[number - 1])) if verdict is None else (name, 1)),
        )
        .judged(verdict)
        for number, (asked, name, label, data, evaluation, verdict) in enumerate(
            zip(
                [options.policy[place] for place in shown],
                verdicts.names,
                labels,
                charts,
                evaluations,
                verdicts.runs,
                strict=True,
            ),
            1,
        )
    ]
    request = request_of(trace, judged, ViewOptions())
    about = Provenance(request.results, only, None, request.window, options.share)
    machine = opened.cluster.spelling
    of_study = "" if machine == trace.cluster.spelling else machine

    def machine_of_run(policy: Policy) -> str:
        """The machine of a run as a session has it: empty where it is that of the study."""
        simulated = opened.machine(policy)
        return "" if simulated == opened.cluster else simulated.spelling

    session = Session(
        source=source,
        cluster=of_study,
        reading=opened.reading,
        share=options.share,
        runs=tuple(
            SavedRun(number, policy.absolute.spelling, machine_of_run(policy))
            for number, policy in enumerate(chosen, 1)
        ),
        code=code_of(chosen, options.metric),
    )

    def say(what: str) -> None:
        if not options.quiet and sys.stderr.isatty():
            print(f"\r{what:<30}", end="", file=sys.stderr)

    report = ReportInput(
        request,
        about,
        evaluations,
        session,
        baseline,
        change=change,
        hidden=hidden,
        paper=_paper(options),
        words=words,
        audited=options.audit,
    )
    make_report(report, options.output, options.force, say)
    if not options.quiet:
        print(f"wrote {options.output / 'index.html'}", file=sys.stderr)


def _check_given(options: argparse.Namespace) -> None:
    """Raise InputError where the log, the runs or the folder are not given."""
    lacking = [
        name
        for name, value in (
            ("TRACE", options.trace),
            ("-p/--policy", options.policy),
            ("-o/--output", options.output),
        )
        if not value
    ]
    if lacking:
        raise InputError(f"the following arguments are required: {', '.join(lacking)} (or --again DIR)")


def _paper(options: argparse.Namespace) -> str:
    """The paper file of the report; empty where a path in it is no text."""
    logs = {
        str(file): PaperLog("log" if place == 0 else f"log-{place + 1}", str(file), digest_of(Path(file)))
        for place, file in enumerate([options.trace, *options.further])
    }
    words = [logs[word].name if word in logs else word for word in _without_places(options.words)]
    directory = os.path.relpath(Path.cwd(), options.output.resolve())
    item = PaperItem("tables", "report", tuple(words))
    text = paper_text(
        PaperFile(Path(), f"Report on {Path(options.trace).name}", (*logs.values(),), (item,), (), directory)
    )
    return "" if text != text.encode(errors="ignore").decode() else text


def _without_places(words: Sequence[str]) -> Iterator[str]:
    """The words of a command without the options that say where its results go."""
    left = iter(words)
    for word in left:
        name, _, value = word.partition("=")
        if word == "-o" or _may_be(name, "--output"):
            if not value:
                next(left, None)  # the folder is a word of its own
        elif not (word.startswith("-o") or _may_be(name, "--force") or _may_be(name, "--quiet")):
            yield word


def _may_be(name: str, option: str) -> bool:
    """Whether a word is an option, or a beginning of it, as the parser takes it."""
    return len(name) > 2 and option.startswith(name)


def _changed_sites(options: argparse.Namespace) -> tuple[Policy, Policy] | None:
    """The sites before and after a change of rules; None where no change is asked for. Raises InputError."""
    asked = {"--at": options.at, "--before": options.before, "--after": options.after}
    if not any(asked.values()):
        return None
    if lacking := [name for name, text in asked.items() if not text]:
        raise InputError(f"a change of rules needs --at, --before and --after: give {' and '.join(lacking)}")
    return sites_of(options)
