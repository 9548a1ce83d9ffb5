"""The resource use in a strip of a schedule: used, requested and available resources."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.arrays import Floats
from engine.machine.power import Rates, caps_over_time, power_of
from engine.schedule.schedule import Schedule
from views.text.counts import format_count, plural
from views.text.values import memory, number, power
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.metrics.series import StepSeries, UsageSeries


UsageKind = Literal["cpu", "ram", "gpu", "power", "queue"]

NAMES: dict[UsageKind, str] = {"cpu": "CPU", "ram": "RAM", "gpu": "GPU", "power": "Power", "queue": "Queue"}
"""Names of strips; the strip of GPUs shows another resource if jobs request that instead."""

MOST_SHOWN = 2
"""Requests are drawn up to this multiple of the capacity: a queue of weeks would flatten the use."""

HEADROOM = 1.04
"""Factor of the upper edge relative to the greatest shown value."""


@dataclass(frozen=True, eq=False)
class UsageQuantity:
    """Processors, MiB, GPUs, power, or waiting jobs over time.

    `requested` is the total request of running and waiting jobs; None in the strips of the queue, in which
    `held` counts the waiting jobs and `usage` is their request, and of power, which is in mW. `capacity` is
    the size of the machine; None: unknown or unlimited. `available` is the part of it that is up, if nodes
    fail. `price` is that of energy, where it is given, and `cap` that of the run on power, in mW, or `caps`,
    in kW, where it changes by the clock.
    """

    kind: UsageKind
    usage: UsageSeries
    held: StepSeries
    requested: StepSeries | None
    capacity: int | None
    available: LazyValue[StepSeries] | None = None
    price: Rates | None = None
    cap: int | None = None
    caps: Rates | None = None

    @cached_property
    def whole(self) -> int:
        """The amount that counts as 100 %: the capacity, or the maximum of `held`."""
        return max(self.capacity or self.held.most, 1)

    @cached_property
    def most(self) -> int:
        """The greatest value that is shown: capacity, use, or requests up to MOST_SHOWN."""
        cap = self.cap or self._most_cap
        return max(self.whole, self.held.most, cap, min(self.most_requested, MOST_SHOWN * self.whole))

    @cached_property
    def _most_cap(self) -> int:
        """The greatest cap from the first to the last change, mW; 0 where there is none."""
        if self.caps is None or not len(self.held.time):
            return 0
        known = self.caps.value[self.caps.rows_of(int(self.held.time[0]), int(self.held.time[-1]))]
        return round(1e6 * float(np.nanmax(known, initial=0.0)))

    @cached_property
    def most_requested(self) -> int:
        """The greatest request; 0 in the queue's strip."""
        return self.requested.most if self.requested is not None else 0

    def describe(self, time: float, own: UsageQuantity | None) -> list[str]:
        """The use at a time, and the selected users' `own` part of it; a line each."""
        # Power and waiting jobs have no capacity, so they are told in their own way.
        held = value_at(self.held, time)
        if self.kind == "power":
            return self._describe_power(time, own)
        if self.requested is None:
            lines = [f"waiting: {self._queue(held, time)}"]
            return lines if own is None else [*lines, f"of the selected: {own._queue(own._at(time), time)}"]
        up = self.available.value if self.available is not None else None
        down = 0 if up is None else (self.capacity or 0) - value_at(up, time)
        lines = [f"in use: {self._amount(held, down)}"]
        requested = value_at(self.requested, time)
        if requested != held:
            lines.append(f"requested by running and waiting jobs: {self._amount(requested, down)}")
        if down > 0:
            lines.append(f"down: {self._amount(down)}")
        return lines if own is None else [*lines, f"by the selected: {self._amount(own._at(time))}"]

    def format(self, value: int) -> str:
        """The value with its unit."""
        if self.kind == "power":
            return power(value)
        return memory(value) if self.kind == "ram" else format_count(value)

    @cached_property
    def prices(self) -> tuple[float, float] | None:
        """The least and the greatest price from the first to the last change, both at least 0 apart from it:
        the lower and the upper edge of its line. None without prices there.
        """
        if self.price is None or not len(self.held.time):
            return None
        first, last = int(self.held.time[0]), int(self.held.time[-1])
        known = self.price.value[self.price.rows_of(first, last)]
        known = known[~np.isnan(known)]
        if not len(known):
            return None
        return min(0.0, float(known.min())), max(0.0, float(known.max()))

    def price_levels(self, window: tuple[float, float], width: int) -> Floats | None:
        """The mean price of each of `width` columns of a window, s, as a share of the way from the first to
        the second of `prices`, shape (width,): NaN where it is not known throughout. None without prices.
        """
        if self.price is None or self.prices is None:
            return None
        low, high = self.prices
        return np.asarray((_means(self.price, window, width) - low) / ((high - low) or 1.0))

    def cap_levels(self, window: tuple[float, float], width: int) -> Floats | None:
        """The mean cap of each of `width` columns of a window, s, in mW, shape (width,): NaN where there is
        none for a part of it. None without a cap that changes by the clock.
        """
        return None if self.caps is None else 1e6 * _means(self.caps, window, width)

    def _describe_power(self, time: float, own: UsageQuantity | None) -> list[str]:
        """The power and the price at a time, and the power of the selected users' shares."""
        cap = math.nan if self.caps is None else 1e6 * self.caps.at(time)
        if self.cap is not None:
            cap = self.cap
        capped = "" if math.isnan(cap) else f" of {self.format(round(cap))}, the cap"
        lines = [f"power: {self.format(value_at(self.held, time))}{capped}"]
        if own is not None:
            lines.append(f"of the selected: {self.format(own._at(time))}")
        price = math.nan if self.price is None else self.price.at(time)
        return lines if math.isnan(price) else [*lines, f"price: {number(price)} per kWh"]

    def _at(self, time: float) -> int:
        return value_at(self.held, time)

    def _amount(self, value: int, down: int = 0) -> str:
        """The value, and its share of the capacity less what is down."""
        whole = (self.capacity or 0) - down
        if whole <= 0:
            return self.format(value)
        return f"{self.format(value)} of {self.format(whole)} ({100 * value / whole:.0f} %)"

    def _queue(self, jobs: int, time: float) -> str:
        usage = self.usage
        processors = value_at(usage.requested_processors, time) - value_at(usage.processors, time)
        return f"{plural(jobs, 'job')}, {plural(processors, 'processor')}"


