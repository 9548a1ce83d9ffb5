"""Work for executors under test: work that waits, and what must not be called."""

import threading
import time
from collections.abc import Callable

from engine.simulation.control import Cancelled, Control
from views.work.executor import Executor


def never(_: object) -> None:
    raise AssertionError("must not be called")


def ignore(_: object) -> None:
    pass


def until_cancelled(control: Control) -> None:
    while not control.cancelled:
        time.sleep(0.001)
    raise Cancelled


def begun(executor: Executor, key: str) -> Callable[[], bool]:
    task = executor.task(key)
    assert task is not None
    return lambda: task.began is not None


class Gate:
    """Holds work back until it is opened; `entered` counts who came."""

    def __init__(self) -> None:
        self.entered = 0
        self._open = threading.Event()

    def __call__(self, _: Control) -> None:
        self.entered += 1
        assert self._open.wait(60)

    def open(self) -> None:
        self._open.set()
