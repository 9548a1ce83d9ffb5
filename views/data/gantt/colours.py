"""The colour modes of a Gantt chart: each job belongs to a class, and each class has a colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.quantities import Jobs, Missing, Quantity, Unit
from engine.quantities.offers import each_offered
from engine.schedule.predictions import TOLERANCE
from engine.shown_text import format_name
from engine.trace import Names, Trace
from views.data.changes import CHANGE_BOUNDS, CHANGE_NAMES, class_colours
from views.data.gantt.layout import by_area
from views.text.counts import format_count
from views.theme.palette import (
    LATE,
    LATE_DARK,
    ON_TIME,
    ON_TIME_DARK,
    OTHER_USERS,
    OVER_UNDER,
    OVER_UNDER_DARK,
    SIZE,
    UNKNOWN,
    WAIT,
    Pixels,
    gradient,
    hex_colour,
    pixel,
    unknown_beside,
    user_colours,
)

COLOURS: dict[str, Quantity] = {}
"""The modes: what a colour may say of a job."""

each_offered("colour", COLOURS)


NAMED: tuple[ColourMode, ...] = ("user", "queue")
"""Modes whose classes are names, with the colours of users."""


def of_log(mode: str) -> bool:
    """True if the colour of a job is the same under every run, because it depends on the log alone."""
    return COLOURS[mode].of_log


COLOUR_NAMES: dict[str, str] = {}
"""The modes as a menu offers them."""

each_offered("colour", COLOUR_NAMES, lambda _, quantity: quantity.offer("colour").title)

if TYPE_CHECKING:
    from engine.filter import Expression

    ColourMode = str
else:
    ColourMode = Literal[tuple(COLOURS)]  # settings and sessions save only these

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
NO_CLASS = -1
_DIMMED = 0.84  # share of the background in what is not selected


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each job, shape (n,), NO_CLASS for jobs that never ran; and the name and colour of each
    class.

    `ordered` classes go from small to large; other classes have the largest first. If classes are steps of a
    value, class k holds values up to `bounds[k]` and the last class all greater values; if they are users or
    queues, `of_code` maps each user or queue to its class.
    """

    of_job: NDArray[np.int16]
    names: tuple[str, ...]
    colours: tuple[str, ...]
    ordered: bool
    bounds: tuple[float, ...] = ()
    of_code: NDArray[np.int16] | None = None

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """Colour and name of each class."""
        return tuple(zip(self.colours, self.names, strict=True))

    def pixels(self) -> Pixels:
        """An opaque pixel for each job, shape (n,)."""
        return np.array([pixel(colour) for colour in self.colours], np.uint32)[self.of_job]


@dataclass(frozen=True)
class ColourSteps:
    """Steps of a value: class k holds values up to `bounds[k]`, the last class all above.

    `colours` has one more entry than `bounds`, for a light background. On a dark one they are `turned` round,
    or those `on_dark` if there are any: larger values always contrast more with the background. `missing`
    names a class of jobs that have no value, if any may.
    """

    bounds: tuple[float, ...]
    names: tuple[str, ...]
    colours: tuple[str, ...]
    missing: str = ""
    turned: bool = False
    on_dark: tuple[str, ...] = ()

    def on(self, dark: bool) -> ColourSteps:
        """The same on a light or a dark background."""
        if not dark:
            return self
        return replace(self, colours=self.colours[::-1] if self.turned else self.on_dark or self.colours)

    def classes(self, values: NDArray[Any]) -> Classes:
        """The class of each value, shape (n,); NaN is missing."""
        # A value at a bound belongs to the class below it: names say `≤`.
        of_job = np.searchsorted(np.array(self.bounds), values).astype(np.int16)
        if not self.missing:
            return Classes(of_job, self.names, self.colours, True, self.bounds)
        of_job[np.isnan(values)] = len(self.names)
        return Classes(
            of_job,
            (*self.names, self.missing),
            (*self.colours, unknown_beside(self.colours)),
            True,
            self.bounds,
        )


def classify(jobs: Jobs, mode: ColourMode, dark: bool = False, filtered: Expression | None = None) -> Classes:
    """Sort the jobs that ran under a schedule into the classes of a mode; `dark` selects the colours of the
    dark theme.

    Users and queues with jobs that match `filtered` get distinct colours first.
    """
    # A quantity may be unknown as a whole, a name, or a number; each makes classes in its own way.
    values = COLOURS[mode].values(jobs)
    if isinstance(values, Missing):
        classes = Classes(np.zeros(len(jobs), np.int16), (str(values),), (UNKNOWN,), True)
    elif isinstance(values, Names):
        classes = _named(mode, jobs.trace, values, filtered.mask(jobs) if filtered is not None else None)
    else:
        assert isinstance(values, np.ndarray)
        classes = _steps_of(mode, jobs, values, dark).on(dark).classes(values)
    # Jobs that never ran have no box to be painted, whatever their value is.
    return replace(
        classes, of_job=np.where(jobs.known_schedule.ran, classes.of_job, NO_CLASS).astype(np.int16)
    )


