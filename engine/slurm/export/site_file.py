"""A site's `slurm.conf` with the settings of a policy in the places of its own, and what changed marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.input import read_text
from engine.limits import MAX_CONF_BYTES
from engine.policy.policy import Policy
from engine.slurm.conf.slurm_conf import SlurmConf, read_slurm_conf
from engine.slurm.conf.text import RawLine, find_included, included_name, keys_of, raw_lines
from engine.slurm.export.file_notes import file_notes
from engine.slurm.export.lines import RESET, WEIGHTS, SlurmLines, by_priority, slurm_lines
from engine.words import clip

MARK = "# Batchscope:"
"""The begin of the comment before each line that differs from the site's file."""

_VALUE = r'\s*[-*+/]?=\s*(?:"[^"]*"|\S*)'
_NEVER = ("", "none", "now", "0")
"""Values of PriorityUsageResetPeriod by which usage is not forgotten again and again."""


@dataclass(frozen=True)
class SlurmFile:
    """The text of a whole `slurm.conf`, and in words, a line each, what of the policy it leaves out."""

    text: str
    left_out: tuple[str, ...]


def slurm_into(policy: Policy, path: Path) -> SlurmFile:
    """The file at `path` with the policy in it: its lines are changed in place, not repeated.

    Each changed line follows a comment and the replaced lines, as comments; new lines are added at the end.
    An included file replaces its Include line if any of its lines has to change. Settings that are unrelated
    to the policy stay unchanged. Raises InputError.
    """
    conf = read_slurm_conf(path)
    lines = slurm_lines(policy, conf)
    left_out = list(lines.left_out)
    change = _Change(_settings(conf, lines, policy), _factors(conf, lines, left_out), path)
    text = read_text(path, MAX_CONF_BYTES)
    # The file keeps the ends of its lines as they are.
    change.end = "\r\n" if "\r\n" in text else "\n"
    written = list(change.lines_of(path, text))
    # What no line of the file or of its includes set is added at the end, where nothing overrides it.
    missing = {name: value for name, value in change.settings.items() if name.lower() not in change.seen}
    if missing:
        written.append(f"{MARK} added")
        written += [f"{name}={value}" for name, value in missing.items()]
    left_out += file_notes(conf, change.settings, lines.parameters, by_priority(policy))
    return SlurmFile("".join(f"{line}{change.end}" for line in written), tuple(left_out))


def _settings(conf: SlurmConf, lines: SlurmLines, policy: Policy) -> dict[str, str]:
    """The settings to make: those of the policy, and those that undo contrary settings of the file."""
    settings = dict(lines.settings)
    # The option holds all words at once: those of the site are written again beside the new words.
    if "SchedulerParameters" in settings:
        settings["SchedulerParameters"] = _parameters(conf, lines)
    # A weight that the file sets and the policy does not have would still count: it is set to 0.
    if settings.get("PriorityType") == "priority/multifactor" and policy.site is None:
        for name in dict.fromkeys(WEIGHTS.values()):
            if conf.option(name, "0") != "0":
                settings.setdefault(name, "0")
        if conf.option("PriorityFavorSmall", "no").lower() == "yes":
            settings.setdefault("PriorityFavorSmall", "NO")
        # The policy's lines leave out the usual age: where the site's file sets another age, it is set back.
        if "PriorityWeightAge" in lines.settings and conf.option("PriorityMaxAge"):
            settings.setdefault("PriorityMaxAge", "7-00:00:00")
    if RESET[0] in settings and conf.option(RESET[0]).lower() not in _NEVER:
        settings[RESET[0]] = conf.option(RESET[0])
    return settings


def _parameters(conf: SlurmConf, lines: SlurmLines) -> str:
    """The words of SchedulerParameters of the file, with those of the policy replaced."""
    words = [word.strip() for word in conf.option("SchedulerParameters").split(",") if word.strip()]
    left = dict(lines.parameters)
    parameters: list[str] = []
    for word in words:
        name = word.partition("=")[0].strip().lower()
        # A word that the file has twice is written once.
        if name in lines.parameters:
            if name in left:
                parameters.append(f"{name}={left.pop(name)}")
        else:
            parameters.append(word)
    return ",".join((*parameters, *(f"{name}={value}" for name, value in left.items())))


