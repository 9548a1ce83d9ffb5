import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.model.workbench import Workbench
from engine.policy.policy import parse_policy

EASY, FCFS = parse_policy("easy"), parse_policy("fcfs")


@pytest.fixture
def workbench(qtbot: QtBot) -> Iterator[Workbench]:
    workbench = Workbench()
    workbench.judged.connect(workbench.measure)  # nothing is drawn
    yield workbench
    workbench.shutdown()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.swf"
    lines = [
        f"{j} {5 * j} 0 {30 + j % 9} {1 + j % 8} -1 -1 -1 60 -1 1 {j % 4} 1 1 1 1 -1 -1" for j in range(300)
    ]
    path.write_text("; MaxProcs: 10\n" + "\n".join(lines), "utf-8")
    return path


def open_log(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    workbench.open(log, (EASY, FCFS))
    qtbot.waitUntil(lambda: len(workbench.finished()) == 2 and not workbench.busy, timeout=60_000)


def test_a_trace_is_read_simulated_and_judged(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    open_log(qtbot, workbench, log)
    easy, fcfs = (run.result for run in workbench.finished())
    assert [easy.name, fcfs.name] == ["easy", "fcfs"]
    assert easy.summary["jobs"] == fcfs.summary["jobs"] == 300
    assert easy.summary["wait_mean"] < fcfs.summary["wait_mean"]
    assert len(workbench.open_study.drawn[1].boxes.job) >= 300


def test_metrics_come_after_what_is_drawn(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    open_log(qtbot, workbench, log)
    received: list[tuple[str, bool]] = []

    def tell(what: str) -> None:
        received.append((what, all(run.evaluation.has_summary for run in workbench.finished())))

    workbench.judged.connect(lambda: tell("judged"))
    workbench.measured.connect(lambda: tell("measured"))
    workbench.explore(2, parse_policy("saf-easy"))
    qtbot.waitUntil(lambda: not workbench.busy)
    assert received == [("judged", False), ("measured", True)]


def test_metrics_are_kept_until_the_next_ones_are_there(
    qtbot: QtBot, workbench: Workbench, log: Path
) -> None:
    open_log(qtbot, workbench, log)
    workbench.judged.disconnect(workbench.measure)
    with qtbot.waitSignal(workbench.judged):
        workbench.explore(2, parse_policy("saf-easy"))
    assert [metric.name for metric in workbench.comparison.metrics] == ["easy", "fcfs"]
    assert not workbench.finished()[1].evaluation.has_summary
    with qtbot.waitSignal(workbench.measured):
        workbench.measure()
    assert [metric.name for metric in workbench.comparison.metrics] == ["easy", "saf-easy"]


def test_a_run_can_be_added_changed_and_removed(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    open_log(qtbot, workbench, log)
    workbench.add_run(parse_policy("saf-easy"))
    qtbot.waitUntil(lambda: len(workbench.finished()) == 3)
    workbench.change_run(3, parse_policy("aggressive"))
    qtbot.waitUntil(
        lambda: [run.result.name for run in workbench.finished()] == ["easy", "fcfs", "aggressive"]
    )
    workbench.remove_run(1)
    qtbot.waitUntil(lambda: [run.result.name for run in workbench.finished()] == ["fcfs", "aggressive"])


def test_no_edit_is_left_to_the_collector(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    """An edit that the collector deletes before its stack is deleted twice, which crashes."""
    open_log(qtbot, workbench, log)
    workbench.add_run(parse_policy("saf-easy"))
    edit = weakref.ref(workbench.edits.command(0))
    workbench.shutdown()
    assert workbench.edits.count() == 0
    assert edit() is None


def test_a_file_that_cannot_be_read_leaves_what_is_open(
    qtbot: QtBot, workbench: Workbench, log: Path, tmp_path: Path
) -> None:
    open_log(qtbot, workbench, log)
    bad = tmp_path / "bad.swf"
    bad.write_bytes(b"\x00\x01\x02")
    with qtbot.waitSignal(workbench.failed) as failed:
        workbench.open(bad, (EASY,))
    assert str(bad) in failed.args[0]
    assert workbench.study.trace.name == "log"
    assert len(workbench.finished()) == 2


def test_a_cancelled_run_can_be_started_again(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    open_log(qtbot, workbench, log)
    workbench.start_run(1)
    workbench.cancel_run(1)
    assert workbench.open_study.live[1].task is None
    workbench.start_run(1)
    qtbot.waitUntil(lambda: not workbench.busy)
    assert len(workbench.finished()) == 2


def test_another_share_judges_all_runs_anew(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    open_log(qtbot, workbench, log)
    before = workbench.finished()[0].result.summary["violated_jobs"]
    with qtbot.waitSignal(workbench.judged):
        workbench.set_share("1c")
    assert workbench.finished()[0].result.summary["violated_jobs"] != before


def test_while_held_nothing_starts(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    workbench.hold()
    workbench.open(log, (EASY, FCFS))
    assert workbench.busy
    assert workbench.log_opening.waits
    qtbot.wait(20)
    task = workbench.log_opening.task
    assert task is not None
    assert task.began is None
    workbench.release()
    qtbot.waitUntil(lambda: len(workbench.finished()) == 2)


def test_recorded_without_waits_says_why_it_cannot_be_shown(
    qtbot: QtBot, workbench: Workbench, tmp_path: Path
) -> None:
    path = tmp_path / "no_waits.swf"
    path.write_text("; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", "utf-8")
    recorded = parse_policy("recorded")
    workbench.open(path, (recorded, EASY))
    qtbot.waitUntil(lambda: workbench.is_open)
    assert [run.policy for run in workbench.study.runs] == [EASY]  # the log has no such schedule
    workbench.add_run(recorded)
    qtbot.waitUntil(lambda: bool(workbench.open_study.live[2].error))
    assert "recorded" in workbench.open_study.live[2].error
    qtbot.waitUntil(lambda: not workbench.busy)
    assert [run.result.name for run in workbench.finished()] == ["easy"]


def test_a_machine_on_which_no_job_fits_is_refused(qtbot: QtBot, workbench: Workbench, log: Path) -> None:
    log.with_name("log.swf.machines").write_text("0 tiny 2 1 1 1048576\n", "utf-8")
    log.write_text("1 0 0 9 1 -1 -1 1 9 8589934592 1 1 1 1 1 1 -1 -1 {} q 1:ppn=1\n", "utf-8")
    with qtbot.waitSignal(workbench.failed) as failed:
        workbench.open(log, (EASY,))
    assert "the only job does not fit on this machine" in failed.args[0]
    assert not workbench.is_open
