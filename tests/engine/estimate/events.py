"""What happens in a schedule, in order, and what predictors say meanwhile."""

from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from engine.arrays import Ints
from engine.compiler.kernels import kernel
from engine.compiler.packed_tuples import packed
from engine.estimate.estimators import parse_estimate
from engine.estimate.predictor import (
    Predictor,
    make_predictor,
    predict,
    predictor_ended,
    predictor_started,
    predictor_submitted,
)
from engine.trace import Trace
from tests.engine.estimate.naive import NaivePredictor
from tests.traces import make_trace

SUBMIT, END, START = range(3)


def events(submit: Sequence[int], start: Sequence[int], runtime: Sequence[int]) -> list[tuple[int, int, int]]:
    """Time, kind and job: within a second submissions, ends in order of start, starts in job order."""
    jobs = range(len(submit))
    order = {job: index for index, job in enumerate(sorted(jobs, key=lambda job: (start[job], job)))}
    found = [(submit[job], SUBMIT, job, job) for job in jobs]
    found += [(start[job] + runtime[job], END, order[job], job) for job in jobs]
    found += [(start[job], START, order[job], job) for job in jobs]
    return [(now, kind, job) for now, kind, _, job in sorted(found)]


def twin_predictions(trace: Trace, start: Sequence[int], name: str) -> Iterator[int]:
    """What the twin predicts of each waiting job after each submission and after each end."""
    twin = NaivePredictor(trace, name)
    waiting: list[int] = []
    for now, kind, job in events(trace.submit.tolist(), start, trace.runtime.tolist()):
        if kind == SUBMIT:
            waiting.append(job)
            twin.submitted(job, now)
        elif kind == END:
            twin.ended(job, start[job], now)
        else:
            waiting.remove(job)
            twin.started(job, now)
        if kind != START:
            yield from map(twin.predict, waiting)


def predictions(trace: Trace, start: Sequence[int], name: str) -> list[int]:
    """The same by the engine."""
    found = np.zeros(3 * len(trace) ** 2, np.int64)
    _, used = _replayed(trace, start, name, found)
    return found[:used].tolist()


def first_predictions(trace: Trace, start: Sequence[int], name: str) -> Ints:
    """What the engine predicts of each job at its submission, shape (n,)."""
    return _replayed(trace, start, name, np.zeros(0, np.int64))[0]


def _replayed(trace: Trace, start: Sequence[int], name: str, noted: Ints) -> tuple[Ints, int]:
    found = np.array(events(trace.submit.tolist(), start, trace.runtime.tolist()), np.int64)
    state = make_predictor(parse_estimate(name), trace, trace.procs)
    waiting, first = np.zeros(len(trace), np.int64), np.zeros(len(trace), np.int64)
    return first, replay(packed(state), found, np.array(start, np.int64), waiting, first, noted)


@kernel
def replay(state: Predictor, timeline: Ints, start: Ints, waiting: Ints, first: Ints, noted: Ints) -> int:
    """Tell the predictor of all events; returns how many predictions it noted in `noted`, if there is room.

    Compiled, since each call of a kernel from Python takes longer than the kernel.
    """
    count = used = 0
    for row in range(len(timeline)):
        now, kind, job = timeline[row]
        if kind == SUBMIT:
            waiting[count] = job
            count += 1
            predictor_submitted(state, job, now)
            first[job] = predict(state, job)
        elif kind == END:
            predictor_ended(state, job, start[job], now, 0)
        else:
            predictor_started(state, job, now)
            index = 0
            while waiting[index] != job:
                index += 1
            for later in range(index + 1, count):
                waiting[later - 1] = waiting[later]
            count -= 1
        if kind != START and len(noted) > 0:
            for index in range(count):
                noted[used] = predict(state, waiting[index])
                used += 1
    return used


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Trace, list[int]]:
    """Jobs of few users with few different requests, and when each starts."""
    count = draw(st.integers(1, 20))
    walltimes = st.sampled_from([1, 7, 30, 30, 100, 5000, 400_000])
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 40),  # since the submission before
                st.integers(0, 60),  # wait
                walltimes,
                st.one_of(st.just(1.0), st.floats(0, 1)),  # runtime, of the walltime
                st.sampled_from([1, 2, 64]),
                st.sampled_from(["alice", "bob", "carol"]),
                st.sampled_from(["-1", "solver"]),
            ),
            min_size=count,
            max_size=count,
        )
    )
    submit, now = [], draw(st.sampled_from([0, 86_390, 10_000_000]))
    for gap, *_ in rows:
        now += gap
        submit.append(now)
    trace = make_trace(
        submit,
        [max(1, round(part * walltime)) for _, _, walltime, part, *_ in rows],
        [row[4] for row in rows],
        walltime=[row[2] for row in rows],
        user=[row[5] for row in rows],
        executable=[row[6] for row in rows],
    )
    return trace, [begin + row[1] for begin, row in zip(submit, rows, strict=True)]
