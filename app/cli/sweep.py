"""The command that carries a study out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.cli.loading import open_log
from app.cli.options import names_in, refuse_given
from app.cli.terminal import progress_bar, show_compiling, warn_of_open_scheduler
from app.export.names_file import read_names
from app.export.output import keep_others, print_json
from app.report.folder import check_folder
from app.report.study import Swept, write_study
from app.work.compile_kernels import fill_cache
from engine.atomic import check_own_name
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.metric_names import parse_metric
from engine.own.allowed_code import allow
from engine.own.file import read_own_file
from engine.spelling import nearest
from engine.sweep.beliefs import site_beliefs
from engine.sweep.carry_out import carry_out
from engine.sweep.conditions import SEED
from engine.sweep.findings import FindingResult, PointMean, answers, means
from engine.sweep.outcome import study_path
from engine.sweep.result_table import RESULTS
from engine.sweep.row_cache import WITHHELD, Row
from engine.sweep.runners import runner_at
from engine.sweep.study_file import StudyFile, read_study_file
from engine.trace import Trace
from engine.words import counted, plural
from views.grammar.spelling import encoding_of


def sweep(options: argparse.Namespace) -> bool:
    """Run a study on each of its traces and print its results; True if every run succeeded."""
    path = study_path(options.study)
    refuse_given(options, "a study file defines all of its runs", "measure", "estimate", "seed")
    for code in options.code:
        allow(read_own_file(code))
    study = read_study_file(path)
    for figure in study.figures:
        encoding_of(figure)  # before anything is run
    words, rows_of = read_names(options.names), _metrics_of(options.rows, study)
    folder = _output_folder(options)
    logs = [options.trace, *options.log] if options.trace else [path.parent / name for name in study.traces]
    if not logs:
        raise InputError(f"{path} names no traces: give a trace after it")
    further = [options.further if options.trace else [], *[[]] * len(logs)]  # files of the first log
    policies = [run.policy for run in study.runs]
    read = [
        open_log(argparse.Namespace(**{**vars(options), "trace": log, "further": more}), policies)
        for log, more in zip(logs, further, strict=False)
    ]
    if show_compiling(options.quiet):
        fill_cache()
    rows: list[Row] = []
    outcomes = []
    warn_of_open_scheduler(options)
    with runner_at(options.scheduler, options.workers) as making:
        for opened in read:
            trace, cluster, asked = opened.trace, opened.cluster, opened.asked
            beliefs = site_beliefs(study, trace, cluster, asked=asked, doubtful=options.doubtful)
            with progress_bar(counted(len(study.runs), "run"), options) as show:
                measured = carry_out(
                    study,
                    trace,
                    cluster,
                    folder,
                    report=show,
                    runner=making,
                    before=rows,
                    asked=asked,
                    withheld=beliefs.withheld,
                )
            rows += measured
            outcomes.append(
                _Outcome(trace, cluster, measured, means(study, measured), list(beliefs.sentences))
            )
        for worker in making.refused():
            print(f"worker {worker} has another version of Batchscope: it made no run", file=sys.stderr)
    if options.json:
        print_json({"study": study.title, "traces": [outcome.facts(study) for outcome in outcomes]})
    else:
        print(f"{study.title}\n{study.source}")
        for result in outcomes:
            print("\n".join(result.lines(study)))
    if options.figures is not None:
        swept = [Swept(outcome.trace, outcome.cluster, outcome.rows, outcome.beliefs) for outcome in outcomes]
        write_study(study, swept, options.figures, options.force, words, rows_of)
    succeeded = _say_failures(rows)
    if not options.quiet:
        print(f"wrote {folder / RESULTS}", file=sys.stderr)
        if options.figures is not None:
            print(f"wrote {options.figures}", file=sys.stderr)
    return succeeded


def _output_folder(options: argparse.Namespace) -> Path:
    """The folder of the results. Raises InputError where it, or that of figures, is somebody else's."""
    folder: Path = options.output
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; results are kept in a folder")
    # Refuse a symbolic link: the check below would read the file that it points to.
    check_own_name(folder / RESULTS)
    if not options.force:
        keep_others(folder / RESULTS)
    if options.figures is not None:
        check_folder(options.figures, options.force)
    return folder


def _say_failures(rows: Sequence[Row]) -> bool:
    """Print to standard error why runs were withheld or failed; True if none failed."""
    withheld = [row for row in rows if str(row["error"]).startswith(WITHHELD)]
    for text, count in _errors(withheld).items():
        shows = "shows it" if count == 1 else "shows them"
        print(f"{plural(count, 'run')} {text}; --doubtful {shows}", file=sys.stderr)
    failed = [row for row in rows if row["error"] and row not in withheld]
    for text, count in _errors(failed).items():
        print(f"{plural(count, 'run')} failed: {text}", file=sys.stderr)
    return not failed


