"""Walltimes are asked for as Tsafrir, Etsion & Feitelson 2005 tell it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.trace.generate import EXAMPLE, EXAMPLE_SEED, GeneratedJobs, SessionModel, campus_jobs, session_log
from engine.trace.generate.requests import (
    BATCH,
    CAMPUS,
    HEAD,
    LEAST_KEPT,
    POPULAR,
    WalltimeRequests,
    draw_requests,
)


def batch(seed: int = 1) -> GeneratedJobs:
    (part,) = session_log(seed, SessionModel(jobs=30_000)).parts
    return part


def parts_of(jobs: GeneratedJobs, requests: WalltimeRequests) -> np.ndarray:
    """The part of the jobs that asks for each value, by the rank of the value in the model."""
    return np.array([np.mean(jobs.walltime == value) for value in requests.values])


@pytest.mark.parametrize("requests", [BATCH, CAMPUS])
def test_twenty_values_have_ranks_and_the_first_is_asked_for_by_a_fifth(requests: WalltimeRequests) -> None:
    assert len(set(requests.values)) == len(requests.values) == POPULAR == 20
    assert requests.parts[0] == pytest.approx(HEAD) == pytest.approx(0.2)
    assert sum(requests.parts) == pytest.approx(1.0)
    falls = np.array(requests.parts[1:]) / requests.parts[:-1]
    assert falls == pytest.approx(falls[0])
    assert falls[0] < 1


@pytest.mark.parametrize("seed", [1, 2])
def test_jobs_of_sessions_ask_by_rank_and_a_fifth_for_the_head(seed: int) -> None:
    jobs = batch(seed)
    found = parts_of(jobs, BATCH)
    assert found == pytest.approx(np.array(BATCH.parts), abs=0.01)
    assert found.argmax() == 0
    assert np.mean(jobs.walltime == 15 * 60) < 0.2
    assert np.mean(jobs.runtime == jobs.walltime) == pytest.approx(BATCH.reached, abs=0.005)


@pytest.mark.parametrize("seed", [1, EXAMPLE_SEED])
def test_jobs_of_a_campus_ask_by_rank_and_a_fifth_for_the_head(seed: int) -> None:
    jobs = campus_jobs(seed)
    found = parts_of(jobs, EXAMPLE.requests)
    assert found == pytest.approx(np.array(CAMPUS.parts), abs=0.025)
    assert found.argmax() == 0
    assert 0.15 < found[0] < 0.25
    assert np.mean(jobs.runtime == jobs.walltime) == pytest.approx(CAMPUS.reached, abs=0.02)


def test_what_is_asked_for_says_little_of_how_long_a_job_runs() -> None:
    """All parts of a request are used by many, but for very short jobs."""
    jobs = batch()
    used = (jobs.runtime / jobs.walltime)[jobs.runtime > 600]
    text = np.histogram(used, bins=5, range=(0.0, 1.0))[0] / len(used)
    assert text.max() < 0.45
    assert text.min() > 0.08


@st.composite
def asking(draw: st.DrawFn) -> tuple[WalltimeRequests, np.ndarray, np.ndarray, int]:
    values = draw(st.lists(st.integers(1, 10_000), min_size=1, max_size=8, unique=True))
    weights = draw(st.lists(st.integers(0, 9), min_size=len(values), max_size=len(values)))
    parts = np.array(weights, np.float64) + (sum(weights) == 0)
    groups = draw(
        st.lists(st.lists(st.floats(0.5, 12_000.0), min_size=1, max_size=5), min_size=1, max_size=20)
    )
    sizes = np.array([len(group) for group in groups])
    requests = WalltimeRequests(
        tuple(values), tuple((parts / parts.sum()).tolist()), draw(st.floats(0.0, 1.0))
    )
    return requests, np.concatenate(groups), np.cumsum(sizes) - sizes, draw(st.integers(0, 99))


@settings(deadline=None)
@given(asking())
def test_any_group_asks_for_a_value_and_its_jobs_keep_most_of_their_runtimes(
    asked: tuple[WalltimeRequests, np.ndarray, np.ndarray, int],
) -> None:
    requests, runtime, begins, seed = asked
    walltime, left = draw_requests(requests, runtime, begins, np.random.default_rng(seed))
    again = draw_requests(requests, runtime, begins, np.random.default_rng(seed))
    assert (walltime.tolist(), left.tolist()) == (again[0].tolist(), again[1].tolist())
    assert set(walltime.tolist()) <= set(requests.values)
    each = np.repeat(walltime, np.diff(begins, append=len(runtime)))
    wanted = np.clip(np.floor(runtime), 1, requests.longest)
    assert left.tolist() == np.minimum(wanted, each).tolist()
    assert (left >= np.floor(LEAST_KEPT * wanted)).all()
    killed = np.count_nonzero(wanted > each)
    assert killed <= 2 * requests.reached * len(runtime)


def test_nobody_is_killed_where_none_are_to_reach_their_requests() -> None:
    jobs = SessionModel(jobs=5000, requests=replace(BATCH, reached=0.0))
    (part,) = session_log(1, jobs).parts
    assert np.mean(part.runtime == part.walltime) < 0.002
