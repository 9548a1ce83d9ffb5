"""Adaptive tuning: numbers of a policy that follow measurements (Tang et al. 2013, section 3.4).

A tuning is the paper's tuple of a tunable T, its increment, a monitored metric M with a
threshold Th, the events that raise and lower T, and a checking interval C_i. Its text is
`bf:-0.5:0.5..1:queue_depth>=1000:30m`: while the condition holds at a check, T changes by
the increment, otherwise by as much in the other direction, within its bounds. With a second threshold,
`queue_depth>=1000|<400`, it moves back only while that holds, and stays between the two. As feedback
control, `bf:-0.001:0.5..1:wait=600`, T moves by the increment times what the metric is above its target. With
two gains, as in `bf:-0.001/-0.00002:0.5..1:wait=600`, that is a proportional and integral (PI) controller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.spelling import format_duration, format_number, nearest, parse_duration

TUNABLES = ("bf", "window")
"""The tunables: the balance factor and the size of allocation windows."""

RANGES = {"bf": (0.0, 1.0), "window": (1.0, 20.0)}
"""The least and the most that a tunable can be."""

MONITORS = ("queue_depth", "queue_length", "utilization", "bounded_slowdown", "wait", "violated")
"""Monitors: the minutes that all waiting jobs have waited so far; the number of waiting jobs; the share of
the processors in use, now, or with `_10h` on average over the last 10 h; with `_50`
the mean bounded slowdown of the last 50 ended jobs; the mean wait of the waiting jobs so far,
s; with `_50` the share of the last 50 ended jobs that ended after their expected ends."""

_OF_ENDS = ("bounded_slowdown", "violated")
"""Monitors of the jobs that ended last."""

OPERATORS = (">=", ">", "<=", "<", "=")
TARGET = "="
"""The operator of feedback control, whose threshold is a target."""

INTERVAL = 30 * 60
"""The paper's checking interval, s."""

_SPELLING = re.compile(
    r"(?P<tunable>\w+):(?P<step>[+-]?\d{1,3}(?:\.\d{1,6})?)(?:/(?P<integral>[+-]?\d{1,3}(?:\.\d{1,6})?))?"
    r":(?P<low>\d{1,3}(?:\.\d{1,6})?)\.\.(?P<high>\d{1,3}(?:\.\d{1,6})?)"
    r":(?P<monitor>[a-z_]+?)(?:_(?P<argument>\d{1,9}[smhd]?))?(?P<operator>[<>]=?|=)"
    r"(?:mean_(?P<mean>\d{1,9}[smhd]?)|(?P<number>\d{1,9}(?:\.\d{1,6})?))"
    r"(?:\|(?P<back>[<>]=?)(?:mean_(?P<back_mean>\d{1,9}[smhd]?)|(?P<back_number>\d{1,9}(?:\.\d{1,6})?)))?"
    r"(?::(?P<interval>\d{1,9}[smhd]?))?"
)
_FORM = "a tuning is spelled like bf:-0.5:0.5..1:queue_depth>=1000:30m"


@dataclass(frozen=True)
class Threshold:
    """The threshold of a monitor: a number, or if `mean` (s) is above 0 its own average over that time."""

    operator: str
    number: float
    mean: int

    def __str__(self) -> str:
        limit = f"mean_{format_duration(self.mean)}" if self.mean else format_number(self.number)
        return self.operator + limit


