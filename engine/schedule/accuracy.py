"""The accuracy of a site's own schedule: its waits beside those that the log recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Mask
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.phases import PhaseRelation
from engine.claims.twins import TwinRelation
from engine.claims.words import TextSpan, plain, render
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import Schedule
from engine.trace import Trace
from engine.words import clip

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
class TwinAccuracy:
    """How near the model of a site comes to the record, over `jobs` jobs that were submitted within `span` s.

    `recorded` and `simulated` are mean waits, s; `correlation` is that of waits by rank (Spearman 1904), None
    where all waits are equal; `cycle` is the share of jobs, 0 to 1, that start within one interval of the
    backfiller of their recorded start. `accounts` are those of at least 30 jobs each. If settings of the site
    were fitted to the log (`fitted`), these are jobs that were submitted later. `orders` are the values of
    `order` in further phases of slurmctld's loops, as far as these were simulated. The first of the jobs was
    submitted at `begin`, s from the trace's zero.
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
    begin: int = 0

    @property
    def off(self) -> float | None:
        """The difference of the means relative to the recorded mean; None if that is 0."""
        return (self.simulated - self.recorded) / self.recorded if self.recorded > 0 else None

    @property
    def worst(self) -> AccountWait | None:
        """The account whose mean wait is farthest off; None where a single account, or none, is judged."""
        if len(self.accounts) < 2:
            return None
        # Accounts that did not wait are off without bounds: that with the longest simulated wait counts.
        return max(self.accounts, key=lambda account: (abs(account.off), account.simulated))

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

    def doubt(self, model: str) -> Claim:
        """Why what-ifs of a `model` by this name, which misleads, cannot be believed. Raises ValueError where
        the order of accounts is not known.
        """
        if self.order is None:
            raise ValueError("without an order of accounts a model does not mislead")
        quantities = (
            ClaimQuantity("correlation", self.order, Unit.CORRELATION),
            ClaimQuantity("accounts", len(self.accounts), Unit.ACCOUNTS),
        )
        claim = self._claim(TwinRelation.ANOTHER_ORDER, quantities)
        return replace(claim, subject=replace(_MODEL, name=model), relation=PhaseRelation.OTHER_ORDER)

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
        return plain(self.spans)

    @property
    def spans(self) -> tuple[TextSpan, ...]:
        """The sentence with what its parts say."""
        first, *parts, over = (render(claim) for claim in self.claims)
        told = [*first, *(span for part in parts for span in (TextSpan(", "), *part))]
        return (*told, TextSpan(", " if self.off is None else "; "), *over)

    @property
    def population(self) -> Population:
        """The jobs over which the model is judged."""
        return Population(self.jobs, self.begin, self.begin + self.span)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the sentence claims: of the mean wait first, and of the compared jobs last."""
        return (*self._compared(), self._over())

    def _compared(self) -> Iterator[Claim]:
        if self.off is None:
            wait = ClaimQuantity("wait", round(self.simulated), Unit.SECONDS)
            yield self._claim(TwinRelation.NO_REAL_WAIT, [wait])
            return
        off = ClaimQuantity("off", 100 * abs(self.off), Unit.TENTHS)
        if off.value < _LEAST_OFF:
            yield self._claim(TwinRelation.AS_LONG)
        else:
            yield self._claim(TwinRelation.LONGER if self.off > 0 else TwinRelation.SHORTER, [off])
        if self.correlation is not None:
            correlation = ClaimQuantity("correlation", self.correlation, Unit.CORRELATION)
            yield self._claim(TwinRelation.CORRELATED, [correlation])
        yield self._claim(TwinRelation.IN_CYCLE, [ClaimQuantity("share", 100 * self.cycle, Unit.PERCENT)])
        if self.worst is not None:
            yield self._worst(self.worst)
        # Where the order as a whole is another, single pairs tell no more.
        if self.misleading:
            yield self._claim(TwinRelation.ANOTHER_ORDER)
        elif self.reversed_pairs:
            yield self._reversed(self.reversed_pairs)

    def _worst(self, account: AccountWait) -> Claim:
        """How far off an account is: relative to its mean wait, or in s where it did not wait."""
        place = ClaimPlace("accounts", self.accounts.index(account))
        named = NamedThing("account", clip(account.name, 40), place)
        if account.recorded > 0:
            off = ClaimQuantity("off", 100 * account.off, Unit.CHANGE, place)
            return self._claim(TwinRelation.WORST_ACCOUNT, [off], [named])
        wait = ClaimQuantity("wait", account.simulated, Unit.SECONDS, place)
        return self._claim(TwinRelation.WORST_OF_NO_WAIT, [wait], [named])

    def _reversed(self, pairs: Sequence[tuple[str, str]]) -> Claim:
        """Which accounts have another order than in reality."""
        texts = [f"{clip(first, 40)} and {clip(second, 40)}" for first, second in pairs[:_PAIRS]]
        named = NamedThing("pairs", "; ".join(texts), _MODEL.place)
        if len(pairs) <= _PAIRS:
            return self._claim(TwinRelation.REVERSED, (), [named])
        more = ClaimQuantity("more", len(pairs) - _PAIRS, Unit.FURTHER_PAIRS)
        return self._claim(TwinRelation.REVERSED_MORE, [more], [named])

    def _over(self) -> Claim:
        quantities = [
            ClaimQuantity("span", self.span, Unit.SECONDS),
            ClaimQuantity("jobs", self.jobs, Unit.JOBS),
        ]
        return self._claim(TwinRelation.OVER_LATER if self.fitted else TwinRelation.OVER, quantities)

    def _claim(
        self,
        relation: TwinRelation,
        quantities: Sequence[ClaimQuantity] = (),
        about: Sequence[NamedThing] = (),
    ) -> Claim:
        evidence = (_MODEL.place, *(each.place for each in about if each.place != _MODEL.place))
        return Claim(_MODEL, relation, tuple(quantities), tuple(about), self.population, evidence)


_MODEL = NamedThing("subject", "the model", ClaimPlace("runs", 0))

_LEAST_OFF = 0.05
"""The difference of means that is shown, in %."""


def accuracy_of(schedule: Schedule, among: Mask | None = None) -> TwinAccuracy | None:
    """The accuracy of the schedule of a site; None for other policies, and for logs without starts.

    It is judged `among` some jobs, shape (n,), where its rules did not hold for all of them.
    """
    trace, site = schedule.trace, schedule.policy.site
    if site is None or not trace.has_recorded_schedule:
        return None
    # Jobs on which the site was fitted would flatter it: only later jobs are judged.
    jobs: Mask = schedule.ran & (trace.wait >= 0) & (trace.submit >= site.fitted_until)
    if among is not None:
        jobs &= among
    if not jobs.any():
        return None
    submit, recorded, simulated = trace.submit[jobs], trace.wait[jobs], schedule.wait[jobs]
    return TwinAccuracy(
        recorded=float(recorded.mean()),
        simulated=float(simulated.mean()),
        jobs=int(jobs.sum()),
        span=int(submit[-1] - submit[0]),
        fitted=site.fitted_until > 0,
        correlation=rank_correlation(simulated, recorded),
        # Starts within a cycle of the backfill scheduler are as near as Slurm's own decisions are.
        cycle=float((np.abs(simulated - recorded) <= site.rules(1).bf_interval).mean()),
        accounts=tuple(_account_waits(trace, schedule, jobs)),
        begin=int(submit[0]),
    )


def _account_waits(trace: Trace, schedule: Schedule, jobs: Mask) -> list[AccountWait]:
    """The accounts with enough jobs, in the order of their names in the trace."""
    # Few jobs have no meaningful mean.
    count = np.bincount(trace.group.codes[jobs], minlength=len(trace.group.names))
    waits = []
    for code in np.flatnonzero(count >= _LEAST_JOBS).tolist():
        of_account = jobs & (trace.group.codes == code)
        waits.append(
            AccountWait(
                trace.group.names[code],
                float(trace.wait[of_account].mean()),
                float(schedule.wait[of_account].mean()),
            )
        )
    return waits


def _signed(part: float) -> str:
    return f"{100 * part:+.1f} %".replace("-", "−")


def _correlated(correlation: float | None, words: str) -> str:
    return "" if correlation is None else f"{words} {correlation:.2f}".replace("-", "−")
