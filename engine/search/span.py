"""A span of a trace on which policies of a search are simulated and measured."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import NOBODY, Population
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.catalog import METRICS
from engine.metrics.evaluation import Evaluation, evaluate
from engine.metrics.metric_names import Value
from engine.metrics.needs import Needs, needs_of
from engine.policy.policy import Policy
from engine.policy.share import Share
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.search.answer import Advantage
from engine.search.question import WORST_USER, Facts, Question
from engine.search.weeks import advantage
from engine.simulation.control import Cancelled, Control, thread_pool
from engine.simulation.run import reference_schedule
from engine.study import machine_of
from engine.sweep.runners import Lost, Runner, made
from engine.trace import Trace

T = TypeVar("T")
Mask = NDArray[np.bool_]

WARM_UP = 0.1
"""The part of a span that is simulated and not measured: the machine is empty as it begins."""

FEWEST_JOBS = 50
"""Of fewer jobs nothing is measured."""

_SHORT_WAIT = 600.0  # s: for users who hardly waited any change would be large in %


def facts_of(evaluation: Evaluation, baseline: Evaluation) -> Facts:
    """All metrics of a schedule, and the wait change of the user who loses most against the baseline."""
    return {**evaluation.summary, WORST_USER: _worst_change(evaluation, baseline)}


def _worst_change(evaluation: Evaluation, baseline: Evaluation) -> Value:
    both = evaluation.users.active & baseline.users.active
    before, after = baseline.users["wait_mean"][both], evaluation.users["wait_mean"][both]
    if not len(before):
        return None
    return float((100.0 * (after - before) / np.maximum(before, _SHORT_WAIT)).max())


@dataclass(frozen=True, eq=False)
class SpanMeasure:
    """The measurement of policies on a span: everything that a worker needs besides the policy."""

    trace: Trace
    cluster: Cluster
    share: Share
    measured: Mask
    extra: tuple[str, ...]
    kept: Needs
    reference: Schedule
    asked: bool  # whether sites run on the cluster, too, and not on their own machines
    objectives: tuple[str, ...] = ()
    own: Evaluation | None = None  # the baseline's schedule, whose shares apply to all

    def machine(self, policy: Policy) -> Cluster:
        """The machine on which a policy runs."""
        return self.cluster if self.asked else machine_of(policy, self.cluster)

    def evaluate(self, policy: Policy, control: Control) -> Evaluation:
        """A policy on the span. Raises Cancelled, and InputError where it does not fit the trace."""
        schedule = schedule_of(self.trace, self.machine(policy), policy, control=control, **self.kept)
        known = () if self.own is None else (self.own,)
        (evaluation,) = evaluate(
            [schedule], self.share, self.reference, self.measured, self.extra, known=known
        )
        return evaluation

    def tried(self, policy: Policy, control: Control | None) -> Evaluation | None:
        """The same; None where the policy does not fit the trace. Raises Cancelled."""
        try:
            return self.evaluate(policy, control or Control())
        except InputError:
            return None


def _facts(measure: SpanMeasure, policy: Policy, control: Control | None) -> Facts | None:
    """The metrics of a policy; None where it does not fit the trace."""
    evaluation = measure.tried(policy, control)
    return None if evaluation is None else facts_of(evaluation, measure.own or evaluation)


class Span:
    """Part of a trace, simulated whole from an empty machine and measured without its warm-up."""

    def __init__(
        self,
        trace: Trace,
        cluster: Cluster,
        question: Question,
        share: Share,
        runner: Runner,
        control: Control,
        asked: bool,
    ) -> None:
        self._runner, self._control = runner, control
        begin, end = int(trace.submit[0]), int(trace.submit[-1])
        measure = SpanMeasure(
            trace,
            cluster,
            share,
            # The first jobs meet an empty machine, which no policy can be blamed or praised for.
            measured=trace.submit >= begin + int(WARM_UP * (end - begin)),
            extra=tuple(name for name in question.metrics if name not in METRICS and name != WORST_USER),
            kept=needs_of(question.metrics),
            reference=reference_schedule(trace, cluster, control=control),
            asked=asked,
            objectives=tuple(objective.metric for objective in question.objectives),
        )
        # The baseline is simulated first: bounds and advantages of all others are relative to it.
        self._own = measure.evaluate(question.baseline, control)
        self._measure = replace(measure, own=self._own)
        self._shared = runner.share(self._measure)
        self.baseline = facts_of(self._own, self._own)
        self._kept: dict[Policy, Evaluation] = {question.baseline: self._own}

    @property
    def own(self) -> SpanMeasure:
        """What a worker measures a policy by."""
        return self._measure

    @property
    def population(self) -> Population:
        """The measured jobs that ran under the baseline."""
        submit = self._own.schedule.submit[self._own.jobs]
        return Population(len(submit), int(submit.min()), int(submit.max())) if len(submit) else NOBODY

    def measure(self, policies: Sequence[Policy]) -> list[Facts | None]:
        """The metrics of each policy; None for policies that do not fit the trace. Raises Cancelled,
        InputError.
        """
        return self.each(_facts, policies)

    def each(
        self, work: Callable[[SpanMeasure, Policy, Control | None], T], policies: Sequence[Policy]
    ) -> list[T]:
        """What `work` gives for each policy on this span, worked out by the runner. Raises Cancelled,
        InputError.
        """
        self._look()
        controls = [Control() for _ in policies]

        def begin(index: int, again: bool) -> Future[T]:
            if again:
                self._shared = self._runner.share(self._measure)  # which may be lost with the worker
            followed = controls[index] if self._runner.local else None
            return self._runner.pool.submit(work, self._shared, policies[index], followed)

        # Policies are measured in any order; answers stand in that of the question.
        by_index: dict[int, T] = {}
        try:
            for index, result in made(self._runner, range(len(policies)), begin, self._look):
                if isinstance(result, Lost):
                    raise InputError(result.why)
                by_index[index] = result
        finally:
            for control in controls:
                control.cancel()
        return [by_index[index] for index in range(len(policies))]

    def schedules(self, policies: Sequence[Policy]) -> list[Schedule]:
        """The schedules of the baseline and of each policy. Raises Cancelled, InputError."""
        return [self._own.schedule, *(each.schedule for each in self._evaluated(policies))]

    def advantages(self, policy: Policy, question: Question) -> tuple[Advantage | None, ...]:
        """The advantages of a policy over the baseline, an entry for each objective."""
        (evaluation,) = self._evaluated([policy])
        return tuple(advantage(evaluation, self._own, objective.metric) for objective in question.objectives)

    def _evaluated(self, policies: Sequence[Policy]) -> list[Evaluation]:
        """The evaluations of policies, each simulated once in threads of this process, and then kept."""
        new = [policy for policy in dict.fromkeys(policies) if policy not in self._kept]
        with thread_pool(os.cpu_count() or 1) as pool:
            made_now = pool.map(lambda policy: self._measure.evaluate(policy, self._control), new)
            self._kept.update(zip(new, made_now, strict=True))
        return [self._kept[policy] for policy in policies]

    def _look(self) -> None:
        if self._control.cancelled:
            raise Cancelled