def _means(rates: Rates, window: tuple[float, float], width: int) -> Floats:
    """The mean of a rate in each of `width` columns of a window, s, shape (width,)."""
    edges = np.linspace(*window, width + 1).astype(np.int64)
    first, last = edges[:-1], np.maximum(edges[1:], edges[:-1] + 1)
    return np.asarray(rates.over(first, last) / (last - first))


def quantity_of(kind: UsageKind, schedule: Schedule, usage: UsageSeries) -> UsageQuantity:
    """The part of a schedule's use that the strip shows."""
    # Each kind has its own series and its own limit: fixed, by nodes that are up, or by a cap.
    cluster = schedule.cluster
    if kind == "cpu":
        up = up_of(schedule, 0)
        return UsageQuantity(kind, usage, usage.processors, usage.requested_processors, cluster.cpus, up)
    if kind == "ram":
        up = up_of(schedule, 1) if cluster.ram is not None else None
        return UsageQuantity(kind, usage, usage.ram, usage.requested_ram, cluster.ram, up)
    if kind == "gpu":
        return _of_further(schedule, usage)
    if kind == "power":
        model = power_of(schedule.trace.cluster)
        price, cap = model.price if model else None, schedule.policy.power_cap
        held = UsageQuantity(kind, usage, usage.power, None, None, price=price)
        if isinstance(cap, str):
            return replace(held, caps=caps_over_time(cap, model))
        return held if cap is None else replace(held, cap=round(1e6 * cap))
    return UsageQuantity(kind, usage, usage.waiting, None, None)


def further_of(schedule: Schedule) -> str | None:
    """The resource of the strip of GPUs, where the machine has some of what jobs ask for; else None."""
    from engine.metrics.series import further_resource

    name = further_resource(schedule.trace)
    return name if name in schedule.cluster.further_resources else None


def further_name(schedule: Schedule) -> str:
    """The name of the strip of GPUs."""
    name = further_of(schedule)
    return NAMES["gpu"] if name in (None, "gpu") else str(name)


def _of_further(schedule: Schedule, usage: UsageSeries) -> UsageQuantity:
    name, cluster = further_of(schedule), schedule.cluster
    up = up_of(schedule, cluster.resources.index(name)) if name is not None else None
    total = None if name is None else cluster.total(name)
    return UsageQuantity("gpu", usage, usage.further, usage.requested_further, total, up)


def up_of(schedule: Schedule, resource: int) -> LazyValue[StepSeries] | None:
    """The amount of a resource, a column of the capacity, that is up; None if no node fails. Takes time with
    failures.
    """

    def make() -> StepSeries:
        from engine.metrics.available_capacity import available

        return available(schedule, schedule.cluster.capacity()[:, resource])

    return LazyValue(make) if schedule.cluster.failures is not None else None


def value_at(series: StepSeries, time: float) -> int:
    """The value of a step function at a time."""
    index = bisect_right(series.time, time) - 1
    return int(series.value[index]) if index >= 0 else 0
