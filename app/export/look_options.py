"""The options of views as words: what the window lets one choose, by name, for commands and Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args, get_type_hints

from app.export.picks import PICKS
from engine.errors import InputError
from engine.filter import Expression
from engine.metrics.catalog import METRICS
from engine.policy.names import CRITERIA
from engine.quantities.own_quantity import allow_quantities, check_columns
from engine.schedule.schedule import Schedule
from engine.spelling import nearest, parse_duration
from engine.value.tolerance import TOLERANCES
from views.data.gantt.colours import COLOURS
from views.data.gantt.shown_layers import GanttLayers
from views.data.heatmap_look import HeatmapLook
from views.data.plot_choices import DistributionChoices, ScatterChoices, read_choices
from views.data.run_series import AVERAGES
from views.data.view_options import TIMELINE_PLOTS, ViewOptions

_LAYERS = tuple(layer.name for layer in fields(GanttLayers))


@dataclass(frozen=True)
class LookOption:
    """An option that a word sets: which words, and how `given` they change the options of views.

    `put` raises ValueError for a word that it does not know.
    """

    words: str
    put: Callable[[ViewOptions, str], ViewOptions]


def look_of(settings: Mapping[str, str]) -> ViewOptions:
    """The view options that words set, by their names, the others as in a new window. Raises InputError."""
    known, look = look_options(), ViewOptions()
    for name, text in settings.items():
        allow_quantities(text.split())  # whoever gives a command, or calls from Python, has named their files
        if name not in known:
            there = [*known, *PICKS]
            hint = nearest(name, there) or f"; there are {', '.join(there)}"
            raise InputError(f"--option {name}={text}: views have no such option{hint}")
        try:
            look = known[name].put(look, text)
        except ValueError:
            raise InputError(f"--option {name}={text}: it is {known[name].words}") from None
    return look


def check_own_quantities(
    settings: Mapping[str, str], filters: Sequence[Expression | None], schedules: Sequence[Schedule]
) -> None:
    """Raise InputError where code of the user's own fails that settings or filters name as a quantity."""
    fields_named = [part.field for each in filters if each is not None for part in each.comparisons()]
    check_columns([*fields_named, *(word for text in settings.values() for word in text.split())], schedules)


def look_options() -> dict[str, LookOption]:
    """All options by name."""
    found = {name: _field(name) for name in ("rows", "colours", "changes_by", "fairshare_by", "waits_by")}
    found |= {
        name: _switch(name, "") for name in ("timeline_log", "timeline_facets", "bars_cut", "penalties_whole")
    }
    found |= {name: _switch(name, "layers") for name in _LAYERS}
    found |= {name: _field(name, "heatmaps") for name in ("order", "measure")}
    found |= {name: _switch(name, "heatmaps") for name in ("by_queue", "shared_scale")}
    found |= {name: _run(name) for name in ("baseline", "gains_over", "scattered", "scattered_to")}
    found["fairshare_run"] = _run("fairshare_run")
    return found | {
        "offsets": LookOption("numbers of runs, with how much later they are shown: 2:1h,3:-30m", _offsets),
        "timeline_hidden": LookOption("numbers of runs that the timeline leaves out, like 1,3", _hidden),
        "compared": LookOption("two numbers of runs, like 1,3", _compared),
        "distributions": _choices(DistributionChoices, "distributions"),
        "scatter": _choices(ScatterChoices, "scatter"),
        "metrics": LookOption("names of metrics of the figure metrics, like wait_mean,utilization", _metrics),
        "folded": LookOption("names of groups of nodes, like a,b", _folded),
        "pinned": LookOption("names of users, like a,b", _pinned),
        "plan_criterion": LookOption(f"one of {', '.join(CRITERIA)}", _criterion),
        "timeline_averages": LookOption(f"some of {', '.join(AVERAGES)}: now,24 h", _averages),
        "timeline_plots": LookOption(f"some of {', '.join(TIMELINE_PLOTS)}: utilization", _timeline_plots),
        "tolerance": LookOption(f"{' or '.join(TOLERANCES)} and a number of runtimes: linear:5", _tolerance),
        "gain_weights": LookOption("weights of wait, unfair jobs and lost capacity: 50:25:25", _weights),
    }


def list_look_options() -> str:
    """All options with their words, and those that pick something, for a help text."""
    words = {name: option.words for name, option in look_options().items()} | PICKS
    return "; ".join(f"{name} ({about})" for name, about in words.items())