@dataclass(frozen=True, eq=False)
class Painted:
    """The pixel of each job of the trace, shape (n,), what is not picked drawn back.

    `picked` are the classes of picked jobs; None: nothing is picked.
    """

    pixels: Pixels
    picked: frozenset[int] | None


def paint_jobs(classes: Classes, picked: NDArray[np.bool_] | None, background: str) -> Painted:
    """Colour the jobs; `picked` has shape (n,), None: nothing is picked."""
    if picked is None:
        return Painted(classes.pixels(), None)
    # Counted by class, with a place in front for jobs without a class.
    counts = np.bincount(classes.of_job[picked] - NO_CLASS, minlength=len(classes.names) + 1)
    shown = np.flatnonzero(counts[-NO_CLASS:])
    return Painted(dimmed(classes.pixels(), picked, background), frozenset(shown.tolist()))


def cut_short(colours: Pixels, lost: NDArray[np.bool_], background: str) -> Pixels:
    """The colours of runs, shape (n,), at half strength for runs that were `lost`: that did not complete."""
    if not lost.any():
        return colours
    kept = colours & np.uint32(0xFF000000)
    # Half of both colours, channel by channel: the lowest bit is dropped before it could carry.
    half = (colours >> np.uint32(1) & np.uint32(0x7F7F7F)) + np.uint32(pixel(background) >> 1 & 0x7F7F7F)
    return np.where(lost, kept | half, colours)