def _metrics_of(text: str | None, study: StudyFile) -> tuple[str, ...]:
    """The metrics of the table of numbers: those of `--rows`, else all. Raises InputError for others."""
    chosen = tuple(parse_metric(name).name for name in names_in(text))
    if lacking := [name for name in chosen if name not in study.metrics]:
        raise InputError(f"--rows: the study has no {lacking[0]}{nearest(lacking[0], study.metrics)}")
    return chosen or study.metrics


@dataclass(frozen=True)
class _Outcome:
    """The results of a study on a trace."""

    trace: Trace
    cluster: Cluster
    rows: list[Row]
    means: list[PointMean]
    beliefs: list[str]  # on the sites of the study

    def lines(self, study: StudyFile) -> list[str]:
        """As text: a table for all conditions, then the findings."""
        head = f"{self.trace.shown_name} on {self.cluster}, {counted(len(self.rows), 'run')}"
        return [head, *_lines(study, self.means), *map(str, answers(study, self.rows)), *self.beliefs]

    def facts(self, study: StudyFile) -> dict[str, object]:
        """As JSON."""
        findings = [_answered(answer) for answer in answers(study, self.rows)]
        points = [_facts(mean) for mean in self.means]
        return {
            "trace": self.trace.name,
            "runs": self.rows,
            "points": points,
            "findings": findings,
            "sites": self.beliefs,
        }


def _answered(answer: FindingResult) -> dict[str, object]:
    """The answer to a finding: what was found at which point, and the paper's claim."""
    claim = answer.finding.claim
    return {
        "text": answer.finding.text,
        "answer": answer.verdict,
        "against": answer.finding.against,
        "metric": answer.metric,
        "where": answer.where,
        "value": answer.value,
        "paper": claim.size,
        "least": claim.least,
        "most": claim.most,
        "direction": claim.direction or None,
        "apart": claim.apart,
        "agreement": asdict(claim.agreement),
    }


def _facts(mean: PointMean) -> dict[str, object]:
    fields, under = asdict(mean), mean.conditions
    del fields["conditions"]
    fields["keys"] = dict(mean.keys)
    own = {"scale": under.scaling.spelling, "machine": under.machine, "share": under.share}
    return {**own, "react": under.react, **fields}


def _lines(study: StudyFile, finished: list[PointMean]) -> list[str]:
    """A table of results: a line for each point, a column for each metric; values are means over seeds."""
    values = {(mean.conditions, mean.policy, mean.keys, mean.metric): mean.value for mean in finished}
    keys = [name for name, _ in finished[0].keys]
    heads = ["", *keys]
    points = dict.fromkeys((mean.policy, mean.keys) for mean in finished)
    named = [[policy, *(value for _, value in keys_of_point)] for policy, keys_of_point in points]
    widths = [max(map(len, column)) for column in zip(heads, *named, strict=True)]
    own_unit = "mean over seeds" if SEED in study.keys else ""
    unit = ", ".join(filter(None, (own_unit, f"in % of {study.against}" if study.against else "")))

    # A share is shown in %, unless all values are already in % of a baseline.
    shares = [parse_metric(metric).share and not study.against for metric in study.metrics]
    titles = [f"{name}, %" if share else name for name, share in zip(study.metrics, shares, strict=True)]
    scales = [100 if share else 1 for share in shares]

    def line(names: Sequence[str], cells: Iterable[str]) -> str:
        first = [name.ljust(width) for name, width in zip(names, widths, strict=True)]
        numbers = [cell.rjust(max(len(title), 12)) for cell, title in zip(cells, titles, strict=True)]
        return "  ".join([*first, *numbers]).rstrip()

    lines = []
    # A table for each condition, such as a log or a load, with the same columns.
    for under in dict.fromkeys(mean.conditions for mean in finished):
        lines.append("\n" + (", ".join(filter(None, (unit, str(under)))) or "each run"))
        lines.append(line(heads, titles))
        for names, (policy, keys_of_point) in zip(named, points, strict=True):
            row = [values[under, policy, keys_of_point, metric] for metric in study.metrics]
            lines.append(line(names, map(_format, row, scales)))
    return [*lines, ""]


def _format(value: float | None, scale: int) -> str:
    return "–" if value is None else f"{scale * value:,.2f}"


def _errors(failed: list[Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in failed:
        counts[str(row["error"])] = counts.get(str(row["error"]), 0) + 1
    return counts