_OWNERS: dict[str, type] = {"": ViewOptions, "layers": GanttLayers, "heatmaps": HeatmapLook}


def _with(look: ViewOptions, owner: str, name: str, value: Any) -> ViewOptions:
    """The options with a field of theirs, or of one of their parts, set."""
    change: dict[str, Any] = {name: value}
    return replace(look, **({owner: replace(getattr(look, owner), **change)} if owner else change))


def _field(name: str, owner: str = "") -> LookOption:
    """A field that takes one of some words."""
    allowed = get_args(get_type_hints(_OWNERS[owner])[name])

    def put(look: ViewOptions, text: str) -> ViewOptions:
        if text not in allowed and not (name == "colours" and text in COLOURS):  # of files, named since
            raise ValueError(text)
        return _with(look, owner, name, text)

    return LookOption(f"one of {', '.join(allowed)}", put)


def _switch(name: str, owner: str) -> LookOption:
    def put(look: ViewOptions, text: str) -> ViewOptions:
        if text not in ("on", "off"):
            raise ValueError(text)
        return _with(look, owner, name, text == "on")

    return LookOption("on or off", put)


def _run(name: str) -> LookOption:
    """A run by its number, in the order that runs are given, from 1."""

    def put(look: ViewOptions, text: str) -> ViewOptions:
        return _with(look, "", name, _number(text))

    return LookOption("the number of a run, from 1", put)


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)


def _choices(kind: type[DistributionChoices | ScatterChoices], name: str) -> LookOption:
    """Words with spaces between them; those at the end may be left out."""

    def put(look: ViewOptions, text: str) -> ViewOptions:
        words = text.split()
        if read_choices(kind, text).spelling.split()[: len(words)] != words:
            raise ValueError(text)
        return _with(look, "", name, text)

    parts = ", ".join(entry.name for entry in fields(kind))
    return LookOption(f"{parts}: '{kind().spelling}'", put)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def _compared(look: ViewOptions, text: str) -> ViewOptions:
    first, second = map(_number, text.split(","))
    return replace(look, compared=(first, second))


def _offsets(look: ViewOptions, text: str) -> ViewOptions:
    """Runs with durations, the negative of which are earlier."""
    found = {}
    for word in _names(text):
        number, _, offset_text = word.partition(":")
        try:
            later = parse_duration(offset_text.removeprefix("-"))
        except InputError:
            raise ValueError(text) from None
        found[_number(number)] = float(-later if offset_text.startswith("-") else later)
    return replace(look, offsets=tuple(sorted((run, offset) for run, offset in found.items() if offset)))


def _hidden(look: ViewOptions, text: str) -> ViewOptions:
    return replace(look, timeline_hidden=tuple(sorted(set(map(_number, _names(text))))))


def _metrics(look: ViewOptions, text: str) -> ViewOptions:
    names = _names(text)
    if unknown := [name for name in names if name not in METRICS]:
        raise InputError(f"there is no metric {unknown[0]!r}{nearest(unknown[0], METRICS)}")
    return replace(look, bar_metrics=names)


def _folded(look: ViewOptions, text: str) -> ViewOptions:
    return replace(look, folded=_names(text))


def _pinned(look: ViewOptions, text: str) -> ViewOptions:
    return _with(look, "heatmaps", "pinned", _names(text))


def _criterion(look: ViewOptions, text: str) -> ViewOptions:
    if text not in CRITERIA:
        raise ValueError(text)
    return replace(look, plan_criterion=text)


def _averages(look: ViewOptions, text: str) -> ViewOptions:
    names = _names(text)
    if not names or not set(names) <= set(AVERAGES):
        raise ValueError(text)
    return replace(look, timeline_averages=names)


def _timeline_plots(look: ViewOptions, text: str) -> ViewOptions:
    names = _names(text)
    if not names or not set(names) <= set(TIMELINE_PLOTS):
        raise ValueError(text)
    return replace(look, timeline_plots=names)


def _tolerance(look: ViewOptions, text: str) -> ViewOptions:
    shape, _, delta = text.partition(":")
    if shape not in TOLERANCES or not 0 < float(delta) < float("inf"):
        raise ValueError(text)
    return replace(look, tolerance=(shape, float(delta)))


def _weights(look: ViewOptions, text: str) -> ViewOptions:
    wait, unfair, lost = (0 if part == "0" else _number(part) for part in text.split(":"))
    if max(wait, unfair, lost) > 100:
        raise ValueError(text)
    return replace(look, gain_weights=(wait, unfair, lost))
