"""Quantities of jobs, such as wait or RAM, and the reasons why their values may be missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Mask
from engine.policy.names import VALUE_ORDERS
from engine.quantities.node_sets import NodeSets
from engine.schedule.schedule import NO_LOG, Schedule
from engine.trace import Names, Trace
from engine.trace.columns import EVERYWHERE, ShownIn
from engine.words import in_sentence

Values = NDArray[Any] | Names | NodeSets

Unit = Literal[
    "name",
    "count",
    "MiB",
    "s",
    "time",
    "processor-s",
    "ratio",
    "%",
    "% used",
    "s/processor-s",
    "value",
    "J",
    "g",
]
"""The units of values: `time` is s from the trace's zero, `value` the currency of users' valuations,
`% used` is in % of a job's allocation and may exceed 100. `views.text.units` has words for each."""


@dataclass(frozen=True, eq=False)
class Jobs:
    """The jobs of a trace and, if known, their outcome under a schedule.

    `tardiness`, shape (n,), is the delay of each end after its expected end, in seconds, and `eet` that
    expected end, s; `baseline` is another schedule of the trace for comparing starts, with the name
    `baseline_name`. `penalty` weighs the use of CPUs and RAM, independent of the policy's own penalty, so
    that runs can be compared.
    """

    trace: Trace
    schedule: Schedule | None = None
    tardiness: NDArray[np.int64] | None = None
    baseline: Schedule | None = None
    eet: NDArray[np.int64] | None = None
    penalty: str = "max"
    baseline_name: str = ""

    def __len__(self) -> int:
        return len(self.trace)

    @property
    def known_schedule(self) -> Schedule:
        """The schedule, for quantities with `Need.RUN`, which are computed only with a schedule."""
        assert self.schedule is not None
        return self.schedule


@dataclass(frozen=True)
class Missing:
    """In place of values: they were not computed, for this reason."""

    reason: str

    def __str__(self) -> str:
        return f"not computed: {self.reason}"


class Need(Enum):
    """Data besides the trace that a quantity is computed from; its value is the message if they are
    missing.
    """

    RUN = "no run"  # in which the job ran: other jobs have no value
    ESTIMATES = "no estimates"
    EXPECTED_ENDS = "no expected ends"
    EXPECTED_TIMES = "no expected end times"
    BASELINE = "no run to compare with"
    DECISIONS = "no decision log"
    PREDICTIONS = "no predicted starts"
    FAIR_STARTS = "no fair start times"
    FAILURES = "no node fails"
    PREEMPTION = "the policy preempts nobody"
    SOLD = "the policy sells nothing"

    @property
    def of_log(self) -> bool:
        """False: it differs between runs."""
        return False

    def met(self, jobs: Jobs) -> bool:
        """True if the data are available."""
        run = jobs.schedule
        if run is None:
            return False
        match self:
            case Need.RUN:
                return True
            case Need.ESTIMATES:  # `recorded` has none: logs do not contain their scheduler's estimates
                return run.estimate is not None
            case Need.EXPECTED_ENDS:
                return jobs.tardiness is not None
            case Need.EXPECTED_TIMES:
                return jobs.eet is not None
            case Need.BASELINE:
                return jobs.baseline is not None
            case Need.DECISIONS:  # a schedule in which no job waits has an empty log
                return run.log is not NO_LOG or not bool((run.wait > 0).any())
            case Need.PREDICTIONS:  # a policy without reservations does not predict starts
                reserves = not run.policy.recorded and run.policy.depth not in ("stop", 0)
                return reserves and Need.DECISIONS.met(jobs)
            case Need.FAIR_STARTS:
                return run.fair_start is not None
            case Need.FAILURES:
                return run.cluster.failures is not None
            case Need.PREEMPTION:
                return run.cancelled_for is not None
            case Need.SOLD:
                return run.policy.order in VALUE_ORDERS
            case _:
                raise AssertionError(self)


class LogNeed(NamedTuple):
    """Data that only some logs have, and so the same for every run; `value` is the message if they are
    missing.
    """

    value: str
    there: Callable[[Trace], bool]
    of_log: bool = True

    def met(self, jobs: Jobs) -> bool:
        """True if the log has the data."""
        return self.there(jobs.trace)


