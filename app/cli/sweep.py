"""The command that carries a study out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from app.cli.loading import open_trace
from app.cli.terminal import progress_bar, say_compiling
from app.export.output import print_json
from app.work.warm import fill_cache
from engine.errors import InputError
from engine.spelling import nearest
from engine.sweep.carry_out import RESULTS, carry_out
from engine.sweep.findings import Mean, answers, means
from engine.sweep.kept import Row
from engine.sweep.study_file import StudyFile, read_study_file
from engine.words import plural
from resources import studies


def sweep(options: argparse.Namespace) -> bool:
    """Carry a study out, tell what came of it, and whether every run succeeded."""
    study = read_study_file(_path(options.study))
    folder: Path = options.output
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; results are kept in a folder")
    trace, cluster = open_trace(options)
    if say_compiling(options.quiet):
        fill_cache()
    with progress_bar(f"{len(study.runs):,} runs", options) as show:
        rows = carry_out(study, trace, cluster, folder, tell=show)
    found = means(study, rows)
    told = answers(study, found)
    failed = [row for row in rows if row["error"]]
    if options.json:
        facts = [{**asdict(one), "scale": one.scale.spelling} for one in found]
        findings = [
            {"text": a.finding.text, "value": a.value, "metric": a.metric, "holds": a.holds} for a in told
        ]
        print_json(
            {"study": study.title, "trace": trace.name, "runs": rows, "means": facts, "findings": findings}
        )
    else:
        print(f"{study.title}\n{study.source}\n{trace.name} on {cluster}, {len(rows):,} runs")
        print("\n".join(_lines(study, found)))
        for answer in told:
            print(answer)
    for text, count in _errors(failed).items():
        print(f"{plural(count, 'run')} failed: {text}", file=sys.stderr)
    if not options.quiet:
        print(f"wrote {folder / RESULTS}", file=sys.stderr)
    return not failed


def _path(text: str) -> Path:
    """A study file, or a ready-made one by its name."""
    known = studies()
    if text in known:
        return known[text]
    path = Path(text)
    if path.suffix != ".toml" and not path.exists():
        hint = nearest(text, known) or f"; there are {', '.join(known)}"
        raise InputError(f"there is no study {text!r}{hint}")
    return path


def _lines(study: StudyFile, found: list[Mean]) -> list[str]:
    """A table for each scale: a line a policy, a column a metric."""
    width = max(len(one.policy) for one in found)
    widths = [max(len(metric), 12) for metric in study.metrics]

    def line(policy: str, cells: Iterable[str]) -> str:
        return "  ".join([policy.ljust(width), *(c.rjust(w) for c, w in zip(cells, widths, strict=True))])

    lines = []
    for scale in dict.fromkeys(one.scale for one in found):
        unit = f"mean, in % of {study.against}" if study.against else "mean"
        lines.append(f"\n{unit}{f', {scale}' if scale else ''}")
        lines.append(line("", study.metrics))
        for policy in dict.fromkeys(one.policy for one in found):
            own = [one for one in found if (one.scale, one.policy) == (scale, policy)]
            lines.append(line(policy, ("–" if one.value is None else f"{one.value:,.2f}" for one in own)))
    return [*lines, ""]


def _errors(failed: list[Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in failed:
        counts[str(row["error"])] = counts.get(str(row["error"]), 0) + 1
    return counts