@dataclass(frozen=True)
class Tuning:
    """One tunable that follows one monitor.

    `argument` is the time over which a utilization is averaged, s (0: now), or the number of
    jobs of a mean slowdown or of violated ends. While the monitor meets `threshold`, the tunable moves
    by its step; while it meets `back`, or without one otherwise, by as much in the other direction. With the
    operator of a target it moves by the step times the monitor's distance above that. With `integral` too it
    is at each check the policy's own value, plus the step times that distance, plus `integral` times the sum
    of the distances at all checks so far. The sum does not grow by a distance that pushes the tunable beyond
    the bound that it has reached (SPEC 7). Raises InputError for contradictory values.
    """

    tunable: str
    step: float
    low: float
    high: float
    monitor: str
    argument: int
    threshold: Threshold
    back: Threshold | None = None
    interval: int = INTERVAL
    integral: float | None = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def monitor_spelling(self) -> str:
        """The monitor's text, with the time or number of jobs that it averages over."""
        if self.monitor == "utilization" and self.argument:
            return f"{self.monitor}_{format_duration(self.argument)}"
        return f"{self.monitor}_{self.argument}" if self.argument else self.monitor

    @property
    def condition(self) -> str:
        """The text of the condition under which the tunable moves by its step."""
        back = "" if self.back is None else f"|{self.back}"
        return f"{self.monitor_spelling}{self.threshold}{back}"

    @property
    def spelling(self) -> str:
        """The spelling that `parse_tunings` reads back; the paper's interval is omitted."""
        gains = (
            _signed(self.step) if self.integral is None else f"{_signed(self.step)}/{_signed(self.integral)}"
        )
        bounds = f"{format_number(self.low)}..{format_number(self.high)}"
        parts = [self.tunable, gains, bounds, self.condition]
        if self.interval != INTERVAL:
            parts.append(format_duration(self.interval))
        return ":".join(parts)

    def __str__(self) -> str:
        return self.spelling


def _signed(number: float) -> str:
    return ("-" if number < 0 else "+") + format_number(abs(number))


def paper_tuning(tunable: str, queue_depth: float) -> Tuning:
    """The tuning of Tang et al. 2013, section 4.4.

    The balance factor goes from 1 to 0.5 while the queue depth is at least `queue_depth`
    minutes; the window from 1 to 4 while the utilization of the last 10 hours is not above
    that of the last 24.
    """
    if tunable == "bf":
        return Tuning("bf", -0.5, 0.5, 1, "queue_depth", 0, Threshold(">=", float(queue_depth), 0))
    return Tuning("window", 3, 1, 4, "utilization", 10 * 3600, Threshold("<=", 0.0, 24 * 3600))


@dataclass(frozen=True)
class TuningScheme:
    """The tunings of a policy, with their text: `bf`, `window` and `2d` are those of the paper."""

    parts: tuple[str | Tuning, ...] = ()

    def tunings(self, queue_depth: float) -> tuple[Tuning, ...]:
        """The tunings; `queue_depth` (minutes) is the threshold of the paper's tuning of bf."""
        found: list[Tuning] = []
        for part in self.parts:
            if isinstance(part, Tuning):
                found.append(part)
            else:
                found += [paper_tuning(name, queue_depth) for name in _names_of(part)]
        return tuple(found)

    @property
    def tunables(self) -> tuple[str, ...]:
        """The tuned parameters."""
        named = (_names_of(part) if isinstance(part, str) else (part.tunable,) for part in self.parts)
        return tuple(name for names in named for name in names)

    @property
    def monitors(self) -> frozenset[str]:
        """The monitors of tunings that are not the paper's."""
        return frozenset(part.monitor for part in self.parts if isinstance(part, Tuning))

    @property
    def has_queue_depth(self) -> bool:
        """True if the threshold `queue_depth` of the policy has an effect."""
        return "bf" in self.parts or "2d" in self.parts

    def __str__(self) -> str:
        return ";".join(str(part) for part in self.parts) or "none"


def _names_of(part: str) -> tuple[str, ...]:
    """The tunables of a tuning that is named as in the paper."""
    return TUNABLES if part == "2d" else (part,)


def parse_tunings(text: str) -> TuningScheme:
    """Read `none`, or tunings joined by `;`: `bf`, `window` (the paper's), `2d` (both), or a full spelling.

    Raises InputError for an invalid tuning, and for two tunings of the same tunable.
    """
    if text == "none":
        return TuningScheme()
    parts = text.split(";")
    scheme = TuningScheme(tuple(part if part in ("2d", *TUNABLES) else _read(part) for part in parts))
    for tunable in TUNABLES:
        if scheme.tunables.count(tunable) > 1:
            raise InputError(f"tune={text}: two tunings of {tunable} contradict each other")
    return scheme


