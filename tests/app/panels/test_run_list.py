from __future__ import annotations

import time

from app.panels.run_list import under_way
from engine.simulation.control import ENDED, Control
from views.work.executor import Task


def never(_: object) -> None:
    raise AssertionError("must not be called")


def test_how_far_a_run_is_in_words() -> None:
    task = Task("run", never, never, never, control=Control(jobs=100))
    assert under_way(task) == "waiting for a processor"
    task.began = time.monotonic() - 30
    assert under_way(task) == "0 %"
    task.control.array[ENDED] = 60
    assert under_way(task) == "60 %, 20 s left"
    task.control.array[ENDED] = 100
    assert under_way(task) == "laying out its charts"
