"""The command that compares policies: what is asked, what was measured, and how each format writes it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.cli.commands import (
    all_simulated,
    asked_document,
    counted_jobs,
    in_all,
    measured_words,
    refuse_nothing_measured,
    run_facts,
)
from app.cli.loading import check_accounts, measured_filter, named_metric, open_log, policy_of
from app.cli.options import names_in
from app.cli.site_runs import ranges_over_phases, say_verdict, shown_places, verdicts_of
from app.cli.terminal import print_document
from app.export.formats import TABLE_FORMATS, TitledTable, chosen_rows, metrics_of_runs
from app.export.group_table import ChosenGroups, group_columns, group_facts, group_lines, group_rows
from app.export.names_file import read_names
from app.export.output import Summary, check_output, json_lines, metrics_lines
from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.metrics.catalog import main_metrics
from engine.metrics.evaluation import Evaluation, summaries_of
from engine.metrics.groups import GroupTable, groups_of, per_group
from engine.metrics.metric_names import parse_metric
from engine.metrics.phase_metrics import Ranges
from engine.policy.baseline import CALIBRATION, against_real, usual_baseline
from engine.policy.policy import Policy
from engine.policy.share import Share, parse_share
from engine.reading.log import Log
from engine.report.verdict import verdict_lines
from engine.runs import Measuring, measured
from engine.slurm.scheduler.verdicts import SiteVerdicts
from engine.words import counted

_TABLE_BEGINS = r'metric,unit,|run,\w+,jobs|\{\n  "trace": |\| Metric \| Unit \||\| Run \||'
_TABLE_BEGINS += r"% needs \\usepackage\{(array,)?booktabs\}"
"""How these files begin."""


def compare(options: argparse.Namespace) -> None:
    """Metrics of several policies."""
    question = _question(options)
    comparison = _compared(open_log(options, question.policies), question, options)
    text = comparison.text()
    if options.output is not None:
        refuse_inputs(options.output)
        write_atomically(options.output, lambda part: part.write_text(f"{text}\n", "utf-8", newline=""))
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    elif text:
        print_document(text)
    else:
        for line in comparison.lines():
            print(line)


@dataclass(frozen=True)
class _Question:
    """What is compared and how it is written, as the options ask."""

    form: str  # text, json, csv, latex or markdown
    groups: ChosenGroups
    words: Mapping[str, str]  # given names
    policies: list[Policy]
    baseline: int | None  # the place of the policy that is asked for as baseline
    share: Share


def _question(options: argparse.Namespace) -> _Question:
    """What the options ask. Raises InputError where they are wrong, before any log is read."""
    form = _format(options)
    check_output(options.output, *TABLE_FORMATS, begins=_TABLE_BEGINS, force=options.force)
    groups = _chosen_groups(options)
    words = read_names(options.names)
    policies = [policy_of(text, options) for text in options.policy]
    baseline = None
    if options.baseline is not None:
        wanted = policy_of(options.baseline, options)
        if wanted not in policies:
            raise InputError(f"--baseline {options.baseline} is not one of the compared policies")
        baseline = policies.index(wanted)
    share = parse_share(options.share)
    for text in options.metric:
        named_metric(text)
    return _Question(form, groups, words, policies, baseline, share)


def _format(options: argparse.Namespace) -> str:
    """The format of a comparison: that of its file, or as asked for. Raises InputError where they differ."""
    named = {"--json": "json" if options.json else None, f"--format {options.format}": options.format}
    if options.output is not None:
        named[f"-o {options.output}"] = TABLE_FORMATS.get(options.output.suffix)
    asked = {option: form for option, form in named.items() if form is not None}
    if len(set(asked.values())) > 1:
        raise InputError(f"{' and '.join(asked)} are two formats; give one of them")
    return next(iter(asked.values()), "text")


def _chosen_groups(options: argparse.Namespace) -> ChosenGroups:
    """The rows and columns of the table of groups. Raises InputError where there is no such table."""
    chosen = ChosenGroups(*(tuple(names_in(text)) for text in (options.groups, options.values)))
    if chosen != ChosenGroups() and not options.by:
        raise InputError(
            "--groups and --values choose rows and columns of the table of --by, which is not given"
        )
    return chosen


@dataclass(frozen=True)
class _Comparison:
    """The runs that are shown, measured on the jobs that all of them ran; columns by the places of runs."""

    opened: Log
    options: argparse.Namespace
    question: _Question
    policies: list[Policy]
    policy_texts: list[str]  # as they were asked for
    baseline: int
    verdicts: SiteVerdicts
    evaluations: list[Evaluation]
    summaries: list[Summary]
    rows: Sequence[Summary]  # of these, the metrics that tables show
    group_tables: list[GroupTable]  # empty without --by
    ranges: list[Ranges]

    @property
    def given_names(self) -> list[str]:
        """The names of the runs as a file of names gives them, by what was asked or by what is shown."""
        words = self.question.words
        both = zip(self.policy_texts, self.verdicts.names, strict=True)
        return [words.get(text) or words.get(name, name) for text, name in both]

    def text(self) -> str:
        """The whole file of the format; empty where people read lines."""
        form = self.question.form
        if form == "text":
            return ""
        if form == "json":
            return json_lines(self.document())
        table = self.table()
        # For programs, runs alone have given names.
        return (table if form == "csv" else table.under_names(self.question.words)).text(form)

    def table(self) -> TitledTable:
        """The metrics of runs, or of their groups of jobs."""
        from app.export.provenance import table_caption  # brings what draws

        names, trace = self.given_names, self.opened.trace
        machines = [schedule.cluster for schedule in self.verdicts.schedules]
        jobs = self.evaluations[0].jobs
        if self.group_tables:
            asked = names, self.group_tables, self.options.by, self.question.groups
            return TitledTable(
                *group_rows(*asked), group_columns(*asked), table_caption(trace, machines, jobs)
            )
        changes = [f"Changes in brackets are against {names[self.baseline]}"] if len(names) > 1 else []
        caption = table_caption(trace, machines, jobs, *changes)
        bare = self.summaries if self.options.rows is None else ()
        return metrics_of_runs(self.rows, names, self.baseline, self.ranges, all_bare=bare, caption=caption)

    def document(self) -> dict[str, object]:
        """All of it as JSON."""
        facts = []
        for place, (text, evaluation) in enumerate(zip(self.policy_texts, self.evaluations, strict=True)):
            fact = run_facts(text, evaluation.schedule, evaluation.summary)
            fact.update(self.verdicts.facts(place, evaluation.jobs, self.ranges[place]))
            if self.group_tables:
                fact["groups"] = group_facts(self.group_tables[place], self.question.groups)
            facts.append(fact)
        return {
            **asked_document(self.opened, facts, self.options),
            "baseline": facts[self.baseline]["policy"],
            "calibration": CALIBRATION if against_real(self.policies) else None,
            "share": self.question.share.spelling,
            "penalty": self.options.penalty,
            "by": self.options.by,
        }

    def lines(self) -> list[str]:
        """Lines for people: the metrics, what they say of sites, the groups, and the verdict."""
        verdicts, which = self.verdicts, measured_words(self.options)
        lines = [CALIBRATION] if against_real(self.policies) else []  # before any number is read
        jobs = f"{counted_jobs(self.evaluations[0].summary['jobs'])}{in_all(verdicts.schedules)}{which}"
        lines.append(f"{self.opened.trace.shown_name} on {self.opened.cluster}, {jobs}")
        lines += metrics_lines(self.rows, verdicts.names, self.baseline, self.ranges)
        computed = {name for values in self.summaries for name, value in values.items() if value is not None}
        if left_out := computed - set(self.rows[0]):
            lines.append(f"--all prints {counted(len(left_out), 'further metric')}")
        lines += verdicts.lines(self.evaluations[0].jobs)
        for name, table in zip(verdicts.names, self.group_tables, strict=False):
            jobs = counted(int(table.jobs.sum()), "job")
            lines.append(f"\n{name}, by {self.options.by}, {jobs}{which}")
            lines += group_lines(table, self.options.by, self.question.groups)
        return [*lines, "", *verdict_lines(verdicts.names, self.evaluations, self.question.share)]


def _compared(opened: Log, question: _Question, options: argparse.Namespace) -> _Comparison:
    """Simulate the policies and measure those that are shown. Raises InputError."""
    # What is wrong with filter and groups is said before the first simulation.
    measured_filter(options, opened.trace)
    check_accounts(opened.trace, options.by)
    schedules = all_simulated(opened, question.policies, options, log=True, fair_by=options.fair_starts)
    verdicts = verdicts_of(opened.names(question.policies), schedules, options)
    say_verdict(verdicts, options)
    # What-ifs of a site whose model misleads are not shown, nor measured with the others.
    shown = shown_places(verdicts, question.baseline, options)
    verdicts, policies = verdicts.only(shown), [question.policies[place] for place in shown]
    baseline = usual_baseline(policies) if question.baseline is None else shown.index(question.baseline)
    how = Measuring(
        options.share, options.measure or "", options.filter or "", tuple(options.metric), options.penalty
    )
    named = list(zip(verdicts.names, verdicts.schedules, strict=True))
    evaluations = [run.evaluation for run in measured(opened, named, how).runs]
    summaries = summaries_of(evaluations)
    refuse_nothing_measured(summaries[0], options)
    groups = [_groups(evaluation, options.by) for evaluation in evaluations] if options.by else []
    comparison = _Comparison(
        opened,
        options,
        question,
        policies,
        [options.policy[place] for place in shown],
        baseline,
        verdicts,
        evaluations,
        list(summaries),
        _shown_metrics(summaries, options),
        groups,
        ranges_over_phases(verdicts, evaluations),
    )
    if groups:
        question.groups.check(groups)
    return comparison


def _shown_metrics(summaries: Sequence[Summary], options: argparse.Namespace) -> Sequence[Summary]:
    """The metrics that tables show: the rows asked for, else all of them or the main ones."""
    if options.rows is not None:
        return chosen_rows(summaries, options.rows)
    if options.all:
        return summaries
    names = main_metrics(summaries, [parse_metric(text).name for text in options.metric])
    return [{name: values[name] for name in names} for values in summaries]


def _groups(evaluation: Evaluation, by: str) -> GroupTable:
    """The table of a run's groups, over the jobs that all runs ran."""
    schedule = evaluation.schedule
    groups = groups_of(schedule, by)
    return per_group(schedule, groups, evaluation.violations, evaluation.jobs, evaluation.penalty)
