"""Opens a trace in the window, lets four runs go, zooms, pans and more; prints as JSON what was measured."""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

began = time.perf_counter()

from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from app.model.settings import Settings  # noqa: E402
from app.shell.window import MainWindow  # noqa: E402
from app.work.process import tune_process  # noqa: E402
from engine.system import resident_bytes  # noqa: E402
from tests.gaps import gaps  # noqa: E402
from views.state.filter import Filter  # noqa: E402

STEPS = 60
REST_MS = 3000
"""By then what is freed has been given back."""


def main(path: Path) -> dict[str, float]:
    tune_process()
    app = QApplication(sys.argv[:1])
    window = MainWindow(Settings(theme="light"), keep_settings=False)
    window.resize(1600, 900)
    window.show()
    app.processEvents()
    first_paint = time.perf_counter() - began

    # The longest time in which nothing else had its turn, from opening to the last picture.
    with gaps() as held:
        opened = time.perf_counter()
        window.open_path(path)
        done = settle(window) - opened

    clock = window.clock
    zooms = frames(window, lambda forth: clock.zoom(0.93 if forth else 1 / 0.93))
    clock.zoom(0.3)
    pans = frames(window, lambda forth: clock.pan((0.02 if forth else -0.02) * clock.span))
    # Memory is measured when nothing is to be done any more, and the heaps were trimmed.
    rest = QEventLoop()
    QTimer.singleShot(REST_MS, rest.quit)
    rest.exec()
    resting = (resident_bytes() or 0) / 2**20
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    # Single acts come last, since they change what is shown.
    with TemporaryDirectory() as folder:
        todo = acts(window, path, Path(folder))
        later = {f"{name}_gap_ms": longest(window, act) for name, act in todo.items()}
    window.close()
    return {
        "first_paint_s": round(first_paint, 3),
        "all_drawn_s": round(done, 3),
        "longest_gap_ms": round(1000 * max(held), 1),
        "gaps_over_50_ms": sum(gap > 0.05 for gap in held),
        **{f"zoom_{name}": value for name, value in text_of(zooms).items()},
        **{f"pan_{name}": value for name, value in text_of(pans).items()},
        "memory_at_rest_mib": round(resting),
        "peak_memory_mib": round(memory),
        **later,
    }


def settle(window: MainWindow) -> float:
    """Let the window work until nothing happens any more; when that began."""
    still = time.perf_counter()
    while time.perf_counter() - still < 0.3:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if window.workbench.busy or window.page.busy or window.executor.busy:
            still = time.perf_counter()
    return still


def acts(window: MainWindow, path: Path, folder: Path) -> dict[str, Callable[[], object]]:
    """What is done in the window that changes much of it at once, or takes long; files go to the `folder`."""
    from engine.filter import parse_filter

    return {
        "select_user": lambda: window.selection.select_users(frozenset({0})),
        "filter": lambda: window.filter.set(Filter(parse_filter("procs > 16"), hides=True)),
        "difference": lambda: window.show_view("difference"),
        "all_views": lambda: window.show_view("all"),
        "theme": lambda: window.set_theme("dark"),
        "export_schedules": lambda: window.menus.exporter.write_table("schedule", folder / "schedule.csv"),
        "export_figure": lambda: window.menus.exporter.write_chart("gantt", folder / "gantt.pdf"),
        "open_again": lambda: window.open_path(path),
    }


def longest(window: MainWindow, act: Callable[[], object]) -> float:
    """The longest gap, in ms, from an act until all that comes of it is seen."""
    with gaps() as held:
        act()
        settle(window)
    return round(1000 * max(held), 1)


def frames(window: MainWindow, move: Callable[[bool], None]) -> list[float]:
    """Seconds of each step of a gesture, forth and back: old pictures at once, new ones as they come."""
    window.wait_until_drawn(60)
    taken = []
    for step in range(STEPS):
        began = time.perf_counter()
        move(step < STEPS // 2)
        QApplication.processEvents()
        taken.append(time.perf_counter() - began)
    window.wait_until_drawn(60)
    return taken


def text_of(seconds: list[float]) -> dict[str, float]:
    """The median, what 95 % stay below, and the worst."""
    last = len(seconds) - 1
    indices = {"median_ms": last // 2, "95_%_ms": round(0.95 * last), "worst_ms": last}
    return {name: round(1000 * sorted(seconds)[index], 1) for name, index in indices.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