def _read(text: str) -> Tuning:
    match = _SPELLING.fullmatch(text)
    if match is None:
        hint = nearest(text, ("bf", "window", "2d", "none")) if ":" not in text else ""
        raise InputError(f"tune cannot be {text!r}{hint or f'; {_FORM}'}")
    monitor, argument = match["monitor"], match["argument"] or "0"
    # The number behind a monitor is a time for a utilization, a number of jobs for others.
    averaged = monitor == "utilization"
    if not averaged and not argument.isdigit():
        raise InputError(f"tune={text}: only a utilization is averaged over a time")
    return Tuning(
        tunable=match["tunable"],
        step=float(match["step"]),
        low=float(match["low"]),
        high=float(match["high"]),
        monitor=monitor,
        argument=parse_duration(argument) if averaged else int(argument),
        threshold=_threshold(match["operator"], match["number"], match["mean"]),
        back=_threshold(match["back"], match["back_number"], match["back_mean"]) if match["back"] else None,
        interval=parse_duration(match["interval"]) if match["interval"] else INTERVAL,
        integral=float(match["integral"]) if match["integral"] else None,
    )


def _threshold(operator: str, number: str | None, mean: str | None) -> Threshold:
    return Threshold(operator, float(number or 0), parse_duration(mean) if mean else 0)


def _check(tuning: Tuning) -> None:
    """Raise InputError for a tuning that cannot work."""
    if tuning.tunable not in TUNABLES:
        raise InputError(f"nothing called {tuning.tunable!r} can be tuned{nearest(tuning.tunable, TUNABLES)}")
    if tuning.monitor not in MONITORS:
        raise InputError(f"no monitor is called {tuning.monitor!r}{nearest(tuning.monitor, MONITORS)}")
    where = f"tune={tuning.spelling}"
    least, most = RANGES[tuning.tunable]
    if tuning.low >= tuning.high:
        raise InputError(f"{where}: the lower bound is not below the upper one")
    if tuning.low < least or tuning.high > most:
        raise InputError(f"{where}: {tuning.tunable} is from {least:g} to {most:g}")
    if tuning.step == 0 and not tuning.integral:
        raise InputError(f"{where}: a step of 0 changes nothing")
    if tuning.integral is not None and tuning.threshold.operator != TARGET:
        raise InputError(f"{where}: two gains need a target, as in wait=600")
    # A window counts jobs: bounds and step are whole, unless a target moves it by a gain.
    whole = [tuning.low, tuning.high]
    if tuning.threshold.operator != TARGET:
        whole.append(tuning.step)
    if tuning.tunable == "window" and any(not x.is_integer() for x in map(float, whole)):
        raise InputError(f"{where}: a window has a whole number of jobs")
    if tuning.interval < 1:
        raise InputError(f"{where}: the checking interval must be at least a second")
    if tuning.monitor in _OF_ENDS and tuning.argument < 1:
        raise InputError(f"{where}: say over how many jobs, like {tuning.monitor}_50")
    if tuning.monitor not in ("utilization", *_OF_ENDS) and tuning.argument:
        raise InputError(f"{where}: {tuning.monitor} is measured at the check, it takes no number")
    if tuning.back is not None:
        _check_back(where, tuning.threshold, tuning.back)


def _check_back(where: str, threshold: Threshold, back: Threshold) -> None:
    """Raise InputError for a second threshold that does not lie on the other side of the first."""
    if threshold.operator == TARGET:
        raise InputError(f"{where}: feedback control has one target and no second threshold")
    if threshold.operator[0] == back.operator[0]:
        raise InputError(f"{where}: of two thresholds one is an upper and one a lower one")
    upper, lower = (threshold, back) if threshold.operator[0] == ">" else (back, threshold)
    if not (upper.mean or lower.mean) and lower.number > upper.number:
        raise InputError(f"{where}: the lower threshold is above the upper one")
