"""The search itself: policies are tried on the first span of a trace, the best are judged on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from engine.search.answer import Advantage, CheckedTrial, SearchResult, Trial, front_of
from engine.search.beliefs import beliefs_of, model_verdict
from engine.search.question import WORST_USER, Facts, Question
from engine.search.space import policy_of
from engine.search.weeks import advantage
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule
from engine.slurm.scheduler.verdicts import DoubtfulSiteError
from engine.study import machine_of
from engine.sweep.runners import Lost, Runner, made, thread_runner
from engine.trace import Trace
from engine.trace.transform import select

if TYPE_CHECKING:
    import optuna


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


Mask = NDArray[np.bool_]

SEARCHED = 2 / 3
"""The part of the trace's time that the search sees."""

WARM_UP = 0.1
"""The part of a span that is simulated and not measured: the machine is empty as it begins."""

POPULATION = 20
FEWEST_JOBS = 50


def search(
    trace: Trace,
    cluster: Cluster,
    question: Question,
    *,
    share: Share | None = None,
    trials: int = 200,
    seed: int = 0,
    control: Control | None = None,
    report: Callable[[float], None] = lambda done: None,
    came: Callable[[Trial], None] = lambda trial: None,
    runner: Runner | None = None,
    asked: bool = False,
    doubtful: bool = True,
) -> SearchResult:
    """The best policies: a random population, then its offspring (NSGA-II, Deb et al. 2002).

    A seed gives the same answer with any `runner`; the default uses threads. Sites run on the machine of
    their files, unless `cluster` was `asked` for. `report` is called with the finished part, 0 to 1, and
    `came` with each tried policy, in the caller's thread. Raises Cancelled, InputError if a span has too few
    jobs, or workers were lost, and DoubtfulSiteError if a site is varied whose model misleads and that is not
    asked for all the same (`doubtful`).
    """
    control, share = control or Control(), share or Share()
    first, rest = split(trace)

    def machine(policy: Policy) -> Cluster:
        return cluster if asked else machine_of(policy, cluster)

    # All trials are what-ifs of the site: none is made where they would mislead.
    model = model_verdict(trace, machine, [question.baseline, question.base], control)
    if model is not None and model.doubt and question.base.site is not None and not doubtful:
        raise DoubtfulSiteError(f"{model.names[0]}: changes of it cannot be believed: {model.doubt}")
    with thread_runner() if runner is None else nullcontext(runner) as making:
        searched = _Span(first, cluster, question, share, making, control, asked)
        tried, contradiction = _tried(searched, question, trials, seed, lambda done: report(0.9 * done), came)
        # Only the front is judged: judging all trials on the second span would select by luck there.
        front = front_of(tried, question.objectives)
        judged = _Span(rest, cluster, question, share, making, control, asked)
        measured = judged.measure([trial.policy for trial in front])
        lines = [
            CheckedTrial(trial, _values(facts, question), _kept(facts, judged.baseline, question))
            for trial, facts in zip(front, measured, strict=True)
            if facts is not None
        ]
        base = Trial(
            question.baseline,
            _values(searched.baseline, question),
            _kept(searched.baseline, searched.baseline, question),
        )
        checked = CheckedTrial(
            base,
            _values(judged.baseline, question),
            _kept(judged.baseline, judged.baseline, question),
        )
        advantages = judged.advantages(lines[0].trial.policy, question) if lines else ()
        finalists = [line.trial.policy for line in lines]
        spans = judged.measured, machine, question.baseline, finalists, control
        beliefs = None if model is None else beliefs_of(model, *spans)
    report(1.0)
    return SearchResult(
        tuple(tried), tuple(lines), checked, advantages, contradiction, beliefs, judged.population
    )


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


@dataclass(frozen=True, eq=False)
class _Measure:
    """The measurement of policies on a span: everything that a worker needs besides the policy."""

    trace: Trace
    cluster: Cluster
    share: Share
    measured: Mask
    extra: tuple[str, ...]
    kept: Needs
    reference: Schedule
    asked: bool  # whether sites run on the cluster, too, and not on their own machines
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


def _facts(measure: _Measure, policy: Policy, control: Control | None) -> Facts | None:
    """The metrics of a policy; None where it does not fit the trace."""
    try:
        evaluation = measure.evaluate(policy, control or Control())
    except InputError:
        return None
    return facts_of(evaluation, measure.own or evaluation)


