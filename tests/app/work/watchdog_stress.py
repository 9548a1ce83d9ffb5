"""The watchdog with a patience of milliseconds, in a process whose threads do all that a window's do.

`python -m tests.app.work.watchdog_stress STALLS` ends after so many stalls whose stacks were logged, about
seventy a second, or after `MOST_S` for each hundred of them, and prints what was counted. It is a program
of its own, since what it looks for would end the tests themselves.
"""

import gc
import logging
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QObject, QThreadPool

import app.work.watchdog
from app.work.compile_kernels import _small_trace
from app.work.process import tune_process
from app.work.watchdog import Watchdog
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate

PATIENCE_S = 0.002
MOST_S = 20.0
BEAT_MS = 4
"""Longer than the patience, so that nearly each beat ends a stall."""

counts: Counter[str] = Counter()
done = threading.Event()
STACKS = "stalls with stacks"


class Counting(logging.Handler):
    """Counts what the watchdog logs, by what its stacks show."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count a stall."""
        text = record.getMessage()
        counts[STACKS if "Thread of the windows" in text else "stalls without stacks"] += 1
        counts["with a kernel"] += "run_kernels" in text
        counts["with deep calls"] += text.count("in descend\n") > 5


class Watched(QObject):
    """An object of Qt that notes where it is deleted."""

    def __del__(self) -> None:
        here = threading.current_thread() is threading.main_thread()
        counts["objects deleted here" if here else "objects deleted by another thread"] += 1


def descend(depth: int) -> int:
    """Frames that come and go at once."""
    return 0 if depth == 0 else descend(depth - 1) + 1


def counting_down(number: int) -> Iterator[int]:
    """A generator, whose frame is entered and left without being made anew."""
    yield number
    if number:
        yield from counting_down(number - 1)


def run_python() -> None:
    """Calls, generators, exceptions and code that is compiled and thrown away."""
    descend(random.randrange(5, 60))
    sum(counting_down(random.randrange(20)))
    scope: dict[str, Callable[[int], list[int]]] = {}
    exec("def listing(number):\n return [x for x in range(number)]", scope)
    scope["listing"](5)
    try:
        descend(-1)  # until Python refuses
    except RecursionError:
        counts["exceptions"] += 1


def run_kernels() -> None:
    """A simulation, most of which runs without the interpreter."""
    trace = _small_trace()
    for _ in range(50):
        simulate(trace, Cluster.pool(8), parse_policy("easy"), log=True)


def run_threads() -> None:
    """Threads that begin and end."""
    threads = [threading.Thread(target=descend, args=(20,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def again(work: Callable[[], None]) -> None:
    """Do some work until the end."""
    while not done.is_set():
        work()


def use_qt(pool: QThreadPool) -> None:
    """What a thread with windows does: objects of Qt as local variables, and tasks for a pool of Qt's."""
    objects = [Watched() for _ in range(10)]
    descend(30)
    pool.start(count_task)
    use_object()
    until = time.monotonic() + 0.006
    while time.monotonic() < until:
        descend(len(objects))


def use_object() -> None:
    """A local variable that has to be deleted when the function returns, as painters have."""
    before = counts["objects deleted here"]
    hold_object()
    counts["objects kept too long"] += counts["objects deleted here"] == before


def hold_object() -> None:
    """Some work with an object."""
    held = Watched()
    until = time.monotonic() + 0.004
    while time.monotonic() < until:
        descend(10 + held.isWidgetType())


def count_task() -> None:
    """A task in a thread that Python meets for the first time."""
    descend(10)
    counts["tasks of the pool"] += 1


def impatient_watchdog() -> Watchdog:
    """A watchdog whose stalls are counted, and which takes milliseconds for one."""
    logging.getLogger(app.work.watchdog.LOGGER).addHandler(Counting())
    app.work.watchdog.LONGEST_S = PATIENCE_S - app.work.watchdog._BEAT_MS / 1000
    watchdog = Watchdog()
    watchdog._timer.setInterval(BEAT_MS)
    return watchdog


def main(stalls: int) -> None:
    """Run all of it, and print the counts."""
    tune_process()
    run_kernels()  # compiled if they are not yet, with all the depth of calls that takes
    sys.setrecursionlimit(200)
    application = QCoreApplication([])
    watchdog = impatient_watchdog()
    works = (run_python, run_python, run_kernels, run_threads)
    threads = [threading.Thread(target=again, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    pool = QThreadPool()
    pool.setExpiryTimeout(1)  # its threads come and go too
    deadline = time.monotonic() + MOST_S * stalls / 100
    while counts[STACKS] < stalls and time.monotonic() < deadline:
        application.processEvents()
        use_qt(pool)
        gc.collect(0)
    done.set()
    for thread in threads:
        thread.join()
    pool.waitForDone()
    watchdog.close()
    print(", ".join(f"{number} {name}" for name, number in sorted(counts.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]))
