"""Host names of a log in the window: found, in rows, in the table of nodes and in the inspector."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.filter import parse_filter
from engine.quantities import Jobs
from engine.reading.options import Reading
from tests.app.actions.test_find import pick, type_into
from tests.app.windows import inspected, schedule_of, settle, show_tab, trace_of
from views.state.filter import Filter
from views.tables.nodes_table import NodesTable

HOSTS = ("c001", "c017", "fat01", "g12")
CONF = """NodeName=c[001-020] CPUs=64
NodeName=fat[01-02] CPUs=96
NodeName=g[01-12] CPUs=64 Gres=gpu:4
PartitionName=p Nodes=ALL
"""


@pytest.fixture
def hosts_log(tmp_path: Path) -> Path:
    """Each fourth of 16 jobs on one of four nodes, two hours each; a `slurm.conf` lies beside it."""
    lines = ["JobID|User|Partition|Submit|Start|End|State|NNodes|NCPUS|NodeList|Timelimit"]
    for k in range(16):
        times = (
            f"2026-03-02T{8 + k // 4 + hours:02}:{15 * (k % 4) + late:02}:00"
            for hours, late in ((0, 0), (0, 3), (2, 3))
        )
        lines.append(
            "|".join((str(1000 + k), "anna", "p", *times, "COMPLETED|1|16", HOSTS[k % 4], "03:00:00"))
        )
    (tmp_path / "slurm.conf").write_text(CONF)
    path = tmp_path / "sacct.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def open_log(window: MainWindow, log: Path, named: bool) -> None:
    conf = str(log.with_name("slurm.conf")) if named else ""
    assert window.opener.open_as(log, Reading(machine=conf))
    settle(window)


@pytest.mark.parametrize("named", [False, True])
def test_a_node_is_found_by_its_host_name(
    qtbot: QtBot, make_window: Callable[..., MainWindow], hosts_log: Path, named: bool
) -> None:
    window = make_window()
    open_log(window, hosts_log, named)
    palette = type_into(qtbot, window, Qt.Key.Key_F, "c017")
    group = "c" if named else "4x32c"
    assert [(match.name, match.about) for match in palette._search("c017")] == [
        ("c017", f"4 jobs in the log, node of {group}")
    ]
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    pick(qtbot, window, "c017")
    trace = trace_of(window)
    picked = window.selection.value
    assert sorted(trace.job_id[sorted(picked.jobs)].tolist()) == [1001, 1005, 1009, 1013]
    assert [schedule_of(window, 1).cluster.node_name(node) for node in picked.nodes] == ["c017"]
    words = inspected(window)
    assert "Node c017" in words
    assert "Jobs run 4 (1 user)" in words.replace("\n", " ")


def test_the_table_of_nodes_and_the_filter_know_host_names(
    qtbot: QtBot, make_window: Callable[..., MainWindow], hosts_log: Path
) -> None:
    window = make_window()
    open_log(window, hosts_log, named=True)
    table = show_tab(qtbot, window, "Nodes")
    settle(window)
    assert isinstance(table, NodesTable)
    names = [table.model.headerData(row, Qt.Orientation.Vertical) for row in range(3)]
    assert names == ["c001", "c002", "c003"]
    window.filter.set(Filter(parse_filter("node = c017")))
    assert sum(window.filter.value.mask(Jobs(trace_of(window)))) == 4
