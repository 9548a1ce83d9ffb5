"""The search itself: policies are tried on the first span of a trace, the best are judged on the rest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.fairness.shares import Share
from engine.machine.cluster import Cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import Evaluation, evaluate
from engine.policy.policy import Policy
from engine.search.question import WORST_USER, Bound, Facts, Objective, facts_of
from engine.search.space import Dimension, policy_of
from engine.search.weeks import Advantage, advantage
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.trace import Trace
from engine.trace.transform import select

if TYPE_CHECKING:
    import optuna

SEARCHED = 2 / 3
"""The part of the trace's time that the search sees."""

WARM_UP = 0.1
"""The part of a span that is simulated and not measured: the machine is empty as it begins."""

POPULATION = 20
FEWEST_JOBS = 50
_POLL_S = 0.05


@dataclass(frozen=True)
class Question:
    """Which keys of `base` are varied for which objectives, under which bounds, against which policy."""

    base: Policy
    space: tuple[Dimension, ...]
    objectives: tuple[Objective, ...]
    bounds: tuple[Bound, ...]
    baseline: Policy

    @property
    def metrics(self) -> tuple[str, ...]:
        """All that are asked for, each once."""
        wanted = [one.metric for one in self.objectives] + [one.metric for one in self.bounds]
        return tuple(dict.fromkeys(wanted))


@dataclass(frozen=True)
class Trial:
    """A policy with what it came to on the searched span; `kept` says whether it keeps all bounds there."""

    policy: Policy
    values: dict[str, float | None]
    kept: bool


@dataclass(frozen=True)
class Judged:
    """A policy of the front with its metrics on the searched span, and on the one that no trial saw."""

    trial: Trial
    values: dict[str, float | None]
    kept: bool


@dataclass(frozen=True)
class Answer:
    """What a search came to.

    `trials` are all policies that were tried, each once; `front` those that none of them beats in all
    objectives, the best by the first objective first. `advantages` are of the first of the front against the
    baseline on the judged span, one an objective. `baseline` has the values of that policy on both spans.
    """

    trials: tuple[Trial, ...]
    front: tuple[Judged, ...]
    baseline: Judged
    advantages: tuple[Advantage | None, ...]

    def shown(self, objectives: Sequence[Objective]) -> bool:
        """Whether the first of the front is better than the baseline in the first objective, not by luck."""
        if not self.front or not self.front[0].kept or self.advantages[0] is None:
            return False
        found = self.advantages[0]
        return found.low > 0.0 if objectives[0].large else found.high < 0.0


def search(
    trace: Trace,
    cluster: Cluster,
    question: Question,
    *,
    share: Share | None = None,
    trials: int = 200,
    seed: int = 0,
    control: Control | None = None,
    tell: Callable[[float], None] = lambda done: None,
    threads: int | None = None,
) -> Answer:
    """The policies that do best: a random population, then its offspring (NSGA-II, Deb et al. 2002).

    The same seed gives the same answer, on however many threads. `tell` hears which part is done, 0 to 1, in
    the caller's thread. Raises Cancelled, and InputError where a span has too few jobs.
    """
    control, share = control or Control(), share or Share()
    first, rest = split(trace)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        searched = _Span(first, cluster, question, share, pool, control)
        tried = _tried(searched, question, trials, seed, lambda done: tell(0.9 * done))
        front = _front(tried, question.objectives)
        judged = _Span(rest, cluster, question, share, pool, control)
        found = judged.measure([trial.policy for trial in front])
        told = [
            Judged(trial, _values(facts, question), _kept(facts, judged.baseline, question))
            for trial, facts in zip(front, found, strict=True)
            if facts is not None
        ]
        base = Trial(
            question.baseline,
            _values(searched.baseline, question),
            _kept(searched.baseline, searched.baseline, question),
        )
        own = Judged(
            base,
            _values(judged.baseline, question),
            _kept(judged.baseline, judged.baseline, question),
        )
        advantages = judged.advantages(told[0].trial.policy, question, seed) if told else ()
    tell(1.0)
    return Answer(tuple(tried), tuple(told), own, advantages)


def split(trace: Trace) -> tuple[Trace, Trace]:
    """The jobs of the first SEARCHED of the trace's time, and the others. Raises InputError."""
    begin, end = int(trace.submit[0]), int(trace.submit[-1])
    border = begin + int(SEARCHED * (end - begin))
    first = int(np.searchsorted(trace.submit, border))
    if min(first, len(trace) - first) < FEWEST_JOBS:
        raise InputError(
            f"{trace.name}: a search cuts a trace into two spans, and needs {FEWEST_JOBS} jobs in each"
        )
    return select(trace, end=border), select(trace, start=border)


