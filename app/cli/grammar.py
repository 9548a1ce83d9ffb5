"""The command `policies`: presets, grammar and fields of filters as text, and policies as lines of Slurm."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator

from app.cli.options import refuse_given
from app.export.output import keep_others
from engine.atomic import write_atomically
from engine.filter import FIELDS
from engine.input import refuse_inputs
from engine.policy.examples import EXAMPLES
from engine.policy.key import Key
from engine.policy.keys import KEYS
from engine.policy.names import KeyGroup
from engine.policy.policy import PRESETS, parse_policy
from engine.trace.variant import KEYS as VARIANT_KEYS

WIDTH = 100
"""Columns that no line exceeds."""

_NUMBERS = {"count": "n", "real": "x", "duration": "a duration"}
_LETTERS = {"scaled": "K", "survival": "X"}
"""The name of the number after each of these words in the help of `estimate`."""

_SLURM_BEGINS = r"(?s)SchedulerType=sched/\w+\n|.*# Batchscope:"
"""How lines and files of Slurm's settings begin: those of a site's own file are marked where they changed."""


def policies(options: argparse.Namespace) -> None:
    """Print presets and grammar, or a policy as lines of a `slurm.conf`, or from a `slurm.conf`. Raises
    InputError, OSError.
    """
    if options.slurm is None:
        refuse_given(options, "it belongs to --slurm", "slurm_into", "output")
        print("\n".join(grammar()))
        return
    from engine.slurm.export.lines import slurm_lines
    from engine.slurm.export.site_file import slurm_into

    policy = parse_policy(options.slurm)
    if options.slurm_into is None:
        settings = slurm_lines(policy)
        text, left_out = "".join(f"{line}\n" for line in settings.lines), settings.left_out
    else:
        made = slurm_into(policy, options.slurm_into)
        text, left_out = made.text, made.left_out
    if options.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()  # before the messages about it
    else:
        refuse_inputs(options.output)
        if not options.force:
            keep_others(options.output, _SLURM_BEGINS)
        write_atomically(options.output, lambda path: path.write_text(text, "utf-8", newline=""))
    for line in left_out:
        print(f"not in these lines: {line}", file=sys.stderr)


def grammar() -> Iterator[str]:
    """The lines of `batchscope policies`."""
    yield "A policy is spelled `preset` or `preset:key=value,key=value`."
    yield "\nPresets"
    # The lists are those that the parser itself uses, so that no text can lag behind it.
    for name, (_, text) in PRESETS.items():
        yield _entry(name, text, 18)
    yield "\nKeys"
    for key in KEYS:
        yield _entry(key.name, describe_values(key), 18)
        yield _entry("", key.help + _needs(key), 20)
    yield "\nDurations are spelled 90, 30m, 2h, 3d.\n\nExamples"
    for text, what in EXAMPLES:
        yield _entry(text, what, 44)
    yield "\nA run has a workload of its own with `policy with key=value,key=value`"
    for name, (example, what) in VARIANT_KEYS.items():
        yield _entry(name, f"{what} ({example})", 18)
    yield "\nA filter compares fields of jobs, joined by and, or, not and brackets:"
    yield "  user in (12, 62) and procs >= 64 and wait > 2h and not queue ~ test*"
    yield "\nFields"
    for field in FIELDS.values():
        yield _entry(field.name, f"{field.help} ({' '.join(field.kind.operators)} in)", 20)


def reference() -> Iterator[str]:
    """The lines of the reference of policies, in Markdown: the presets, then the keys by groups."""
    yield "# Policies"
    yield ""
    yield "A policy is spelled `preset` or `preset:key=value,key=value`, for example `easy:backfill=sjf`."
    yield (
        "Durations are spelled `90`, `30m`, `2h`, `3d`. A value that contains a comma is written in "
        "double quotes."
    )
    yield "\n## Presets\n\n| preset | keys | what it does |\n| --- | --- | --- |"
    for name, (policy, text) in PRESETS.items():
        # Of a preset only the keys that differ from the defaults are told: these are what it is.
        changed = [key.name for key in KEYS if getattr(policy, key.name) != key.default]
        yield _row(f"`{name}`", " ".join(f"`{key}={policy.format_key(key)}`" for key in changed), text)
    for group in KeyGroup:
        yield f"\n## {group}\n\n| key | values | default | what it does |\n| --- | --- | --- | --- |"
        for key in KEYS:
            if key.group == group:
                values, default = describe_values(key), key.format(key.default)
                yield _row(f"`{key.name}`", values, f"`{default}`", key.help + _needs(key))
    yield "\n## Workload of a run\n"
    yield (
        "A run has a workload of its own with `policy with key=value,key=value`: the jobs of the log with "
        "these changes. Jobs keep their ids, by which they are compared with other runs."
    )
    yield "\n| key | example | what it does |\n| --- | --- | --- |"
    for name, (example, what) in VARIANT_KEYS.items():
        yield _row(f"`{name}`", f"`{example}`", what)
    yield "\n## Examples\n\n| policy | what it does |\n| --- | --- |"
    for text, what in EXAMPLES:
        yield _row(f"`{text}`", what)


def _row(*cells: str) -> str:
    """A row of a table; bars would end its cells, and angle brackets would begin a tag."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def _needs(key: Key) -> str:
    return f". It needs {key.needs}" if key.needs else ""


def describe_values(key: Key) -> str:
    """The values of a key: its words, then a number with its range, then its syntax."""
    if key.switch:
        return "on, off"
    parts = [*key.words]
    parts += [f"{word}{_LETTERS[word]} ({_LETTERS[word]} {span})" for word, span in key.families]
    if key.range is not None:
        parts.append(f"{_NUMBERS[key.range.kind]} ({key.range})")
    if key.syntax:
        parts.append(key.syntax)
    if key.optional:
        parts.append("none")
    return ", ".join(parts)


def _entry(name: str, text: str, column: int) -> str:
    """A name and, from `column` on, a text beside it, wrapped at WIDTH."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=f"  {name}".ljust(column),
        subsequent_indent=" " * column,
        break_long_words=False,
        break_on_hyphens=False,
    )
