"""Simulations with own code in a process of its own: the same starts, and sentences for what fails."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from pathlib import Path

import pytest

import batchscope
from engine import api
from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.own.allowed_code import allow_named
from engine.policy.policy import Policy, parse_policy
from engine.reading.log import Log
from engine.run_source import schedule_of
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import Cancelled, Control
from engine.simulation.own import process
from engine.simulation.own.own_error import StoppedError
from tests.engine.simulation.own.test_orders import EASY, ORDER, PREDICTOR, crowd

TRACE, MACHINE = crowd(1500), Cluster.pool(16)


def policy(folder: Path, text: str, rest: str = "f") -> Policy:
    path = folder / "mine.py"
    path.write_text(text)
    allow_named(f"{path}:{rest}")
    return parse_policy(f"{path}:{rest}")


def run(folder: Path, text: str, rest: str = "f", control: Control | None = None) -> Schedule:
    return schedule_of(TRACE, MACHINE, policy(folder, text, rest), log=True, control=control)


def starts(spelling: str) -> list[int]:
    return schedule_of(TRACE, MACHINE, parse_policy(spelling)).start.tolist()


WFP3 = """
import batchscope
from batchscope import Range
from helper import times

@batchscope.order
def f(jobs, now, machine, *, alpha: Range(0, 5) = 3):
    return times((jobs.wait / jobs.walltime) ** alpha, jobs.procs)