class _Span:
    """Part of a trace, simulated whole from an empty machine and measured without its warm-up."""

    def __init__(
        self,
        trace: Trace,
        cluster: Cluster,
        question: Question,
        share: Share,
        pool: ThreadPoolExecutor,
        control: Control,
    ) -> None:
        self._trace, self._cluster, self._share, self._pool, self._control = (
            trace,
            cluster,
            share,
            pool,
            control,
        )
        begin, end = int(trace.submit[0]), int(trace.submit[-1])
        self._measured = trace.submit >= begin + int(WARM_UP * (end - begin))
        self._extra = [name for name in question.metrics if name not in METRICS and name != WORST_USER]
        self._reference = reference_schedule(trace, cluster, control=control)
        self._known: tuple[Evaluation, ...] = ()
        self._own = self._evaluated(question.baseline, control)
        self._known = (self._own,)  # whose shares hold for all
        self.baseline = facts_of(self._own, self._own)

    def measure(self, policies: Sequence[Policy]) -> list[Facts | None]:
        """The metrics of each policy; None where one does not fit the trace. Raises Cancelled."""
        if self._control.cancelled:
            raise Cancelled
        controls = [Control() for _ in policies]
        futures = [
            self._pool.submit(self._facts, policy, control)
            for policy, control in zip(policies, controls, strict=True)
        ]
        waiting: set[Future[Facts | None]] = set(futures)
        try:
            while waiting:
                _, waiting = wait(waiting, _POLL_S, FIRST_COMPLETED)
                if self._control.cancelled:
                    raise Cancelled
            return [future.result() for future in futures]
        except BaseException:
            for future, control in zip(futures, controls, strict=True):
                future.cancel()
                control.cancel()
            raise

    def advantages(self, policy: Policy, question: Question, seed: int) -> tuple[Advantage | None, ...]:
        """Of a policy against the baseline, one an objective."""
        one = self._evaluated(policy, self._control)
        return tuple(advantage(one, self._own, of.metric, seed) for of in question.objectives)

    def _facts(self, policy: Policy, control: Control) -> Facts | None:
        try:
            return facts_of(self._evaluated(policy, control), self._own)
        except InputError:
            return None

    def _evaluated(self, policy: Policy, control: Control) -> Evaluation:
        schedule = simulate(self._trace, self._cluster, policy, control=control)
        (one,) = evaluate(
            [schedule], self._share, self._reference, self._measured, self._extra, known=self._known
        )
        return one


def _tried(
    span: _Span, question: Question, trials: int, seed: int, tell: Callable[[float], None]
) -> list[Trial]:
    """Every policy that the sampler asked for, in its order, each once."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        directions=["maximize" if one.large else "minimize" for one in question.objectives],
        sampler=optuna.samplers.NSGAIISampler(population_size=POPULATION, seed=seed),
    )
    known: dict[Policy, Trial] = {}
    for done in range(0, trials, POPULATION):
        batch = [study.ask() for _ in range(min(POPULATION, trials - done))]
        wanted = [_suggested(trial, question) for trial in batch]
        new = [policy for policy in dict.fromkeys(wanted) if policy is not None and policy not in known]
        for one, facts in zip(new, span.measure(new), strict=True):
            if facts is not None:
                kept = _kept(facts, span.baseline, question)
                known[one] = Trial(one, _values(facts, question), kept)
        for trial, policy in zip(batch, wanted, strict=True):
            _report(study, trial, None if policy is None else known.get(policy), span, question)
        tell((done + len(batch)) / trials)
    return list(known.values())


def _report(
    study: optuna.Study, trial: optuna.Trial, found: Trial | None, span: _Span, question: Question
) -> None:
    """Tell the sampler what came of a trial; one without a value of an objective has failed."""
    import optuna

    values = [] if found is None else [found.values[one.metric] for one in question.objectives]
    told = [value for value in values if value is not None]
    if found is None or len(told) < len(values):
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    for bound in question.bounds:
        trial.set_constraint(str(bound), bound.excess(found.values, span.baseline))
    study.tell(trial, told)


def _suggested(trial: Any, question: Question) -> Policy | None:
    """The policy of a trial; None where its keys contradict one another."""
    values: dict[str, str] = {}
    for of in question.space:
        name = of.key.name
        if of.words:
            values[name] = trial.suggest_categorical(name, of.words)
        elif of.range.kind == "real":
            # Hundredths: nobody sets a key finer.
            step = (of.high - of.low) / 100
            values[name] = of.spell(round(of.low + step * trial.suggest_int(name, 0, 100), 6))
        else:
            values[name] = of.spell(trial.suggest_int(name, int(of.low), int(of.high)))
    try:
        return policy_of(question.base, values)
    except InputError:
        return None


def _front(tried: Sequence[Trial], objectives: Sequence[Objective]) -> list[Trial]:
    """The trials that keep all bounds and that no such one beats, the best by the first objective first."""
    rows = [(trial, _losses(trial, objectives)) for trial in tried if trial.kept]
    good = [(trial, own) for trial, own in rows if own is not None]
    front = [
        (own, trial)
        for trial, own in good
        if not any(other != own and all(a <= b for a, b in zip(other, own, strict=True)) for _, other in good)
    ]
    return [trial for _, trial in sorted(front, key=lambda pair: pair[0])]


def _losses(trial: Trial, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    """What is to be small, of each objective."""
    values = list(_known(trial, objectives))
    return tuple(values) if len(values) == len(objectives) else None


def _known(trial: Trial, objectives: Sequence[Objective]) -> Iterator[float]:
    for one in objectives:
        value = trial.values[one.metric]
        if value is not None:
            yield -value if one.large else value


def _values(facts: Facts, question: Question) -> dict[str, float | None]:
    return {name: None if (value := facts[name]) is None else float(value) for name in question.metrics}


def _kept(facts: Facts, baseline: Facts, question: Question) -> bool:
    return all(bound.excess(facts, baseline) <= 0.0 for bound in question.bounds)
