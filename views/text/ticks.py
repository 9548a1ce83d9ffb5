"""The ticks of a time axis and their labels: dates, or hours or days since the first submission."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo

from engine.dates import FIRST_UNIX_TIME, LONGEST_LOG
from engine.trace import Trace
from views.raster.time_scale import TimeScale

HOUR, DAY = 3600, 86_400
GAP = 16.0
"""Least room between two labels, in pixels."""

MINOR_GAP = 6.0
"""Least room between two ticks, in pixels."""

_IN_DAYS = 3 * DAY
"""Longest axis with labels between days, in s."""

_SINCE = "since the first submission"

_WIDE_DAY = datetime(2004, 9, 29)  # its name is about as long as any

TextWidth = Callable[[str], float]
"""The width of a text, in pixels."""


@dataclass(frozen=True)
class Tick:
    """A mark on the axis. `label` is empty for a mark between labelled marks.

    `boundary`: a larger unit begins here, such as a day among hours.
    """

    time: float
    label: str = ""
    boundary: bool = False


@dataclass(frozen=True)
class Stretch:
    """A part of the axis within one larger unit, such as a day, from `time` on, and its name."""

    time: float
    text: str


@dataclass(frozen=True)
class AxisTicks:
    """The marks along an axis: ticks in order of time, and the larger units below them."""

    ticks: tuple[Tick, ...]
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True)
class _Step:
    """A tick every `amount` units, `seconds` apart or nearly, and a smaller tick between them.

    `label` is in strftime's notation, where %-d is 3 for the 3rd.
    """

    unit: str
    amount: int
    seconds: float
    label: str
    larger: _Larger
    minor: tuple[str, int]


@dataclass(frozen=True)
class _Larger:
    """Larger unit shown below the ticks; an empty `label`: none."""

    label: str
    months: int  # 0: a day
    seconds: float

    def of(self, wall: datetime) -> object:
        """The unit that contains a moment, as a key to compare."""
        return wall.year if self.months == 12 else (wall.year, wall.month, 0 if self.months else wall.day)


_SECONDS = {"second": 1, "day": DAY, "week": 7 * DAY, "half": 14 * DAY, "month": 30 * DAY}
_FIRST_SECOND, _LAST_SECOND = -62_000_000_000, 253_300_000_000

_DATE = "%a %-d %b %Y"
_IN_DAY = _Larger(_DATE, 0, DAY)
_IN_MONTH = _Larger("%B %Y", 1, 28 * DAY)
_IN_YEAR = _Larger("%Y", 12, 365 * DAY)
_IN_NONE = _Larger("", 12, 1e12)

_CLOCK_STEPS = (
    *((n, m) for n, m in ((1, 1), (2, 1), (5, 1), (10, 2), (15, 5), (30, 10))),
    *((60 * n, 60 * m) for n, m in ((1, 0.25), (2, 0.5), (5, 1), (10, 2), (15, 5), (30, 10))),
    *((HOUR * n, HOUR * m) for n, m in ((1, 0.25), (2, 0.5), (3, 1), (6, 1), (12, 3))),
)
"""Steps within a day and their smaller steps, in seconds."""

_STEPS = (
    *(
        _Step("second", n, n, "%H:%M:%S" if n < 60 else "%H:%M", _IN_DAY, ("second", int(m)))
        for n, m in _CLOCK_STEPS
    ),
    _Step("day", 1, DAY, "%a %-d", _IN_MONTH, ("second", 6 * HOUR)),
    _Step("day", 2, 2 * DAY, "%-d", _IN_MONTH, ("day", 1)),
    _Step("week", 1, 7 * DAY, "%-d %b", _IN_YEAR, ("day", 1)),
    _Step("half", 1, 14 * DAY, "%-d %b", _IN_YEAR, ("day", 2)),
    _Step("month", 1, 28 * DAY, "%b", _IN_YEAR, ("half", 1)),
    _Step("month", 3, 90 * DAY, "%b", _IN_YEAR, ("month", 1)),
    _Step("month", 6, 181 * DAY, "%b", _IN_YEAR, ("month", 1)),
    *(
        _Step("month", 12 * n, 365 * n * DAY, "%Y", _IN_NONE, ("month", m))
        for n, m in ((1, 3), (2, 6), (5, 12), (10, 24), (20, 60), (50, 120), (100, 240))
    ),
)


@dataclass(frozen=True)
class Calendar:
    """Times as dates in a time zone. `zero` is the Unix time of the trace's zero."""

    zero: int
    timezone: str

    @cached_property
    def _zone(self) -> tzinfo:
        return _zone_of(self.timezone) or UTC

    @property
    def name(self) -> str:
        """The zone of displayed times: UTC if the trace's own is unknown."""
        return self.timezone if _zone_of(self.timezone) else "UTC"

    def format(self, time: float) -> str:
        """A time in full, to the second."""
        return _format_date(self._wall(time), _DATE + " %H:%M:%S")

    def axis(self, scale: TimeScale, width: TextWidth) -> AxisTicks:
        """The finest labels that do not overlap, and the ticks between them."""
        ticks: list[Tick] = []  # none at all over ages that no calendar spans
        # The steps are ordered from fine to coarse. The first two tests are cheap and rule most of them out
        # by typical widths; what then remains is measured with its own labels.
        for step in _STEPS:
            pixels, larger = (s / scale.seconds_per_pixel for s in (step.seconds, step.larger.seconds))
            if pixels < width(_format_date(_WIDE_DAY, step.label)) + GAP:
                continue
            if larger < width(_format_date(_WIDE_DAY, step.larger.label)) + GAP:
                continue
            ticks = self._labelled(step, scale)
            if _apart(ticks, scale, width):
                break
        # Where no step fitted, `step` is the last and coarsest step, with the ticks that it has.
        ticks += self._between(step, ticks, scale)
        return AxisTicks(
            tuple(sorted(ticks, key=lambda tick: tick.time)), self._stretches(step.larger, scale)
        )

    def _labelled(self, step: _Step, scale: TimeScale) -> list[Tick]:
        # The unit just before the axis: a tick at its very first second can then begin a day, too.
        before = step.larger.of(self._wall(scale.start - 1))
        ticks = []
        for time in self._times(step.unit, step.amount, scale):
            wall = self._wall(time)
            ticks.append(Tick(time, _format_date(wall, step.label), step.larger.of(wall) != before))
            before = step.larger.of(wall)
        return ticks

    def _between(self, step: _Step, labelled: list[Tick], scale: TimeScale) -> list[Tick]:
        """Ticks without labels, where they would not form a solid line."""
        unit, amount = step.minor
        if _SECONDS[unit] * amount / scale.seconds_per_pixel < MINOR_GAP:
            return []
        taken = {tick.time for tick in labelled}
        return [Tick(time) for time in self._times(unit, amount, scale) if time not in taken]

    def _stretches(self, larger: _Larger, scale: TimeScale) -> tuple[Stretch, ...]:
        # Ticks that are years have no larger unit.
        if not larger.label:
            return ()
        unit, amount = ("month", larger.months) if larger.months else ("day", 1)
        # The axis begins within a unit: its name stands at the left edge all the same.
        starts = [scale.start, *(time for time in self._times(unit, amount, scale) if time > scale.start)]
        return tuple(Stretch(time, _format_date(self._wall(time), larger.label)) for time in starts)

    def _times(self, unit: str, amount: int, scale: TimeScale) -> list[float]:
        """Full units by the clock on the wall, ascending strictly: clocks may be put back or forward."""
        times: list[float] = []
        for wall in _walls(unit, amount, self._wall(scale.start), self._wall(scale.end)):
            # A repeated hour has the time of its first pass; an hour that clocks skip would come twice.
            time = wall.replace(tzinfo=self._zone).timestamp() - self.zero
            if scale.start <= time <= scale.end and (not times or time > times[-1]):
                times.append(time)
        return times

    def _wall(self, time: float) -> datetime:
        """Local time to the second; calendars end with the year 9998."""
        unix = min(max(int(self.zero + time // 1), _FIRST_SECOND), _LAST_SECOND)
        return datetime.fromtimestamp(unix, self._zone).replace(tzinfo=None)


@dataclass(frozen=True)
class Hours:
    """Times since the first submission, at `first` s: hours on the first day, and days with hours after it.

    An axis of over three days has labels for days alone.
    """

    first: int

    name = "elapsed"

    def format(self, time: float) -> str:
        """A time in full, to the second: `2:13:05 h`, from a day on `5 d 1:31:27`."""
        sign = "-" if time < self.first else ""
        days, seconds = divmod(abs(int((time - self.first) // 1)), DAY)
        clock = f"{seconds // HOUR}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        return f"{sign}{days} d {clock}" if days else f"{sign}{clock} h"

    def axis(self, scale: TimeScale, width: TextWidth) -> AxisTicks:
        """The finest labels that do not overlap, and the ticks between them."""
        # Over three days hours cannot be read; below that the day stands under the axis, once there is a
        # second day.
        by_day = scale.end - scale.start > _IN_DAYS
        with_days = not by_day and scale.end - self.first > DAY
        for step, smaller in _hour_steps():  # never ends
            if by_day and step < DAY:
                continue
            # Not even a single digit fits: its labels need not be measured.
            if step / scale.seconds_per_pixel < width("0") + GAP:
                continue
            # From a step of a whole day on, labels count days themselves.
            with_days &= step < DAY
            ticks = [self._tick(time, step, with_days) for time in self._times(step, scale)]
            if _apart(ticks, scale, width):
                if smaller / scale.seconds_per_pixel >= MINOR_GAP:
                    taken = {tick.time for tick in ticks}
                    ticks += (Tick(time) for time in self._times(smaller, scale) if time not in taken)
                if with_days:
                    stretches = self._days(scale, width)
                else:
                    unit = "days" if step % DAY == 0 else "hours"
                    stretches = (Stretch(scale.start, f"{unit} {_SINCE}"),)
                return AxisTicks(tuple(sorted(ticks, key=lambda tick: tick.time)), stretches)
        raise AssertionError("steps grow for ever")

    def _days(self, scale: TimeScale, width: TextWidth) -> tuple[Stretch, ...]:
        """The days in sight, counted from 0 as in `format`; the first with enough room explains the count."""
        starts = [time for time in self._times(DAY, scale) if time >= self.first]
        # Before the first whole day in sight lies the rest of another, or the time before the first
        # submission.
        if not starts or starts[0] > scale.start:
            starts.insert(0, scale.start)
        stretches, explained = [], False
        for start, end in zip(starts, [*starts[1:], scale.end], strict=True):
            text = f"{int((start - self.first) // DAY)} d" if start >= self.first else "before"
            longer = f"{text} {_SINCE if start >= self.first else 'the first submission'}"
            room = (end - start) / scale.seconds_per_pixel
            if not explained and width(longer) + GAP <= room:
                text, explained = longer, start >= self.first
            stretches.append(Stretch(start, text))
        return tuple(stretches)

    def _times(self, step: int, scale: TimeScale) -> list[float]:
        """Multiples of the step after the first submission, within the scale."""
        # A division that is rounded up: the first multiple at the start of the scale or after it.
        first = -int((self.first - scale.start) // step)
        last = int((scale.end - self.first) // step)
        return [float(self.first + k * step) for k in range(first, last + 1)]

    def _tick(self, time: float, step: int, with_days: bool) -> Tick:
        """A tick and its label: with `with_days` the time of a day, as the days are named below."""
        seconds = round(time - self.first)
        # Whole hours or days are a plain number, whose unit stands below the axis.
        if step % HOUR == 0 and not with_days:
            return Tick(time, f"{seconds // (DAY if step % DAY == 0 else HOUR):,}".replace(",", "\u202f"))
        sign, seconds = "-" if seconds < 0 else "", abs(seconds)
        boundary = with_days and not sign and seconds % DAY == 0
        if with_days and not sign:
            seconds %= DAY
        minutes = f"{sign}{seconds // HOUR}:{seconds // 60 % 60:02d}"
        return Tick(time, minutes if step % 60 == 0 else f"{minutes}:{seconds % 60:02d}", boundary)


TimeAxis = Calendar | Hours


def axis_of(trace: Trace, hours: bool = False) -> TimeAxis:
    """The time axis of a trace: dates, or hours if chosen or if the trace has no date.

    A log may have jobs of 1970 besides later jobs: it has dates if its last time is too large for a duration.
    """
    first, last = (int(trace.submit[0]), int(trace.submit[-1])) if len(trace) else (0, 0)
    dated = trace.zero + first > FIRST_UNIX_TIME or trace.zero + last > LONGEST_LOG
    if hours or not dated or trace.zero + first >= _LAST_SECOND:
        return Hours(first)
    return Calendar(trace.zero, trace.timezone)


def _hour_steps() -> Iterator[tuple[int, int]]:
    """Steps of an hour axis in seconds, each with its smaller step."""
    for step, smaller in _CLOCK_STEPS:
        yield step, int(smaller)
    for days, smaller in ((1, 0.25), (2, 0.5), (5, 1)):
        yield days * DAY, int(smaller * DAY)
    size = 10 * DAY
    while True:
        yield size, size // 5
        yield 2 * size, size // 2
        yield 5 * size, size
        size *= 10


def _walls(unit: str, amount: int, start: datetime, end: datetime) -> Iterator[datetime]:
    """Full units from at or before `start` to `end`, by the clock on the wall."""
    midnight = start.replace(hour=0, minute=0, second=0)
    if unit == "second":
        wall = midnight + (start - midnight) // timedelta(seconds=amount) * timedelta(seconds=amount)
    elif unit == "week":
        wall = midnight - timedelta(days=midnight.weekday())
    elif unit == "month":
        wall = midnight.replace(day=1)
        months = (wall.year * 12 + wall.month - 1) // amount * amount
        wall = wall.replace(year=max(months // 12, 1), month=months % 12 + 1)
    else:
        wall = midnight.replace(day=1)
    # The last years of the calendar have no following unit: there the ticks end.
    while wall <= end:
        yield wall
        try:
            wall = _next(wall, unit, amount)
        except (OverflowError, ValueError):
            return


def _next(wall: datetime, unit: str, amount: int) -> datetime:
    if unit == "second":
        # All steps within a day divide it, so that midnight is among their times.
        return wall + timedelta(seconds=amount)
    if unit == "week":
        return wall + timedelta(days=7 * amount)
    if unit == "month":
        months = wall.year * 12 + wall.month - 1 + amount
        return wall.replace(year=months // 12, month=months % 12 + 1)
    first = (wall.replace(day=1) + timedelta(days=32)).replace(day=1)
    if unit == "half":
        return wall.replace(day=15) if wall.day < 15 else first
    following = wall + timedelta(days=amount)
    crowded = first - following < timedelta(days=amount) and amount > 1
    return first if crowded or following > first else following


def _apart(ticks: list[Tick], scale: TimeScale, width: TextWidth) -> bool:
    """True if the labels, centred on their ticks, keep their distance."""
    right = -1e18
    for tick in ticks:
        x, half = scale.x(tick.time), width(tick.label) / 2
        if x - half < right + GAP:
            return False
        right = x + half
    return True


def _format_date(wall: datetime, form: str) -> str:
    """strftime, with %-d for the day without a zero on every system."""
    return wall.strftime(form.replace("%-d", str(wall.day)))


def _zone_of(name: str) -> tzinfo | None:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
