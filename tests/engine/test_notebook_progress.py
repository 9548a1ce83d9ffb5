"""Progress in notebooks: a bar below the cell while a question is worked out, and nothing elsewhere."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import batchscope
from engine import notebook
from engine.notebook import progress_shown
from tests.app.cli.commands import small_log


class Handle:
    """What IPython's display returns: it draws again in the same place."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.twice = threading.Event()

    def display(self, bar: Any, display_id: bool) -> Handle:
        assert display_id
        self.shown.append(bar._repr_html_())
        return self

    def update(self, bar: Any) -> None:
        self.shown.append(bar._repr_html_())
        self.twice.set()


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    made = Handle()
    shell = SimpleNamespace(kernel=object())
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=made.display))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setattr(notebook, "_LOOK_S", 0.005)
    return made


def test_a_notebook_shows_how_much_is_done_and_nothing_in_the_end(handle: Handle) -> None:
    with progress_shown("3 runs", lambda: 0.25):
        assert handle.twice.wait(30)
    assert handle.shown[0] == '<progress max="100" value="25"></progress> 3 runs: 25 %'
    assert handle.shown[-1] == ""


def test_the_bar_ends_where_the_work_fails(handle: Handle) -> None:
    def work() -> None:
        with progress_shown("work", lambda: 0.5):
            handle.twice.wait(30)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert handle.shown[-1] == ""
    assert threading.active_count() < 50


def test_comparisons_and_searches_show_theirs(handle: Handle) -> None:
    log = batchscope.read(batchscope.EXAMPLE, jobs="0:2000")
    batchscope.compare(log, ["easy", "conservative"])
    assert all(bar == "" or (bar.endswith(" %") and " 2 runs: " in bar) for bar in handle.shown)
    handle.shown.clear()
    batchscope.search(log, keys="backfill=queue|sjf", trials=3)
    assert handle.shown
    assert all(bar == "" or " search: " in bar for bar in handle.shown)


SITE = "ClusterName=c\nNodeName=n[1-2] CPUs=4\nPartitionName=batch Nodes=ALL Default=YES\n"
QUEUED = """JOBID|PARTITION|NAME|USER|ST|TIME|TIME_LIMIT|NODES|CPUS|NODELIST(REASON)
1|batch|a|ann|R|10:00|1:00:00|2|8|n[1-2]
2|batch|a|bob|PD|0:00|30:00|1|4|(Resources)
"""


def test_studies_twins_and_queues_tell_how_much_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, float] = {}

    @contextmanager
    def kept(what: str, progress: Callable[[], float]) -> Iterator[None]:
        assert progress() == 0
        yield
        told[what] = progress()

    for module in ("engine.api", "engine.now.questions"):
        monkeypatch.setattr(f"{module}.progress_shown", kept)
    log = batchscope.read(small_log(tmp_path), machine="2x4c")
    study, site, queue = (tmp_path / name for name in ("study.toml", "slurm.conf", "queue.txt"))
    study.write_text('policies = ["easy", "fcfs"]\nmetrics = ["wait_mean"]\nagainst = "easy"\n')
    site.write_text(SITE)
    queue.write_text(QUEUED)
    batchscope.sweep(study, [log, log], tmp_path / "out")
    batchscope.twin(log, site)
    batchscope.now(site, queue, at="2026-11-29T10:00", replays=3, seconds=600)
    assert list(told) == ["study", "twin", "replays"]
    assert told["study"] == 1
    assert told["twin"] > 0.9


@pytest.mark.parametrize("shell", [None, SimpleNamespace(kernel=None), SimpleNamespace()])
def test_elsewhere_nothing_is_shown(handle: Handle, monkeypatch: pytest.MonkeyPatch, shell: object) -> None:
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: shell)
    with progress_shown("work", lambda: 0.5):
        assert threading.active_count() < 50
    assert not handle.shown
