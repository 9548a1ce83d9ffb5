"""Metrics of a user's own: their spelling, their values, and what is said of what goes wrong."""

import importlib
import json
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import batchscope
from app.export.group_table import group_facts
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.groups import per_group
from engine.metrics.metric_names import parameterised_values, parse_metric
from engine.metrics.own_metric import allow_metric, own_metric, own_value, user_values
from engine.own import answers
from engine.policy.policy import parse_policy
from engine.quantities import Missing
from engine.reading.log import Log
from engine.run_source import schedule_of
from tests.app.cli.commands import small_log
from tests.engine.simulation.own.test_orders import crowd

TRACE, MACHINE = crowd(200), Cluster.pool(16)

LATE = '''
import batchscope
from batchscope import Range

@batchscope.metric(unit="%", better="lower")
def late(jobs, *, hours: Range(0, 100) = 1):
    """Jobs that wait longer than so many hours."""
    return 100 * (jobs.wait > 3600 * hours).mean()

@batchscope.metric("s", None)
def sent(jobs):
    assert len(jobs) == len(jobs["procs"])
    return jobs.end.max() - jobs.submit.min() + 0 * jobs.processors

@batchscope.order
def f(jobs, now, machine): return jobs.wait
'''


def named(folder: Path, text: str, rest: str) -> str:
    path = folder / "mine.py"
    path.write_text(text)
    allow_metric(f"{path}:{rest}")
    return f"{path}:{rest}"


def metric_of(body: str) -> str:
    return f"import batchscope, numpy as np\n@batchscope.metric(unit='s')\ndef m(jobs):\n    {body}\n"


def test_values_are_those_of_the_measured_jobs(tmp_path: Path) -> None:
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    jobs = schedule.ran & (np.arange(len(TRACE)) % 3 > 0)
    names = [named(tmp_path, LATE, rest) for rest in ("late,hours=0.01", "sent")]
    values = parameterised_values(schedule, jobs, names)
    assert values[names[0]] == pytest.approx(100 * (schedule.wait[jobs] > 36).mean())
    assert values[names[1]] == schedule.end[jobs].max() - TRACE.submit[jobs].min()
    assert parameterised_values(schedule, jobs & False, names) == dict.fromkeys(names)
    late, sent = map(parse_metric, names)
    assert (late.label, late.unit, late.better) == ("mine.py:late,hours=0.01", "%", "lower")
    assert late.definition == "Jobs that wait longer than so many hours."
    assert (sent.unit, sent.better) == ("s", None)


BY_USER = """
import batchscope, numpy as np

@batchscope.metric(unit="s", by="user")
def longest(jobs):
    found = np.full(len(jobs.names["user"]), np.nan)
    np.fmax.at(found, jobs.user, jobs.wait)
    return found
"""


def test_a_metric_by_user_is_a_column_of_users_whose_mean_is_the_metric(tmp_path: Path) -> None:
    name = named(tmp_path, BY_USER, "longest")
    runs = batchscope.compare(Log(TRACE, MACHINE), ["easy"], metrics=[name])
    frame = runs["easy"].jobs
    longest = frame.groupby("user").wait.max()
    assert runs["easy"].metrics[name] == pytest.approx(longest.mean())
    users = runs["easy"].evaluation.users
    column = users.column(name)
    assert not isinstance(column, Missing)
    assert dict(zip(users.names, column.tolist(), strict=True)) == longest.to_dict()
    queues = per_group(users.of.known_schedule, TRACE.queue).column(name)
    assert str(queues) == "not computed: it is a number of each user"
    assert next(row for row in group_facts(users) if row["name"] == "u3")[name] == longest["u3"]


def test_users_without_measured_jobs_have_no_number(tmp_path: Path) -> None:
    own = own_metric(named(tmp_path, BY_USER.replace("np.nan", "7.0"), "longest"))
    assert own is not None
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    jobs = schedule.ran & (TRACE.user.codes > 1)
    values = user_values(own, schedule, jobs)
    assert np.isnan(values).tolist() == [True, True, *[False] * (len(TRACE.user.names) - 2)]
    assert own_value(own, schedule, jobs) == pytest.approx(np.nanmean(values))
    assert np.isnan(user_values(own, schedule, jobs & False)).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BY_USER.replace('"user"', '"queue"', 1), 'longest: a metric is of a run, or by="user" of each user'),
        (BY_USER.replace('unit="s"', 'unit="m"'), "the unit of a metric by user is one of count, s, MiB"),
    ],
)
def test_a_metric_is_by_user_or_of_a_run(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        named(tmp_path, text, "longest")
    assert message in str(caught.value)


def test_a_metric_by_user_of_another_shape_is_said(tmp_path: Path) -> None:
    name = named(tmp_path, BY_USER.replace("return found", "return found[1:]"), "longest")
    users = len(TRACE.user.names)
    with pytest.raises(
        InputError, match=f"returns shape .{users - 1},., not a number for each of {users} users"
    ):
        _ = batchscope.compare(Log(TRACE, MACHINE), ["easy"], metrics=[name]).metrics


def test_it_stands_in_comparisons_from_python(tmp_path: Path) -> None:
    name = named(tmp_path, LATE, "late,hours=0")
    runs = batchscope.compare(Log(TRACE, MACHINE), ["easy"], metrics=[name])
    assert runs.metrics.loc[name, "unit"] == "%"
    assert runs["easy"].metrics[name] == pytest.approx(100 * (runs["easy"].jobs.wait > 0).mean())


def test_a_metric_that_was_imported_is_given_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"mine_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(LATE)
    monkeypatch.syspath_prepend(tmp_path)
    mine = importlib.import_module(name)
    runs = batchscope.compare(Log(TRACE, MACHINE), ["easy"], metrics=[mine.late(hours=0), mine.sent])
    late, sent = (f"{tmp_path}/{name}.py:{rest}" for rest in ("late,hours=0", "sent"))
    assert runs.metrics.loc[[late, sent], "unit"].tolist() == ["%", "s"]
    del sys.modules[name]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return np.nan", "m returns nan, not a number; return None where"),
        ("return jobs.wait", "m returns an array of shape (200,), not a number"),
        ("return 'x'", "m returns str, not a number"),
        ("return jobs.weight", "line 4: m fails: AttributeError: jobs have no 'weight'; they have id, user,"),
        ("jobs.wait[0] = 1", "line 4: m fails: ValueError: assignment destination is read-only"),
        ("raise SystemExit", "line 4: m fails: SystemExit"),
        ("import os; os._exit(3)", "its process ended with status 3 before the answer was there"),
        ("return np.ones(1 << 34).sum()", "memory"),
    ],
)
def test_what_goes_wrong_is_a_sentence(tmp_path: Path, body: str, message: str) -> None:
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    name = named(tmp_path, metric_of(body), "m")
    with pytest.raises(InputError) as caught:
        parameterised_values(schedule, schedule.ran, [name])
    assert str(caught.value).startswith(f"{tmp_path}/mine.py: ")
    assert message in str(caught.value)