def _factors(conf: SlurmConf, lines: SlurmLines, left_out: list[str]) -> dict[str, int]:
    """The factor of each partition to set, 0 if the policy does not name it; empty if none is set."""
    if not lines.factors:
        return {}
    known = {partition.name for partition in conf.partitions}
    if absent := [name for name in lines.factors if name not in known]:
        left_out.append(
            f"queue_priority: there is no partition {clip(', '.join(absent))} in {conf.path.name}"
        )
    return {name: lines.factors.get(name, 0) for name in known}


@dataclass
class _Change:
    """The changes to a file and its included files.

    `seen` are the settings found in lines, in lower case; `end` is the line ending.
    """

    settings: Mapping[str, str]
    factors: Mapping[str, int]
    main: Path
    seen: set[str] = field(default_factory=set)
    end: str = "\n"
    cluster: str = ""

    def lines_of(self, path: Path, text: str) -> Iterator[str]:
        """The lines of a file as they are to be. Raises InputError."""
        physical = text.split("\n")
        for raw in raw_lines(path, text):
            lines = [line.rstrip("\r") for line in physical[raw.number - 1 : raw.number - 1 + raw.count]]
            if raw.number - 1 + raw.count == len(physical) and lines[-1:] == [""]:
                lines.pop()  # no line follows the last line break
            if (name := included_name(raw)) is not None:
                yield from self._included(raw, name, lines)
                continue
            changed, what = self._changed(raw)
            if not what:
                yield from lines
                continue
            yield f"{MARK} {', '.join(what)}; was"
            yield from (f"#   {line}" for line in lines)
            yield changed

    def _included(self, raw: RawLine, name: str, own: list[str]) -> Iterator[str]:
        """An Include line, or what the file holds where any of that has to change."""
        path = find_included(raw, name, self.main, self.cluster, [])
        text = read_text(path, MAX_CONF_BYTES)
        inside = list(self.lines_of(path, text))
        if not any(line.startswith(MARK) for line in inside):
            yield from own
            return
        yield f"{MARK} {clip(name)} was included here, and stands here with its changes; was"
        yield from (f"#   {line}" for line in own)
        yield from inside
        yield f"{MARK} end of {clip(name)}"

    def _changed(self, raw: RawLine) -> tuple[str, list[str]]:
        """The changed line, and the parts of it that are new."""
        keys, _ = keys_of(raw.text)
        self.cluster = keys.get("clustername", self.cluster)
        if "partitionname" in keys:
            return self._with_factor(raw.text, keys)
        # Lines of nodes hold none of the settings that a policy changes.
        if {"nodename", "nodeset", "downnodes", "frontendname"} & keys.keys():
            return raw.text, []
        text, what = raw.text, []
        for name, value in self.settings.items():
            if name.lower() not in keys:
                continue
            self.seen.add(name.lower())
            # A line that says it already stays as it is, without a comment.
            if keys[name.lower()] != value:
                text = _set(text, name, value)
                what.append(name)
        return text, what

    def _with_factor(self, text: str, keys: Mapping[str, str]) -> tuple[str, list[str]]:
        """The line of a partition with its factor.

        `Priority`, which older files have for both tier and factor, becomes the tier: slurmctld would take it
        for the factor, too, and from a line of defaults as well.
        """
        what = []
        # Old `Priority` means both tier and factor: with a factor beside it only the tier is left of it.
        if self.factors and "priority" in keys:
            text = _set(text, "PriorityTier", None)
            text = _set(text, "Priority", keys["priority"], "PriorityTier")
            what.append("Priority")
        factor = self.factors.get(keys["partitionname"])
        if factor is not None and keys.get("priorityjobfactor") != str(factor):
            what.append("PriorityJobFactor")
            if "priorityjobfactor" in keys:
                text = _set(text, "PriorityJobFactor", str(factor))
            else:
                text = f"{text.rstrip()} PriorityJobFactor={factor}"
        return text, what


def _set(text: str, name: str, value: str | None, called: str = "") -> str:
    """The text of a line with a changed or removed value of a key, and optionally another name for the
    key.
    """
    new = "" if value is None else f"{called or name}={value}"
    return re.sub(rf"(?<!\S){name}{_VALUE}", lambda _: new, text, flags=re.IGNORECASE | re.ASCII)
