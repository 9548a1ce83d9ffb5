"""The encodings that a reader chooses from lists: what fits a table, and what a change of one choice does to
the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.sweep.conditions import SEED
from engine.sweep.parameters import POLICY, numbers_of
from engine.sweep.result_table import JOINT, ResultTable
from views.grammar.encoding import Encoding, Kind, Spread
from views.grammar.measures import NamedMeasure
from views.grammar.names import parameter_title

ALL = "*"
"""The choice of all measures, a plot each."""

PLACES = ("x", "colour", "style", "down", "across")
"""The places of an encoding where a parameter stands."""

_KINDS: dict[Kind, str] = {
    "lines": "Lines",
    "bars": "Bars",
    "points": "Points",
    "boxes": "Boxes",
    "areas": "Areas",
    "cells": "Heatmap",
}
_CUT = "cut"
_AXES = {
    "": "linear axes",
    **{"x": "logarithmic x", "y": "logarithmic y", "xy": "logarithmic x and y"},
    _CUT: "high bars cut",
}
"""The axes that are logarithmic, or end below bars that dwarf all others."""

_WHISKERS: dict[Spread, str] = {
    "95": "95 % confidence",
    "sd": "standard deviation",
    "range": "least and greatest",
    "none": "no whiskers",
}
_UNUSED = {"colour": "in one colour", "style": "in one style", "down": "no rows", "across": "no columns"}
_USED = {
    "x": "over {}",
    "colour": "colours by {}",
    "style": "markers by {}",
    "down": "rows by {}",
    "across": "columns by {}",
}


def usual_encoding(table: ResultTable, measure: str = "") -> Encoding:
    """The first figure of a table, or of one of its measures: over the first number that varies, colours by
    policy.

    What is left makes facets, so that a mark is a mean over seeds only.
    """
    measures = list(table.families)
    first = [measure or measures[0]]
    x = _usual_x(table, first)
    left = [name for name in varied(table, first) if name not in (SEED, x)]
    several = len(table.parameters.get(POLICY, ())) > 1
    colour = POLICY if several else next(iter(left), "")
    left = [name for name in left if name != colour]
    alone = not measure and len(measures) > 1 and x == POLICY and not left
    return Encoding(
        "lines",
        x,
        tuple(measures if alone else first),
        colour,
        across=left[0] if left else "",
        down=JOINT.join(left[1:]),
    )


def varied(table: ResultTable, measures: Sequence[str]) -> list[str]:
    """The parameters with several values that all of these measures have."""
    each = [table.parameters_of(measure) for measure in measures]
    return [
        name
        for name in table.parameters
        if all(name in known for known in each) and any(len(known[name]) > 1 for known in each)
    ]


def offered_choices(table: ResultTable, encoding: Encoding) -> dict[str, dict[Any, str]]:
    """The available choices given the others: name of a choice -> value -> label.

    Parameters come with those that stand together in this encoding.
    """
    names = varied(table, encoding.y)
    # Besides parameters that vary, those that change together with a chosen parameter: each names the same
    # places.
    every = {name: parameter_title(name) for name in (encoding.x, *names, *_joined(table, encoding))}
    places: dict[str, dict[Any, str]] = {
        place: {name: _USED[place].format(_lowered(title)) for name, title in every.items()}
        for place in PLACES
    }
    # Cells need their colour for the value, so the second parameter becomes their rows, and lines are not
    # styled.
    if encoding.kind == "cells":
        titles = {name: _lowered(title) for name, title in every.items() if name != encoding.x}
        rows = {name: f"rows of cells by {title}" for name, title in titles.items()}
        places = {**places, "colour": rows, "style": {}}
    measures = {name: NamedMeasure(name).title for name in table.families}
    common = {encoding.x, encoding.colour} - {""}
    # All metrics at once make sense only where each has the parameters that are shown.
    if len(measures) > 1 and all(common <= set(table.parameters_of(name)) for name in measures):
        measures[ALL] = "all metrics"
    return {
        "kind": dict(_KINDS),
        "measure": measures,
        "x": places["x"],
        **{place: {"": _UNUSED[place]} | places[place] for place in PLACES[1:]},
        "spread": dict(_WHISKERS),
        "axes": {key: text for key, text in _AXES.items() if _fits(key, table, encoding)},
        "free": {False: "shared axes", True: "axes of their own"},
    }


def chosen(encoding: Encoding, name: str) -> Any:
    """The value of a choice in an encoding."""
    if name == "measure":
        return ALL if len(encoding.y) > 1 else encoding.y[0]
    return _axes(encoding) if name == "axes" else getattr(encoding, name)


def with_choice(table: ResultTable, encoding: Encoding, name: str, value: Any) -> Encoding:
    """The encoding after a choice. A parameter leaves the place where it stood before.

    What does not fit the new choice is left out.
    """
    if name == "measure":
        encoding = replace(encoding, y=tuple(table.families) if value == ALL else (value,))
    elif name == "axes":
        encoding = replace(encoding, log_x="x" in value, log_y="y" in value, cut=value == _CUT)
    elif name in PLACES:
        other = next((place for place in PLACES if value and getattr(encoding, place) == value), "")
        if (name, other) == ("colour", "x") and encoding.kind != "cells":
            other = ""  # colours may say what stands on x again
        if other and other != name:
            encoding = _placed(encoding, {other: ""})
        encoding = _apart(table, _placed(encoding, {name: value}), name)
    else:
        encoding = replace(encoding, **{name: value})
    return _fitting(table, encoding)


def _apart(table: ResultTable, encoding: Encoding, name: str) -> Encoding:
    """The encoding where parameters that stand together elsewhere lose what now stands at a place."""
    value = getattr(encoding, name)
    taken = table.parts_of(value) if value else ()
    columns = {}
    for place in PLACES:
        used = getattr(encoding, place)
        parts = table.parts_of(used) if used else ()
        if place != name and len(parts) > 1:
            columns[place] = JOINT.join(part for part in parts if part not in taken)
    return _placed(encoding, columns)


def _fitting(table: ResultTable, encoding: Encoding) -> Encoding:
    """The encoding without what the measures or the kind do not allow."""
    known = varied(table, encoding.y)
    for place in PLACES:
        used = getattr(encoding, place)
        if used and not all(part in known for part in table.parts_of(used)):
            encoding = _placed(encoding, {place: ""})
    if not encoding.x:
        elsewhere = {part for name in encoding.shown for part in table.parts_of(name)}
        x = _usual_x(table, encoding.y, elsewhere)
        freed = {place: "" for place in PLACES[2:] if getattr(encoding, place) == x}
        encoding = _placed(encoding, {**freed, "x": x})
    if encoding.kind == "cells":
        colour = "" if encoding.colour == encoding.x else encoding.colour
        encoding = replace(encoding, style="", colour=colour)
    if not _fits(_axes(encoding), table, encoding):
        encoding = replace(encoding, log_x=False, log_y=False, cut=False)
    return encoding


def _placed(encoding: Encoding, places: Mapping[str, str]) -> Encoding:
    """The encoding with these parameters in their places."""
    changed: dict[str, Any] = dict(places)
    return replace(encoding, **changed)


def _axes(encoding: Encoding) -> str:
    """What the axes are, as a key of `_AXES`."""
    return _CUT if encoding.cut else "x" * encoding.log_x + "y" * encoding.log_y


def _fits(axes: str, table: ResultTable, encoding: Encoding) -> bool:
    """Whether axes may be so: logarithmic ones have numbers above 0, and no marks that begin at 0 or have
    places; only bars are cut.
    """
    if axes == _CUT:
        return encoding.kind == "bars"
    if "x" in axes:
        numbers = numbers_of(encoding.x, table.parameters.get(encoding.x, ("",)))
        if encoding.kind in ("bars", "boxes", "cells") or numbers is None or min(numbers) <= 0:
            return False
    if "y" in axes:
        columns = [column for measure in encoding.y for column in table.families[measure]]
        positive = all(not (table.measures[column] <= 0).any() for column in columns)
        return positive and encoding.kind not in ("bars", "areas", "cells")
    return True


def _joined(table: ResultTable, encoding: Encoding) -> list[str]:
    """The places whose parameters stand together."""
    used = (getattr(encoding, place) for place in PLACES)
    return [name for name in dict.fromkeys(used) if name and len(table.parts_of(name)) > 1]


def _usual_x(table: ResultTable, measures: Sequence[str], elsewhere: Collection[str] = ()) -> str:
    """The first number that measures vary with and that stands nowhere else, load last.

    Without one a word that stands nowhere else, the policy, or any parameter.
    """
    names = [name for name in varied(table, measures) if name not in (SEED, *elsewhere)]
    numbers = [name for name in names if numbers_of(name, table.parameters[name]) is not None]
    words = next(iter(names), "") if POLICY in elsewhere or POLICY not in table.parameters else POLICY
    words = words or next(iter(table.parameters))
    return min(numbers, key=lambda name: name in ("theta", "rho"), default=words)


def _lowered(title: str) -> str:
    """A title within a phrase: `policy`, but `EET` stays."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title