"""


def test_starts_progress_and_log_come_back_from_the_process(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def times(a, b): return a * b\n")
    control = Control()
    schedule = run(tmp_path, WFP3, control=control)
    assert schedule.start.tolist() == starts("wfp3")
    assert control.progress == 1.0
    built_in = schedule_of(TRACE, MACHINE, parse_policy("wfp3"), log=True)
    assert (
        schedule.log.time.tolist() == built_in.log.time.tolist()
    )  # more rows than there was room for at first
    assert schedule.passes == built_in.passes
    squared = run(tmp_path, WFP3, "f,alpha=2")
    assert squared.start.tolist() == starts('easy:score="(wait / walltime)^2 * procs"')


def test_predictors_and_schedulers_run_there_too(tmp_path: Path) -> None:
    schedule = run(tmp_path, PREDICTOR)
    assert schedule.start.tolist() == starts("easy:estimate=last2,estimate_once=on")
    expected = schedule_of(TRACE, MACHINE, parse_policy("easy:estimate=last2,estimate_once=on"))
    assert schedule.estimate.tolist() == expected.estimate.tolist()  # their accuracy is measured alike
    assert run(tmp_path, EASY).start.tolist() == starts("easy")


@pytest.mark.parametrize(
    ("text", "rest", "not_checked"),
    [
        (EASY, "f", "f decides, and promises nothing"),
        (ORDER.format("jobs.procs"), "backfill=f", "in the order of f, which is not known here"),
        (ORDER.format("jobs.procs"), "f", "the order own is not fixed by submission"),
        (PREDICTOR, "f", "the estimates of own change as it learns"),
    ],
    ids=["scheduler", "backfill", "order", "predictor"],
)
def test_the_auditor_judges_the_whole(tmp_path: Path, text: str, rest: str, not_checked: str) -> None:
    schedule = run(tmp_path, text, rest)
    report = audit(table_of(schedule), MACHINE, schedule.policy)
    assert report.findings == ()
    assert not_checked in " ".join(report.not_checked)


def test_an_own_run_stands_beside_others_in_python(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(WFP3)
    (tmp_path / "helper.py").write_text("def times(a, b): return a * b\n")
    runs = api.compare(Log(TRACE, MACHINE), ["wfp3", f"{path}:f"])
    assert runs[f"{path}:f"].metrics["wait_mean"] == runs["wfp3"].metrics["wait_mean"]


def test_code_that_was_imported_is_given_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = ORDER.format("jobs.procs * weight").replace("machine)", "machine, *, weight: Range(-5, 5) = 1)")
    name = f"mine_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(f"from batchscope import Range\n{text}")
    monkeypatch.syspath_prepend(tmp_path)
    mine = importlib.import_module(name)
    narrow = mine.f(weight=-1)
    runs = batchscope.compare(Log(TRACE, MACHINE), ["easy", narrow, mine.f])
    assert list(runs) == ["easy", f"{tmp_path}/{name}.py:f,weight=-1", f"{tmp_path}/{name}.py:f"]
    assert runs[narrow].schedule.start.tolist() == starts("easy:order=narrowest")
    assert runs[mine.f].schedule.start.tolist() == starts("easy:order=widest")
    labels = ["easy on 16c", f"{name}.py:f,weight=-1 on 16c", f"{name}.py:f on 16c"]
    assert [run.result.name for run in runs.judged] == labels
    assert runs.judged[2].result.description == f"{labels[2]} = {tmp_path}/{labels[2]}"
    with pytest.raises(InputError, match="no parameter 'wieght'; did you mean 'weight'"):
        batchscope.compare(Log(TRACE, MACHINE), [mine.f(wieght=-1)])
    del sys.modules[name]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "import batchscope\nx = 1 / 0\n@batchscope.order\ndef f(jobs, now, machine): ...\n",
            "line 2: reading",
        ),
        (
            "import batchscope\nimport absent_module\n@batchscope.order\ndef f(jobs, now, machine): ...\n",
            "line 2: ",
        ),
        (
            ORDER.format("jobs.wait / (now * 0)").replace("    ", "    np.seterr(all='ignore');"),
            "returns NaN",
        ),
        (ORDER.format("__import__('os').kill(__import__('os').getpid(), 9)"), "ended with signal 9 before"),
        (ORDER.format("__import__('os')._exit(3)"), "ended with status 3 before"),
        (ORDER.format("np.random.default_rng().random(len(jobs))"), "the code does not decide alike twice"),
        (ORDER.format("np.ones(1 << 34) and 0"), "memory"),
        (
            "import batchscope\n@batchscope.priority\ndef f(job, now):\n    return job.length + now // 7\n",
            "f cannot be compiled (line 4: Unknown attribute 'length' of type PriorityJob",
        ),
    ],
    ids=["fails", "imports", "nan", "killed", "exits", "random", "leaks", "priority"],
)
def test_what_ends_the_process_ends_the_run_with_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/mine.py: ")
    assert message in str(caught.value)


def test_a_sentence_names_the_job_by_its_id_and_the_instant(tmp_path: Path) -> None:
    text = "import batchscope\n@batchscope.scheduler\ndef f(state):\n    yield 1\n"
    with pytest.raises(InputError) as caught:
        run(tmp_path, text)
    said = f"mine.py: job 2, at {TRACE.submit[0]} s of the log: f starts it, but it does not wait"
    assert str(caught.value).endswith(said)


def test_what_had_started_before_a_lie_is_kept(tmp_path: Path) -> None:
    text = EASY.replace("if procs > state.free:", "if procs > state.free and job < 900:")
    with pytest.raises(StoppedError) as caught:
        run(tmp_path, text)
    job, time, kept = caught.value.job, caught.value.time, caught.value.schedule
    assert job is not None
    assert time is not None
    assert job >= 900
    expected = schedule_of(TRACE, MACHINE, parse_policy("easy")).start
    assert kept.start[kept.ran].max() <= time
    assert kept.start[kept.ran].tolist() == expected[kept.ran].tolist()
    assert kept.ran[expected < time].all()
    assert not kept.ran[job]
    assert len(kept.log.time) > 0


def test_what_had_started_before_an_order_fails_is_kept(tmp_path: Path) -> None:
    text = ORDER.format("jobs.procs if jobs.index.max() < 1000 else None")
    with pytest.raises(StoppedError) as caught:
        run(tmp_path, text)
    kept, time = caught.value.schedule, caught.value.time
    assert time is not None
    expected = schedule_of(TRACE, MACHINE, parse_policy("easy:order=widest")).start
    assert kept.start.tolist() == [start if start < time else NOT_RUN for start in expected.tolist()]


FILLER = """
import batchscope

@batchscope.scheduler
def f(state):
    for job in state.waiting.index.tolist():
        if not ({never}) and state.fits(job):
            yield job