class QuantityName(NamedTuple):
    """The names of a quantity in some place: for programs and files, and for people."""

    name: str
    title: str


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity of jobs.

    `text` is the definition in words, `formula` in symbols, from its `source`. `of` returns a value for each
    job, shape (n,), if all its `needs` are met, with arbitrary values for jobs that were not run; Missing
    where a user's own code fails. The value
    of a group is their mean or sum; with an `over`, the sum of `of` divided by the sum of `over`, at least 1,
    and likewise for a job. Values `of_groups` have no meaning for a single job, those `of_users` only for
    users. `called` has the places where it has other names.
    """

    name: str
    title: str
    unit: Unit
    text: str
    of: Callable[[Jobs], Values | Missing]
    needs: tuple[Need | LogNeed, ...] = ()
    formula: str = ""
    source: str = ""
    combine: Literal["mean", "sum"] = "mean"
    over: Callable[[Jobs], Floats] | None = None
    of_groups: bool = False
    of_users: bool = False
    shown: frozenset[ShownIn] = EVERYWHERE
    called: Mapping[ShownIn, QuantityName] = field(default_factory=dict)

    @property
    def of_log(self) -> bool:
        """True if it is the same under every run, because it depends on the log alone."""
        return all(need.of_log for need in self.needs)

    @property
    def needs_log(self) -> bool:
        """True if only some logs have it."""
        return any(need.of_log for need in self.needs)

    def available_in(self, trace: Trace) -> bool:
        """True if the log of a trace has the required data; runs may still lack some."""
        jobs = Jobs(trace)
        return all(need.met(jobs) for need in self.needs if need.of_log)

    def missing(self, jobs: Jobs) -> Missing | None:
        """The reason why there are no values; None if there are any."""
        return next((Missing(need.value) for need in self.needs if not need.met(jobs)), None)

    def values(self, jobs: Jobs) -> Values | Missing:
        """A value for each job, shape (n,), NaN if missing; or a name for each job, or its nodes."""
        values = self.of_run(jobs)
        if not isinstance(values, np.ndarray) or Need.RUN not in self.needs:
            return values
        return np.where(jobs.known_schedule.ran, values, np.nan)

    def of_run(self, jobs: Jobs) -> Values | Missing:
        """Like `values`, but integers stay integers, and entries of jobs that were not run are undefined."""
        missing = self.missing(jobs)
        if missing is not None:
            return missing
        values = self.of(jobs)
        if self.over is None or isinstance(values, Names | NodeSets | Missing):
            return values
        return np.asarray(values / np.maximum(self.over(jobs), 1.0))

    def of_each(self, jobs: Jobs, chosen: Mask, groups: Names) -> Floats | Missing:
        """A value for each group, shape (groups,), of the chosen jobs (shape (n,), all run) with a value.

        The sum of no jobs is 0, the mean NaN; the sum of a quantity that only some logs have is NaN, too.
        """
        missing = self.missing(jobs)
        if missing is not None:
            return missing
        own = self.of(jobs)
        if isinstance(own, Missing):
            return own
        assert not isinstance(own, Names | NodeSets)
        chosen = chosen & ~np.isnan(own)
        code, size = groups.codes[chosen], len(groups.names)

        def total(values: NDArray[Any]) -> Floats:
            # `bincount` of no rows gives integers.
            return np.bincount(code, values[chosen], size).astype(np.float64)

        sums, count = total(own), np.bincount(code, minlength=size)
        if self.combine == "sum":
            return np.where(count > 0, sums, np.nan) if self.needs_log else sums
        parts = count if self.over is None else np.maximum(total(self.over(jobs)), 1.0)
        return np.asarray(sums / np.where(count > 0, parts, np.nan))

    def offer(self, place: ShownIn) -> QuantityName:
        """The name and title in that place. For groups it is a mean, unless it is a sum."""
        if place in self.called:
            return self.called[place]
        if place in ("table", "groups") and self.combine == "mean":
            return QuantityName(f"{self.name}_mean", self.group_title)
        return QuantityName(self.name, self.title)

    @property
    def group_title(self) -> str:
        """The title of the value of a group."""
        mean = self.combine == "mean" and self.over is None and not self.of_groups
        return f"Mean {in_sentence(self.title)}" if mean else self.title