class _Span:
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
        measure = _Measure(
            trace,
            cluster,
            share,
            # The first jobs meet an empty machine, which no policy can be blamed or praised for.
            measured=trace.submit >= begin + int(WARM_UP * (end - begin)),
            extra=tuple(name for name in question.metrics if name not in METRICS and name != WORST_USER),
            kept=needs_of(question.metrics),
            reference=reference_schedule(trace, cluster, control=control),
            asked=asked,
        )
        # The baseline is simulated first: bounds and advantages of all others are relative to it.
        self._own = measure.evaluate(question.baseline, control)
        self._measure = replace(measure, own=self._own)
        self._shared = runner.share(self._measure)
        self.baseline = facts_of(self._own, self._own)

    @property
    def measured(self) -> tuple[Trace, Mask]:
        """The trace of the span, and its measured jobs, shape (n,)."""
        return self._measure.trace, self._measure.measured

    @property
    def population(self) -> Population:
        """The measured jobs that ran under the baseline."""
        submit = self._own.schedule.submit[self._own.jobs]
        return Population(len(submit), int(submit.min()), int(submit.max())) if len(submit) else NOBODY

    def measure(self, policies: Sequence[Policy]) -> list[Facts | None]:
        """The metrics of each policy; None for policies that do not fit the trace. Raises Cancelled,
        InputError.
        """
        self._look()
        controls = [Control() for _ in policies]

        def begin(index: int, again: bool) -> Future[Facts | None]:
            if again:
                self._shared = self._runner.share(self._measure)  # which may be lost with the worker
            followed = controls[index] if self._runner.local else None
            return self._runner.pool.submit(_facts, self._shared, policies[index], followed)

        # Policies are measured in any order; answers stand in that of the question.
        by_index: dict[int, Facts | None] = {}
        try:
            for index, facts in made(self._runner, range(len(policies)), begin, self._look):
                if isinstance(facts, Lost):
                    raise InputError(facts.why)
                by_index[index] = facts
        finally:
            for control in controls:
                control.cancel()
        return [by_index[index] for index in range(len(policies))]

    def advantages(self, policy: Policy, question: Question) -> tuple[Advantage | None, ...]:
        """The advantages of a policy over the baseline, an entry for each objective."""
        evaluation = self._measure.evaluate(policy, self._control)
        return tuple(advantage(evaluation, self._own, objective.metric) for objective in question.objectives)

    def _look(self) -> None:
        if self._control.cancelled:
            raise Cancelled


def _tried(
    span: _Span,
    question: Question,
    trials: int,
    seed: int,
    report: Callable[[float], None],
    came: Callable[[Trial], None],
) -> tuple[list[Trial], str]:
    """Every policy that the sampler proposed, in its order, without repetitions, and a contradiction.

    The contradiction is the first between keys that made a proposed policy invalid; empty without one.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        directions=["maximize" if objective.large else "minimize" for objective in question.objectives],
        sampler=optuna.samplers.NSGAIISampler(population_size=POPULATION, seed=seed),
    )
    known: dict[Policy, Trial] = {}
    contradiction = ""
    for done in range(0, trials, POPULATION):
        batch = [study.ask() for _ in range(min(POPULATION, trials - done))]
        drawn = [_suggested(trial, question) for trial in batch]
        contradiction = contradiction or next(
            (str(error) for error in drawn if isinstance(error, InputError)), ""
        )
        # Contradictory keys cannot be simulated: such trials are reported as failed.
        wanted = [None if isinstance(policy, InputError) else policy for policy in drawn]
        # Offspring often repeat a policy: each is simulated once, and the order stays deterministic.
        new = [policy for policy in dict.fromkeys(wanted) if policy is not None and policy not in known]
        for tried, facts in zip(new, span.measure(new), strict=True):
            if facts is not None:
                kept = _kept(facts, span.baseline, question)
                known[tried] = Trial(tried, _values(facts, question), kept)
                came(known[tried])
        for trial, policy in zip(batch, wanted, strict=True):
            _report(study, trial, None if policy is None else known.get(policy), span, question)
        report((done + len(batch)) / trials)
    return list(known.values()), contradiction


def _report(
    study: optuna.Study, trial: optuna.Trial, result: Trial | None, span: _Span, question: Question
) -> None:
    """Report the result of a trial to the sampler; a trial without a value of an objective has failed."""
    import optuna

    values = [] if result is None else [result.values[objective.metric] for objective in question.objectives]
    lines = [value for value in values if value is not None]
    if result is None or len(lines) < len(values):
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    for bound in question.bounds:
        trial.set_constraint(str(bound), bound.excess(result.values, span.baseline))
    study.tell(trial, lines)


def _suggested(trial: Any, question: Question) -> Policy | InputError:
    """The policy of a trial, or the error if its keys contradict each other."""
    values: dict[str, str] = {}
    for dimension in question.space:
        name = dimension.key.name
        if dimension.words:
            values[name] = trial.suggest_categorical(name, dimension.words)
        elif dimension.range.kind == "real":
            # Hundredths are fine enough for any key.
            step = (dimension.high - dimension.low) / 100
            values[name] = dimension.format(round(dimension.low + step * trial.suggest_int(name, 0, 100), 6))
        else:
            values[name] = dimension.format(trial.suggest_int(name, int(dimension.low), int(dimension.high)))
    try:
        return policy_of(question.base, values)
    except InputError as error:
        return error


def _values(facts: Facts, question: Question) -> dict[str, float | None]:
    return {name: None if (value := facts[name]) is None else float(value) for name in question.metrics}


def _kept(facts: Facts, baseline: Facts, question: Question) -> bool:
    return all(bound.excess(facts, baseline) <= 0.0 for bound in question.bounds)
