"""The search itself: policies are tried on the first span of a trace, the best are judged on the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.policy.share import Share
from engine.search.answer import CheckedTrial, Dropped, SearchResult, Trial, front_of
from engine.search.beliefs import beliefs_of, model_verdict
from engine.search.question import Facts, Question
from engine.search.races import Race, parts_to_race
from engine.search.space import policy_of
from engine.search.span import FEWEST_JOBS, Span
from engine.simulation.control import Control, thread_pool
from engine.slurm.scheduler.verdicts import DoubtfulSiteError
from engine.study import machine_of
from engine.sweep.runners import Runner, thread_runner
from engine.trace import Trace
from engine.trace.transform import select

if TYPE_CHECKING:
    import optuna


SEARCHED = 2 / 3
"""The part of the trace's time that the search sees."""

POPULATION = 20


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

    def span_of(jobs: Trace) -> Span:
        return Span(jobs, cluster, question, share, making, control, asked)

    with thread_runner() if runner is None else nullcontext(runner) as making:
        # The whole log under the site as it is takes as long as several trials: the baseline runs beside it.
        with thread_pool(1) as beside:
            verdict = beside.submit(
                model_verdict, trace, machine, [question.baseline, question.base], control
            )
            searched = span_of(first)
            model = verdict.result()
        # All trials are what-ifs of the site: none is made where they would mislead.
        if model is not None and model.doubt and question.base.site is not None and not doubtful:
            raise DoubtfulSiteError(f"{model.names[0]}: changes of it cannot be believed: {model.doubt}")
        # Policies of pools are simulated in less time than a race would save.
        parts = parts_to_race(first) if question.base.site is not None else []
        races = [Race(span_of(part), question) for part in parts]
        tried, dropped, contradiction = _tried(
            searched, races, question, trials, seed, lambda done: report(0.9 * done), came
        )
        # Only the front is judged: judging all trials on the second span would select by luck there.
        front = front_of(tried, question.objectives)
        judged = span_of(rest)
        measured = judged.measure([trial.policy for trial in front])
        lines = [
            CheckedTrial(trial, question.values_of(facts), _kept(facts, judged.baseline, question))
            for trial, facts in zip(front, measured, strict=True)
            if facts is not None
        ]
        base = Trial(
            question.baseline,
            question.values_of(searched.baseline),
            _kept(searched.baseline, searched.baseline, question),
        )
        checked = CheckedTrial(
            base,
            question.values_of(judged.baseline),
            _kept(judged.baseline, judged.baseline, question),
        )
        advantages = judged.advantages(lines[0].trial.policy, question) if lines else ()
        beliefs = None
        if model is not None:
            schedules = judged.schedules([line.trial.policy for line in lines])
            beliefs = beliefs_of(model, schedules, judged.own.measured, control)
    report(1.0)
    return SearchResult(
        tuple(tried),
        tuple(lines),
        checked,
        advantages,
        contradiction,
        beliefs,
        judged.population,
        tuple(dropped),
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


def _tried(
    span: Span,
    races: Sequence[Race],
    question: Question,
    trials: int,
    seed: int,
    report: Callable[[float], None],
    came: Callable[[Trial], None],
) -> tuple[list[Trial], list[Dropped], str]:
    """Every policy that the sampler proposed, in its order, without repetitions; those that lost a race; and
    a contradiction.

    The contradiction is the first between keys that made a proposed policy invalid; empty without one.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        directions=["maximize" if objective.large else "minimize" for objective in question.objectives],
        sampler=optuna.samplers.NSGAIISampler(population_size=POPULATION, seed=seed),
    )
    known: dict[Policy, Trial] = {}
    lost: dict[Policy, Dropped] = {}
    expected: dict[Policy, dict[str, float | None]] = {}  # what the sampler is told of those
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
        seen = known.keys() | lost.keys()
        new = [policy for policy in dict.fromkeys(wanted) if policy is not None and policy not in seen]
        # Each race leaves fewer policies for the next, which is longer.
        for race in races:
            fallen = {policy: loss for policy, loss in zip(new, race.held(new), strict=True) if loss}
            lost |= fallen
            expected |= {policy: race.expected(loss, span.baseline) for policy, loss in fallen.items()}
            new = [policy for policy in new if policy not in fallen]
        for tried, facts in zip(new, span.measure(new), strict=True):
            if facts is not None:
                kept = _kept(facts, span.baseline, question)
                known[tried] = Trial(tried, question.values_of(facts), kept)
                came(known[tried])
        for trial, policy in zip(batch, wanted, strict=True):
            values = None if policy is None else expected.get(policy)
            if values is None and policy in known:
                values = known[policy].values
            _report(study, trial, values, span, question)
        report((done + len(batch)) / trials)
    return list(known.values()), list(lost.values()), contradiction


def _report(
    study: optuna.Study,
    trial: optuna.Trial,
    values: dict[str, float | None] | None,
    span: Span,
    question: Question,
) -> None:
    """Report the values of a trial to the sampler; a trial without a value of an objective has failed."""
    import optuna

    found = [] if values is None else [values[objective.metric] for objective in question.objectives]
    lines = [value for value in found if value is not None]
    if values is None or len(lines) < len(found):
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    for bound in question.bounds:
        trial.set_constraint(str(bound), bound.excess(values, span.baseline))
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


def _kept(facts: Facts, baseline: Facts, question: Question) -> bool:
    return all(bound.excess(facts, baseline) <= 0.0 for bound in question.bounds)
