from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.simulation.refused_jobs import refused_jobs
from engine.trace.generate import GeneratedJobs, SessionModel, session_log, write_log
from engine.trace.generate.log import log_text

MODEL = SessionModel(jobs=3000)


def whole(model: SessionModel, seed: int = 1) -> GeneratedJobs:
    parts = list(session_log(seed, model).parts)
    names = GeneratedJobs.__dataclass_fields__
    return GeneratedJobs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**63),
    st.sampled_from(["1c", "128c", "20x80c505g+48x12c90g", "4x3c2g", "100000c"]),
    st.integers(1, 400),
    st.one_of(st.none(), st.floats(0.05, 5)),
)
def test_any_log_keeps_to_its_model(seed: int, machine: str, count: int, load: float | None) -> None:
    cluster = parse_cluster(machine)
    model = replace(MODEL, cluster=cluster, jobs=count, load=load, users=7)
    jobs = whole(model, seed)
    assert len(jobs) == count
    assert (np.diff(jobs.submit) >= 0).all()
    assert jobs.submit[0] >= 0
    assert (jobs.runtime >= 1).all()
    assert (jobs.runtime <= jobs.walltime).all()
    assert set(jobs.walltime.tolist()) <= set(model.requests.values)
    assert (jobs.nodes <= cluster.nodes).all()
    assert (jobs.cpus <= min(group.cpus for group in cluster.groups)).all()
    assert 1 <= jobs.user.min() <= jobs.user.max() <= 7
    most = min((group.ram or 0) for group in cluster.groups)
    assert (jobs.ram <= most).all()
    assert (jobs.ram > 0).all() or most == 0


def test_the_same_seed_gives_the_same_log_again_and_another_one_another() -> None:
    log = session_log(1, MODEL)
    assert log_text(log) == log_text(log) == log_text(session_log(1, MODEL))
    assert log_text(session_log(2, MODEL)) != log_text(log)


def test_a_log_of_many_parts_goes_on_where_the_part_before_ended() -> None:
    jobs = whole(replace(MODEL, jobs=150_000))
    assert len(jobs) == 150_000
    assert (np.diff(jobs.submit) >= 0).all()
    assert np.diff(jobs.submit).max() < 30 * 86_400


@pytest.mark.parametrize("load", [0.3, 0.8, 1.5])
def test_the_load_is_the_one_that_is_asked_for(load: float) -> None:
    jobs = whole(replace(MODEL, jobs=80_000, load=load))
    area = float((jobs.nodes * jobs.cpus) @ jobs.runtime)
    assert area / (128 * int(jobs.submit[-1])) == pytest.approx(load, rel=0.01)


def test_long_sessions_make_bursts_of_jobs_that_are_alike() -> None:
    def alike(model: SessionModel) -> float:
        jobs = whole(model)
        same = (np.diff(jobs.user) == 0) & (np.diff(jobs.cpus) == 0) & (np.diff(jobs.walltime) == 0)
        return float(np.mean(same & (np.diff(jobs.submit) < 600)))

    few = alike(MODEL)
    many = alike(replace(MODEL, session=40.0, at_once=2, haste=0.1))
    assert many > 0.4
    assert many > 3 * few


def test_some_users_submit_far_more_than_others() -> None:
    counts = np.sort(np.bincount(whole(replace(MODEL, jobs=20_000)).user)[1:])[::-1]
    assert counts[0] > 5 * np.median(counts)


@pytest.mark.parametrize("machine", ["128c", "20x80c505g+48x12c90g"])
def test_the_reader_gets_back_what_was_written(tmp_path: Path, machine: str) -> None:
    model = replace(MODEL, cluster=parse_cluster(machine))
    jobs = whole(model)
    write_log(session_log(1, model), tmp_path / "log.swf")
    trace = read_trace(tmp_path / "log.swf")
    assert trace.cluster.spelling == machine
    assert trace.submit.tolist() == jobs.submit.tolist()
    assert trace.runtime.tolist() == jobs.runtime.tolist()
    assert trace.walltime.tolist() == jobs.walltime.tolist()
    assert trace.procs.tolist() == (jobs.nodes * jobs.cpus).tolist()
    assert [int(trace.user.names[code]) for code in trace.user.codes] == jobs.user.tolist()
    assert not refused_jobs(trace, trace.cluster).any()


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_jobs_ask_for_gpus_where_the_machine_has_some(tmp_path: Path, name: str) -> None:
    cluster = parse_cluster("4x64c512g8gpu+20x64c512g")
    model = replace(MODEL, cluster=cluster, jobs=70_000)  # of two parts
    jobs = whole(model)
    part = (jobs.gpus > 0).mean()
    assert 0.3 < part < model.gpu_sessions + 0.05
    assert set(jobs.gpus.tolist()) == {0, 1, 2, 4, 8}
    assert np.count_nonzero(jobs.gpus == 1) > 1.5 * np.count_nonzero(jobs.gpus == 2)
    assert jobs.nodes[jobs.gpus > 0].max() <= 4
    write_log(session_log(1, model), tmp_path / name)
    trace = read_trace(tmp_path / name)
    assert trace.zero + trace.submit[0] == int(model.start.timestamp()) + jobs.submit[0]
    assert trace.gpus is not None
    assert trace.gpus.tolist() == (jobs.gpus * jobs.nodes).tolist()
    assert trace.procs.tolist() == (jobs.nodes * jobs.cpus).tolist()
    assert trace.ram.tolist() == (jobs.ram * jobs.nodes).tolist()
    assert trace.walltime.tolist() == jobs.walltime.tolist()
    assert not refused_jobs(trace, cluster).any()


def test_other_machines_have_the_jobs_that_they_had() -> None:
    plain = whole(replace(MODEL, cluster=parse_cluster("4x8c16g")))
    gpus = whole(replace(MODEL, cluster=parse_cluster("4x8c16g2gpu"), gpu_sessions=0.0))
    assert not plain.gpus.any()
    assert plain.runtime.tolist() == gpus.runtime.tolist()


def test_a_log_over_one_of_another_machine_has_its_own(tmp_path: Path) -> None:
    for cluster in (parse_cluster("20x80c505g"), Cluster.pool(64)):
        write_log(session_log(1, replace(MODEL, cluster=cluster)), tmp_path / "log.swf")
        assert read_trace(tmp_path / "log.swf").cluster.spelling == cluster.spelling


@pytest.mark.parametrize("wrong", [{"jobs": 0}, {"users": 0}, {"load": 0.0}, {"load": float("nan")}])
def test_models_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        replace(MODEL, **wrong)
