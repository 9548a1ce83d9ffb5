"""The command that collects a cluster's log and settings, or prints a script that does."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from app.export.output import print_json
from app.work.own_command import output_of
from engine.collect.days import days_between
from engine.collect.gather import Collected, gather, keep_others
from engine.collect.item import Plan
from engine.collect.plan import known_fields, plan_of, system_here
from engine.collect.script import script_of
from engine.errors import InputError
from engine.words import clip, counted

_SECONDS = 600
"""For which a command may run: a day of a large site's database."""

_USUAL_DAYS = 30
_FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


def collect(options: argparse.Namespace) -> bool:
    """Collect into a folder, or print the script; False if something is missing. Raises InputError."""
    if options.folder is None and not options.print:
        raise InputError("collect needs a folder to write to; --print writes a script instead")
    now = datetime.now().replace(microsecond=0)
    end = now if options.end is None else _date(options.end)
    begin = end - timedelta(days=_USUAL_DAYS) if options.start is None else _date(options.start)
    days = list(days_between(begin, end, now))
    if options.print:
        plan = plan_of(options.system or "slurm", days, options.bring, {})
        sys.stdout.write(script_of(plan))
        return True
    system = options.system or system_here()
    known = known_fields(_output) if system == "slurm" else None
    plan = plan_of(system, days, options.bring, os.environ, known)
    if not options.force:
        keep_others(plan, options.folder)
    results: list[Collected] = []
    alike = 0
    for result in gather(plan, options.folder, _output):
        # Where the command of each day fails, thirty equal lines would be printed: of files that are missing
        # for the same reason in a row only the first is, and the others are counted below.
        before = results[-1] if results and results[-1].item.portion else None
        same = before is not None and _reason(result) == _reason(before) != ""
        alike += same
        results.append(result)
        if not (options.quiet or options.json or same):
            print(_line(result), flush=True)
    if alike and not (options.quiet or options.json):
        print(f"missing  {counted(alike, 'more file')} of the log, for the same reason as the one before")
    missing = [result for result in results if result.missing]
    if options.json:
        print_json(
            {"folder": str(options.folder), "system": system, "files": [_fact(each) for each in results]}
        )
    elif not options.quiet:
        print("\n".join(_summary(plan, options.folder, results)))
    return not missing


def _output(words: Sequence[str]) -> str:
    return output_of(shlex.join(words), _SECONDS)


def _date(text: str) -> datetime:
    """A local date of an option. Raises InputError."""
    for form in _FORMS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise InputError(f"{clip(text)!r} is not a date such as 2026-11-29 or 2026-11-29T10:00")


def _line(result: Collected) -> str:
    """What became of an item, in a line."""
    if result.missing:
        return f"missing  {result.item.file}: {result.item.cost} ({result.missing})"
    if result.kept:
        return f"there    {result.item.file}"
    if result.empty:
        return f"none     {result.item.file}: {result.item.brings}"
    return f"written  {result.item.file}: {counted(result.lines, 'line')}, {result.item.brings}"


def _reason(result: Collected) -> str:
    """Why an item is missing, without the command, which names its day."""
    return result.missing.rpartition("…: ")[2]


def _fact(result: Collected) -> dict[str, object]:
    """The same for JSON."""
    item = result.item
    state = "missing" if result.missing else "there" if result.kept else "none" if result.empty else "written"
    fact: dict[str, object] = {
        "file": item.file,
        "state": state,
        "lines": result.lines,
        "brings": item.brings,
    }
    return fact | ({"why": result.missing, "cost": item.cost} if result.missing else {})


def _summary(plan: Plan, folder: Path, results: Sequence[Collected]) -> list[str]:
    """The last lines: what is missing, what is not collected unasked, and the command to go on with."""
    missing = sum(bool(result.missing) for result in results)
    lines = [""]
    if plan.fields:
        lines.append(f"this sacct has no fields {', '.join(plan.fields)}")
    # All files missing is most often the wrong computer, which is told instead of asking for the same again.
    if missing == len(results):
        lines.append("nothing was collected: run this where the commands above answer, as on a login node")
    elif missing:
        alone, without = ("that", "it") if missing == 1 else ("those", "them")
        again = f"run the same command again, for {alone} alone, or go on without {without}"
        lines.append(f"{counted(missing, 'file')} missing: {again}")
    else:
        lines.append("all is there")
    log = shlex.quote(str(folder / "jobs"))
    # The next command is only told where there are jobs to read.
    if any(result.item.portion and not result.missing for result in results):
        file = next((each.item.file for each in results if each.item.machine and not each.missing), "")
        machine = f" --cluster {shlex.quote(str(folder / file))}" if file or plan.system == "slurm" else ""
        runs = f"-p recorded -p {shlex.quote(f'site:{folder}')}"
        if plan.system != "slurm":
            runs = f"{machine} -p recorded -p easy".strip()
        lines.append(f"next: batchscope info {log}{machine}")
        lines.append(f"      batchscope compare {log} {runs}")
        lines.append(f"      batchscope report {log} {runs} -o report")
    return lines
