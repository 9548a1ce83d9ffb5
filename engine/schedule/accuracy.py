"""The accuracy of a site's own schedule: its waits beside those that the log recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule
from engine.trace import Trace
from engine.words import clip, format_seconds, plural

Mask = NDArray[np.bool_]

WEEK = 7 * 86_400

_LEAST_JOBS = 30
"""Jobs of an account that is judged by itself: the mean wait of fewer is mostly chance."""

_LEAST_ACCOUNTS = 3
_PAIRS = 2
"""Pairs of accounts that a sentence names."""

_LEAST_ORDER = 0.5
"""Accounts whose order by mean wait correlates less with the real one have another order."""


@dataclass(frozen=True)
class AccountWait:
    """The recorded and simulated mean waits of an account's jobs, s."""

    name: str
    recorded: float
    simulated: float

    @property
    def off(self) -> float:
        """The difference of the means relative to the recorded mean; infinite if that is 0."""
        if self.recorded > 0:
            return (self.simulated - self.recorded) / self.recorded
        return float("inf") if self.simulated > 0 else 0.0


@dataclass(frozen=True)
class Accuracy:
    """How near the model of a site comes to the record, over `jobs` jobs that were submitted within `span` s.

    `recorded` and `simulated` are mean waits, s; `correlation` is that of waits by rank (Spearman 1904), None
    where all waits are equal; `cycle` is the share of jobs, 0 to 1, that start within one interval of the
    backfiller of their recorded start. `accounts` are those of at least 30 jobs each. If settings of the site
    were fitted to the log (`fitted`), these are jobs that were submitted later. `orders` are the values of
    `order` in further phases of slurmctld's loops, as far as these were simulated.
    """

    recorded: float
    simulated: float
    jobs: int
    span: int
    fitted: bool
    correlation: float | None
    cycle: float
    accounts: tuple[AccountWait, ...]
    orders: tuple[float, ...] = ()

    @property
    def off(self) -> float | None:
        """The difference of the means relative to the recorded mean; None if that is 0."""
        return (self.simulated - self.recorded) / self.recorded if self.recorded > 0 else None

    @property
    def worst(self) -> AccountWait | None:
        """The account whose mean wait is farthest off; None where a single account, or none, is judged."""
        return max(self.accounts, key=lambda account: abs(account.off)) if len(self.accounts) > 1 else None

    @property
    def order(self) -> float | None:
        """The rank correlation of accounts' mean waits; None for fewer than three accounts or equal waits."""
        if len(self.accounts) < _LEAST_ACCOUNTS:
            return None
        # In ms, since ranks are those of whole numbers.
        waits = [
            np.array([round(1000 * getattr(account, name)) for account in self.accounts], np.int64)
            for name in ("recorded", "simulated")
        ]
        return rank_correlation(waits[0], waits[1])

    @property
    def misleading(self) -> bool:
        """True if the accounts have another order than in reality, in each phase: what-ifs mislead then."""
        return self.order is not None and max((self.order, *self.orders)) < _LEAST_ORDER

    @property
    def doubt(self) -> str:
        """Why what-ifs of a model that misleads cannot be believed, after the model's name."""
        order = "unknown" if self.order is None else f"{self.order:.2f}".replace("-", "−")
        accounts = plural(len(self.accounts), "account")
        return f"has accounts in another order than the log (rank correlation {order} of {accounts})"

    @property
    def reversed_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of accounts of which the first waits longer by the log, and the second by the model."""
        return tuple(
            (longer.name, shorter.name)
            for longer in self.accounts
            for shorter in self.accounts
            if longer.recorded > shorter.recorded and longer.simulated < shorter.simulated
        )

    @property
    def brief(self) -> str:
        """A few words for the title of a run."""
        if self.off is None:
            return ""
        return f"model's mean wait {_signed(self.off)}" + _correlated(self.correlation, ", rank correlation")

    @property
    def verdict(self) -> str:
        """A sentence to accompany experiments with this site."""
        fitted = "its delays were fitted to earlier jobs"
        how = fitted if self.fitted else "nothing of it was fitted to this log"
        where = f"over {format_seconds(self.span)} of the log ({plural(self.jobs, 'job')}; {how})"
        if self.off is None:
            waits = format_seconds(round(self.simulated))
            return f"no job waited in reality and the model's mean wait is {waits}, {where}"
        parts = [f"the model's mean wait {_beside(self.off)} the real one"]
        if self.correlation is not None:
            parts.append(_correlated(self.correlation, "the rank correlation of waits is"))
        parts.append(f"{100 * self.cycle:.0f} % of jobs start within a backfill cycle of their real start")
        if self.worst is not None:
            parts.append(f"account {clip(self.worst.name, 40)} is farthest off ({_difference(self.worst)})")
        return ", ".join(parts) + self._reversals() + f"; {where}"

    def _reversals(self) -> str:
        """Where accounts have another order than in reality, in words."""
        if self.misleading:
            return ", and accounts have another order than in reality"
        pairs = [f"{clip(first, 40)} and {clip(second, 40)}" for first, second in self.reversed_pairs]
        if not pairs:
            return ""
        more = f" and {plural(len(pairs) - _PAIRS, 'further pair')}" if len(pairs) > _PAIRS else ""
        return f", accounts {'; '.join(pairs[:_PAIRS])}{more} change places"


def accuracy_of(schedule: Schedule, among: Mask | None = None) -> Accuracy | None:
    """The accuracy of the schedule of a site; None for other policies, and for logs without starts.

    It is judged `among` some jobs, shape (n,), where its rules did not hold for all of them.
    """
    trace, site = schedule.trace, schedule.policy.site
    if site is None or not trace.has_recorded_schedule:
        return None
    jobs: Mask = schedule.ran & (trace.wait >= 0) & (trace.submit >= site.fitted_until)
    if among is not None:
        jobs &= among
    if not jobs.any():
        return None
    submit, recorded, simulated = trace.submit[jobs], trace.wait[jobs], schedule.wait[jobs]
    return Accuracy(
        recorded=float(recorded.mean()),
        simulated=float(simulated.mean()),
        jobs=int(jobs.sum()),
        span=int(submit[-1] - submit[0]),
        fitted=site.fitted_until > 0,
        correlation=rank_correlation(simulated, recorded),
        cycle=float((np.abs(simulated - recorded) <= site.rules(1).bf_interval).mean()),
        accounts=tuple(_account_waits(trace, schedule, jobs)),
    )


def _account_waits(trace: Trace, schedule: Schedule, jobs: Mask) -> list[AccountWait]:
    """The accounts with enough jobs, in the order of their names in the trace."""
    count = np.bincount(trace.group.codes[jobs], minlength=len(trace.group.names))
    waits = []
    for code in np.flatnonzero(count >= _LEAST_JOBS).tolist():
        own = jobs & (trace.group.codes == code)
        waits.append(
            AccountWait(
                trace.group.names[code], float(trace.wait[own].mean()), float(schedule.wait[own].mean())
            )
        )
    return waits


def _difference(account: AccountWait) -> str:
    """How far off an account is: relative to its mean wait, or in s where it did not wait."""
    if account.recorded > 0:
        return _signed(account.off)
    return f"{format_seconds(account.simulated)} where it did not wait"


def _beside(part: float) -> str:
    """How far a mean is from the one that follows, in words."""
    text = f"{100 * abs(part):.1f}"
    return "is as long as" if float(text) == 0.0 else f"is {text} % {'above' if part > 0 else 'below'}"


def _signed(part: float) -> str:
    return f"{100 * part:+.1f} %".replace("-", "−")


def _correlated(correlation: float | None, words: str) -> str:
    return "" if correlation is None else f"{words} {correlation:.2f}".replace("-", "−")
