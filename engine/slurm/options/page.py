"""The page of the guide about Slurm's options, made of their table."""

from __future__ import annotations

from collections.abc import Iterator

from engine.slurm.options.option import ConfigPart, Population, SlurmOption
from engine.slurm.options.table import TABLE
from engine.spelling import format_duration

_TITLES = {
    ConfigPart.SETTING: "Settings of slurm.conf",
    ConfigPart.PARAMETER: "Words of SchedulerParameters",
    ConfigPart.FLAG: "Words of PriorityFlags",
    ConfigPart.NODE: "Keys of node lines",
    ConfigPart.PARTITION: "Keys of partition lines",
}
_JOBS: dict[Population, str] = {
    "": "",
    "all": "all",
    "waited": "that waited",
    "several nodes": "on several nodes",
    "following": "that follow others",
    "reservations": "in reservations",
    "components": "components of heterogeneous jobs",
    "tasks": "tasks of job arrays",
    "serial": "on one processor",
}
_FILES = {
    "associations": "a file of associations",
    "qos_limits": "a file of QOS",
    "switches": "a topology.conf",
}
_RULES = {
    "backfills": "whether the backfiller runs",
    "multifactor": "whether priorities have factors",
    "fair_tree": "the formula of fairshare",
    "bf_interval": "s between cycles of the backfiller",
    "bf_tests": "jobs that a cycle tries",
    "bf_user_tests": "jobs of a user that it tries; 0: all",
    "bf_part_tests": "jobs of a partition that it tries; 0: all",
    "bf_assoc_tests": "jobs of an association that it tries; 0: all",
    "bf_user_part_tests": "jobs of a user in a partition that it tries; 0: all",
    "bf_starts": "jobs that it starts; 0: all",
    "bf_window": "minutes that it plans ahead",
    "bf_resolution": "s to whose multiples it plans",
    "end_linear": "s by which batches of ends grow; 0: they double",
    "main_depth": "jobs that a pass of the main scheduler tries after an event",
    "main_part_depth": "jobs of a partition that each of its passes tries; 0: all",
    "main_gap": "microseconds between any two of its passes",
    "main_starts": "jobs that such a pass starts; 0: all",
    "main_delay": "s from an event to that pass",
    "main_every": "s between its passes over all jobs",
    "requeue_delay": "s for which a requeued job waits",
    "calc_period": "minutes between computations of priorities",
    "exempt": "time for which a job is not preempted",
    "kill_wait": "s after which a job beyond its limit is taken to end",
    "patience": "s for which a job that preempted others preempts no more",
    "over_limit": "minutes for which jobs may run beyond their limit",
    "resv_over": "minutes for which jobs may go on after their reservation",
}
"""What the fields of `SiteRules` are, in the unit of the option that sets them."""


def reference() -> Iterator[str]:
    """The lines of the page, in Markdown."""
    yield "# Options of Slurm"
    yield ""
    yield (
        "What the simulation of [a site's own Slurm](sites.md) makes of each option of its files. A value "
        "that slurmctld does not take counts as the usual one, and is listed with the result. If nothing in "
        "a file tells its release, the usual values are those of a recent one, or, if it has FastSchedule, "
        "CryptoType or ControlMachine, those of Slurm 19.05."
    )
    for place, title in _TITLES.items():
        # Three groups: options that are obeyed, options that change schedules and are not simulated, options
        # without effect.
        rows = [option for option in TABLE if option.place is place]
        yield ""
        yield f"## {title}"
        yield from _obeyed([option for option in rows if option.sets and not option.ignored])
        yield from _ignored([option for option in rows if option.ignored])
        if harmless := [option.name for option in rows if not option.sets and not option.ignored]:
            yield ""
            yield f"Without effect on when and where jobs run: {', '.join(sorted(harmless, key=str.lower))}."


def _obeyed(options: list[SlurmOption]) -> Iterator[str]:
    if not options:
        return
    yield ""
    yield "| option | usual | slurmctld takes | a search tries | sets |"
    yield "| --- | --- | --- | --- | --- |"
    for option in options:
        usual = option.usual or "–"
        # The usual value depends on the release, so the page has both.
        if option.changed is not None:
            (year, month), later = option.changed
            usual += f"; from {year}.{month:02} on {later}"
        bounds = option.bounds
        if option.off is not None:
            values = " or ".join(option.off[0].split("|"))
            bounds += f"{', ' if bounds else ''}or {values}: {option.off[1]}"
        cells = (
            f"`{option.name}`",
            usual,
            bounds or "–",
            _tried(option),
            _RULES.get(option.sets, option.sets),
        )
        yield f"| {' | '.join(cells)} |"


def _tried(option: SlurmOption) -> str:
    if option.tried is None:
        return "–"
    low, high = (format_duration(value) if option.kind == "time" else f"{value:,}" for value in option.tried)
    return f"{low} to {high}"


def _ignored(options: list[SlurmOption]) -> Iterator[str]:
    if not options:
        return
    yield ""
    yield "| ignored | which means | jobs |"
    yield "| --- | --- | --- |"
    for option in options:
        means = option.ignored
        if option.obeyed_with:
            means += f"; obeyed with {_FILES[option.obeyed_with]}"
        yield f"| `{option.name}` | {means} | {_JOBS[option.touches] or 'not known'} |"