"""


@pytest.mark.parametrize("never", ["job == 7", "job > 1490"])
def test_a_job_that_a_scheduler_never_starts_is_named(tmp_path: Path, never: str) -> None:
    with pytest.raises(StoppedError, match="f never starts it") as caught:
        run(tmp_path, FILLER.format(never=never))
    kept = caught.value.schedule
    waiting = [job for job in range(len(TRACE)) if eval(never, {"job": job})]
    assert [job for job in range(len(TRACE)) if not kept.ran[job]] == waiting
    assert caught.value.job == waiting[0]
    assert f"job {TRACE.job_id[waiting[0]]}, at {caught.value.time} s of the log: " in str(caught.value)
    assert caught.value.time == kept.end[kept.ran].max()


ENDLESS = ORDER.format("[0 for _ in iter(int, 1)]")


def test_an_endless_loop_is_cancelled(tmp_path: Path) -> None:
    control = Control()
    threading.Timer(2.0, control.cancel).start()
    with pytest.raises(Cancelled):
        run(tmp_path, ENDLESS, control=control)


def test_an_endless_loop_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LONGEST_CALL", 0.5)
    began = time.monotonic()
    with pytest.raises(InputError, match=r"at \d+ s of the log it did not return for 0.5 s"):
        run(tmp_path, ENDLESS)
    assert time.monotonic() - began < 60


def test_the_code_that_was_named_is_what_runs(tmp_path: Path) -> None:
    mine = policy(tmp_path, ORDER.format("jobs.procs"))
    (tmp_path / "mine.py").write_text(ORDER.format("-jobs.procs"))  # after it was read
    assert schedule_of(TRACE, MACHINE, mine).start.tolist() == starts("easy:order=widest")


PACKED = """
import {first}
import batchscope

@batchscope.order
def f(jobs, now, machine):
    from pack import deep  # at a call, long after the file was read
    {then}
    return deep.score(jobs)
"""


def _packed(folder: Path, **texts: str) -> str:
    (folder / "pack").mkdir()
    (folder / "pack" / "__init__.py").write_text("")
    (folder / "pack" / "deep.py").write_text("def score(jobs): return -jobs.procs\n")
    (folder / "pack" / "unnamed.py").write_text("")
    (folder / "unnamed.py").write_text("")
    return PACKED.format(**texts)


def test_packages_of_its_folder_are_the_texts_that_were_read(tmp_path: Path) -> None:
    mine = policy(tmp_path, _packed(tmp_path, first="pack", then="pass"))
    (tmp_path / "pack" / "deep.py").write_text("raise SystemExit\n")  # after they were read
    expected = starts("easy:order=narrowest")
    assert schedule_of(TRACE, MACHINE, mine).start.tolist() == expected


@pytest.mark.parametrize("name", ["unnamed", "pack.unnamed"])
def test_what_the_digest_does_not_cover_cannot_be_imported_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # where Python itself would find it
    text = _packed(tmp_path, first="importlib", then=f"importlib.import_module({name!r})")
    with pytest.raises(
        InputError, match=f"Error: (No module named '{name}'|{name} is in the folder of the file)"
    ):
        run(tmp_path, text)


def test_a_file_that_is_called_like_a_module_of_python_takes_nobodys_place(tmp_path: Path) -> None:
    path = tmp_path / "json.py"
    body = "    import json; assert json.dumps([]) == '[]'; return -jobs.procs"
    path.write_text(f"import batchscope\n@batchscope.order\ndef f(jobs, now, machine):\n{body}\n")
    allow_named(f"{path}:f")
    schedule = schedule_of(TRACE, MACHINE, parse_policy(f"{path}:f"))
    assert schedule.start.tolist() == starts("easy:order=narrowest")


def test_fair_starts_are_refused(tmp_path: Path) -> None:
    mine = policy(tmp_path, ORDER.format("jobs.procs"))
    with pytest.raises(InputError, match="fair starts are not computed where code of your own decides"):
        schedule_of(TRACE, MACHINE, mine, fair_starts=True)