def test_an_endless_metric_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONGEST", 1.0)
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    name = named(tmp_path, metric_of("return [0 for _ in iter(int, 1)]"), "m")
    with pytest.raises(InputError, match="did not return for 1 s"):
        parameterised_values(schedule, schedule.ran, [name])


@pytest.mark.parametrize(
    ("text", "rest", "message"),
    [
        (LATE, "lat", "there is no metric 'lat'; did you mean 'late'?"),
        (LATE, "f", "there is no metric 'f'; its metrics are late, sent"),
        (LATE, "late,days=1", "late has no parameter 'days'; its parameters are hours"),
        (LATE, "late,hours=-1", "hours cannot be -1: it is from 0 to 100"),
        (LATE.replace('"lower"', '"less"'), "late", 'spell it like @batchscope.metric(unit="s", better='),
        (LATE.replace('("s", None)', ""), "sent", "mine.py:11: sent: spell it like @batchscope.metric("),
        (LATE.replace("sent(jobs)", "sent()"), "sent", "sent should be `def sent(jobs, *, ...)`"),
    ],
)
def test_a_wrong_spelling_is_said(tmp_path: Path, text: str, rest: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        named(tmp_path, text, rest)
    assert message in str(caught.value)


def test_only_what_was_named_runs_and_a_metric_decides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{LATE}\n# {path}\n")
    with pytest.raises(InputError, match="is a program of somebody's own"):
        parse_metric(f"{path}:late")
    allow_metric(f"{path}:late")
    with pytest.raises(InputError, match="late is a metric, which decides nothing: give it with --metric"):
        parse_policy(f"{path}:late")
    assert parse_policy(str(path)).spelling == f"{path}:f"
    path.write_text("changed\n")  # a table that is shown later has its units still
    assert parse_metric(f"{path}:late").unit == "%"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root lowers niceness")
def test_its_process_has_the_niceness_of_the_program_not_of_the_thread(tmp_path: Path) -> None:
    name = named(tmp_path, metric_of("import os; return os.getpriority(os.PRIO_PROCESS, 0)"), "m")
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    values: list[object] = []

    def measure() -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        values.append(parameterised_values(schedule, schedule.ran, [name])[name])

    thread = threading.Thread(target=measure)
    thread.start()
    thread.join()
    assert values == [os.getpriority(os.PRIO_PROCESS, os.getpid())]


def test_one_process_answers_for_all_runs_and_none_depends_on_the_one_before(tmp_path: Path) -> None:
    body = "import os; global seen; seen = globals().get('seen', 0) + 1; return os.getpid() + seen / 2"
    name = named(tmp_path, metric_of(body), "m")
    schedules = [schedule_of(TRACE, MACHINE, parse_policy(policy)) for policy in ("easy", "fcfs")]
    values = {parameterised_values(run, run.ran, [name])[name] for run in schedules}
    assert len(values) == 1
    answers.end_idle()


def test_a_report_has_the_text_of_its_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.report.make.FIGURES", ())
    name = named(tmp_path, BY_USER, "longest")
    runs = batchscope.compare(batchscope.read(small_log(tmp_path)), ["easy", "fcfs"], metrics=[name])
    page = batchscope.report(runs, tmp_path / "report").read_text()
    (code,) = json.loads((tmp_path / "report" / "manifest.json").read_text())["code"]
    assert (code["path"], len(code["files"])) == (str(tmp_path / "mine.py"), 1)
    assert (tmp_path / "report" / code["files"][0]).read_text() == BY_USER
    assert f"{code['sha256']}. The text is among the files of this report" in page
    assert "mine.py:longest: longest of mine.py." in page
    assert ">mine.py:longest</th>" in page
