"""Sites in a window: the doors by which they come in, and the machine that the first of them brings."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.panels.sources.add_site import ask_for_site
from app.shell.window import MainWindow
from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.reading.read import on_site_machine, read_log_as
from engine.simulation.run import simulate
from tests.app.session.test_read_again import redo, undo
from tests.app.shell.test_start import MakeWindow, drop, messages_of
from tests.app.windows import EASY, settle, site_log

CONF = """NodeName=c[1-{nodes}] CPUs=64 RealMemory=65536
PartitionName=long Nodes=ALL
PartitionName=short Nodes=ALL
PriorityType=priority/multifactor
PriorityWeightAge=5
KillWait=7
SchedulerParameters=bf_interval=17,bf_window=99,bf_resolution=1,sched_interval=-1
"""


def site_of(folder: Path, nodes: int) -> Path:
    """The folder of a site of so many nodes."""
    folder.mkdir()
    (folder / "slurm.conf").write_text(CONF.format(nodes=nodes))
    return folder


@pytest.fixture
def opened(make_window: MakeWindow, tmp_path: Path) -> MainWindow:
    """A window with a log on the machine that the log tells."""
    window = make_window()
    window.open_path(site_log(tmp_path, jobs=60))
    settle(window)
    return window


def machines(window: MainWindow) -> list[str]:
    return [run.cluster.spelling for run in window.workbench.study.runs]


def test_the_first_site_brings_the_machine_of_the_log_which_undo_takes_back(
    qtbot: QtBot, opened: MainWindow, tmp_path: Path
) -> None:
    before, own = machines(opened), str(opened.workbench.study.cluster)
    trace = opened.workbench.study.trace
    drop(opened, site_of(tmp_path / "a", 6))
    settle(opened)
    study = opened.workbench.study
    assert study.cluster == study.trace.cluster == study.runs[-1].policy.machine
    assert set(machines(opened)) == {"6x64c64g"}
    assert study.runs[-1].schedule is not None
    assert "The log is on the machine of site:" in messages_of(opened)
    assert "(the machine of a)" in opened.status.trace.text()
    undo(qtbot, opened, 2)
    assert (machines(opened), str(opened.workbench.study.cluster)) == (before, own)
    assert opened.workbench.study.trace.ram.tolist() == trace.ram.tolist()
    assert "the machine of" not in opened.status.trace.text()
    redo(qtbot, opened, 2)
    assert machines(opened) == ["6x64c64g"] * (len(before) + 1)


def test_status_and_message_spell_a_machine_as_the_table_of_runs_does(
    opened: MainWindow, tmp_path: Path
) -> None:
    site = site_of(tmp_path / "a", 6)
    more = "NodeName=d[1-4] CPUs=64 RealMemory=65536 Feature=fast\nPartitionName=other Nodes=d[1-4]\n"
    (site / "slurm.conf").write_text(CONF.format(nodes=6) + more)
    drop(opened, site)
    settle(opened)
    assert opened.workbench.study.cluster.spelling == "6x64c64g+4x64c64g"
    assert "now, 10x64c64g, with" in messages_of(opened)
    assert "10x64c64g = 640 processors" in opened.status.trace.text()


def test_of_two_sites_each_keeps_its_machine_and_the_first_gives_that_of_the_log(
    opened: MainWindow, tmp_path: Path
) -> None:
    few = len(machines(opened))
    drop(opened, site_of(tmp_path / "a", 6), site_of(tmp_path / "b", 8))
    settle(opened)
    assert machines(opened) == ["6x64c64g"] * (few + 1) + ["8x64c64g"]
    names = [opened.workbench.study.name(run) for run in opened.workbench.study.runs]
    assert names[-2:] == ["site:a", "site:b on 8x64c64g"]
    compared = [run.result.name for run in opened.workbench.finished()]
    assert compared[-2:] == names[-2:]
    assert opened.workbench.study.cluster.spelling == "6x64c64g"


def test_a_machine_that_was_asked_for_stays_that_of_the_log(opened: MainWindow, tmp_path: Path) -> None:
    opened.workbench.change_run(
        EASY, parse_policy("easy"), parse_policy(f"site:{site_of(tmp_path / 'c', 3)}").machine
    )
    settle(opened)
    drop(opened, site_of(tmp_path / "a", 6))
    settle(opened)
    found = dict(zip((run.id for run in opened.workbench.study.runs), machines(opened), strict=True))
    assert found.pop(EASY) == "3x64c64g"
    assert set(found.values()) == {"6x64c64g"}


def test_a_site_on_whose_machine_no_job_fits_leaves_the_log_as_it_is(
    opened: MainWindow, tmp_path: Path
) -> None:
    before = machines(opened)
    folder = site_of(tmp_path / "a", 1)
    (folder / "slurm.conf").write_text("NodeName=n CPUs=1 RealMemory=1\nSelectTypeParameters=CR_CPU_Memory\n")
    drop(opened, folder)
    with pytest.raises(InputError, match="none of the 60 jobs fits on this machine"):
        settle(opened)
    assert machines(opened) == before
    assert not opened.workbench.edits.canUndo()


def test_a_slurm_conf_gives_the_same_model_whether_dropped_opened_or_chosen(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = site_of(tmp_path / "a", 6) / "slurm.conf"
    monkeypatch.setattr(opened.opener, "ask_path", lambda _: conf)
    for way in (
        lambda: drop(opened, conf),
        lambda: drop(opened, conf.parent),
        lambda: opened.open_path(conf),
        lambda: ask_for_site(opened.models, opened.opener),
    ):
        way()
        settle(opened)
    runs = opened.workbench.study.runs[-4:]
    expected = parse_policy(f"site:{conf.parent}").site
    assert expected is not None
    assert expected.machine is not None
    assert {run.policy.site.rules(1) for run in runs if run.policy.site} == {expected.rules(1)}
    assert [run.cluster for run in runs] == [expected.machine] * 4
    policy, log = parse_policy(str(conf)), tmp_path / "site.swf"
    read = read_log_as(log, on_site_machine(Reading(), [policy]))  # as the command line does
    starts = [run.schedule.start.tolist() for run in runs if run.schedule is not None]
    assert starts == [simulate(read.trace, expected.machine, policy).start.tolist()] * 4