def both(first: NDArray[np.bool_] | None, second: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    """The jobs that both pick, where None picks all; shapes (n,)."""
    return second if first is None else first if second is None else first & second


def dimmed(colours: Pixels, picked: NDArray[np.bool_], background: str) -> Pixels:
    """The colours, with unselected jobs faded and drawn under the selected jobs (see `FIRST`)."""
    under = np.uint32(pixel(background))
    result = np.zeros_like(colours)
    for shift in (16, 8, 0):
        high = (colours >> np.uint32(shift)) & np.uint32(0xFF)
        low = (under >> np.uint32(shift)) & np.uint32(0xFF)
        part = (high * (1 - _DIMMED) + low * _DIMMED + 0.5).astype(np.uint32)
        result |= part << np.uint32(shift)
    return np.where(picked, colours, result | np.uint32(0x7F000000))


def _named(kind: str, trace: Trace, names: Names, matching: NDArray[np.bool_] | None) -> Classes:
    """Classes of the largest users, or queues, with `matching` jobs; all others share a class."""
    order = by_area(trace, names)
    # `user_colours` takes areas by code; here their order is enough.
    area = np.zeros(len(order))
    area[order] = np.arange(len(order), 0, -1)
    present = None
    # Users whose jobs match the filter get colours of their own before larger users whose jobs do not.
    if matching is not None:
        present = np.bincount(names.codes[matching], minlength=len(order)) > 0
    colours = user_colours(names.names, area, present)
    known = [code for code in order.tolist() if colours[code] != OTHER_USERS]
    rest = len(order) - len(known)
    # All others share the class behind the known classes.
    of_code = np.full(len(order), len(known), np.int16)
    of_code[known] = np.arange(len(known))
    words = [*(format_name(kind, names.names[code]) for code in known), *([f"{rest} others"] if rest else [])]
    shown = [*(colours[code] for code in known), *([OTHER_USERS] if rest else [])]
    return Classes(of_code[names.codes], tuple(words), tuple(shown), False, of_code=of_code)


def _shades(anchors: tuple[str, ...], steps: int) -> tuple[str, ...]:
    return tuple(hex_colour(int(colour)) for colour in gradient(anchors, steps))


def _steps(bounds: tuple[float, ...], words: tuple[str, ...], anchors: tuple[str, ...]) -> ColourSteps:
    """Values from small to large: `words` name the bounds."""
    names = (*(f"≤ {word}" for word in words), f"> {words[-1]}")
    return ColourSteps(bounds, names, _shades(anchors, len(names)), turned=True)


def _powers(most: float) -> ColourSteps:
    """Powers of eight, as far as `most`."""
    bounds = [1]
    while bounds[-1] * 8 < most:
        bounds.append(bounds[-1] * 8)
    names = ["1", *(f"≤ {format_count(bound)}" for bound in bounds[1:]), f"> {format_count(bounds[-1])}"]
    return ColourSteps(tuple(map(float, bounds)), tuple(names), _shades(SIZE, len(names)), turned=True)


_TIMES = (MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY)
_TIME_WORDS = ("1 min", "10 min", "1 h", "6 h", "1 d", "7 d")

_WAITS = _steps(_TIMES, _TIME_WORDS, WAIT)
_SLOWDOWNS = _steps((1.1, 2, 5, 10, 100, 1000), ("1.1", "2", "5", "10", "100", "1 000"), WAIT)
_LATENESS = ColourSteps(
    (0.0, HOUR, 6 * HOUR, DAY, 7 * DAY),
    ("on time", "≤ 1 h late", "≤ 6 h late", "≤ 1 d late", "≤ 7 d late", "> 7 d late"),
    (ON_TIME, *_shades(LATE, 5)),
    on_dark=(ON_TIME_DARK, *_shades(LATE_DARK, 5)),
)
_ESTIMATES = ColourSteps(
    (0.5, 0.9, 1.1, 2.0, 10.0, 100.0),
    ("< ½ of runtime", "too short", "± 10 %", "≤ 2 ×", "≤ 10 ×", "≤ 100 ×", "> 100 × runtime"),
    OVER_UNDER,
    "no estimate",
    on_dark=OVER_UNDER_DARK,
)

_ERROR_BOUNDS = (-DAY - 1, -6 * HOUR - 1, -HOUR - 1, -TOLERANCE - 1.0, TOLERANCE, HOUR, 6 * HOUR, DAY)
_ERROR_NAMES = (
    "> 1 d early", "≤ 1 d early", "≤ 6 h early", "≤ 1 h early", "as predicted",
    "≤ 1 h late", "≤ 6 h late", "≤ 1 d late", "> 1 d late",
)  # fmt: skip

_VALUES = _steps((0.0, 100.0, 1000.0, 3000.0, 10_000.0), ("0", "100", "1 000", "3 000", "10 000"), WAIT)
_PERCENTAGES = _steps((0.0, 25.0, 50.0, 75.0), ("0 %", "25 %", "50 %", "75 %"), WAIT)
_USED = _steps((10.0, 25.0, 50.0, 75.0, 90.0, 110.0), ("10 %", "25 %", "50 %", "75 %", "90 %", "110 %"), WAIT)
_JOULE_BOUNDS = (3.6e4, 3.6e5, 3.6e6, 3.6e7, 3.6e8, 3.6e9)
_ENERGY = _steps(_JOULE_BOUNDS, ("0.01 kWh", "0.1 kWh", "1 kWh", "10 kWh", "100 kWh", "1 MWh"), WAIT)
_MEMORY = _steps(
    tuple(float(1 << k) for k in (10, 13, 16, 18, 20)), ("1 GiB", "8 GiB", "64 GiB", "256 GiB", "1 TiB"), WAIT
)


def _changes(jobs: Jobs, lacks: bool, dark: bool) -> ColourSteps:
    """Classes of start changes. The last name is the run to compare with; jobs that it refused have no
    change.
    """
    same = len(CHANGE_NAMES) // 2
    names = [f"{name.removesuffix(' earlier')} earlier" for name in CHANGE_NAMES[:same]]
    names += [CHANGE_NAMES[same]]
    names += [f"{name.removesuffix(' later')} later" for name in CHANGE_NAMES[same + 1 :]]
    if jobs.baseline is not None:
        names[-1] += f" than {jobs.baseline_name}"
    return ColourSteps(CHANGE_BOUNDS, tuple(names), class_colours(dark), "refused there" if lacks else "")


_BY_UNIT: dict[Unit, ColourSteps] = {
    "s": _WAITS,
    "time": _WAITS,
    "processor-s": _WAITS,
    "ratio": _SLOWDOWNS,
    "s/processor-s": _SLOWDOWNS,
    "%": _PERCENTAGES,
    "% used": _USED,
    "J": _ENERGY,
    "MiB": _MEMORY,
    "value": _VALUES,
}
"""Steps of quantities without their own; steps of counts and amounts depend on their size."""


def _steps_of(mode: ColourMode, jobs: Jobs, values: NDArray[Any], dark: bool) -> ColourSteps:
    """The steps of a mode, with a class for jobs without a value where there are any."""
    # The words of some modes are their own; else the unit of the quantity decides the steps.
    if mode in _OWN:
        return _OWN[mode]
    if mode == "prediction_error":
        return ColourSteps(_ERROR_BOUNDS, _ERROR_NAMES, class_colours(dark), "none predicted")
    if mode == "size":
        return _powers(jobs.known_schedule.cluster.cpus)
    # Only jobs that ran are painted, so only they can lack a value.
    lacks = bool(np.isnan(values[jobs.known_schedule.ran]).any())
    if mode == "change":
        return _changes(jobs, lacks, dark)
    unit = COLOURS[mode].unit
    steps = _BY_UNIT[unit] if unit in _BY_UNIT else _powers(np.nanmax(values, initial=1))
    return replace(steps, missing="no value") if lacks else steps


_PASSED = ColourSteps(
    (0.0, 1.0, 8.0, 64.0, 512.0),
    ("in its turn", "ahead of 1 job", "ahead of ≤ 8", "of ≤ 64", "of ≤ 512", "of > 512"),
    (ON_TIME, *_shades(LATE, 5)),
    on_dark=(ON_TIME_DARK, *_shades(LATE_DARK, 5)),
)

_OWN = {"late": _LATENESS, "estimate": _ESTIMATES, "passed": _PASSED}
"""Modes whose steps have words of their own."""
