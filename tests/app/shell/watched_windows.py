"""Windows that open a log, export and close, under a watchdog with a patience of milliseconds.

`python -m tests.app.shell.watched_windows WINDOWS` prints what was counted: it is a program of its own, since
what it looks for would end the tests themselves.
"""

import gc
import os
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from app.cli.start import quiet_platform
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.work.process import tune_process
from tests.app.shell.many_windows import until
from tests.app.windows import site_log
from tests.app.work.watchdog_stress import STACKS, counts, impatient_watchdog

CHARTS = ("gantt.png", "heatmap.svg", "distributions.pdf")
TABLES = ("metrics.csv",)
JOBS = 60


def open_export_close(log: Path, folder: Path, number: int) -> None:
    """The life of a window; each third is closed while it still works."""
    window = MainWindow(Settings(theme="dark" if number % 2 else "light"), keep_settings=False)
    window.resize(1200, 800)
    window.show()
    window.open_path(log)
    # Two of three windows are used in full; the third is closed as soon as its log is open.
    if number % 3:
        window.wait_until_drawn(60)
        chart, table = folder / CHARTS[number % len(CHARTS)], folder / TABLES[number % len(TABLES)]
        window.menus.exporter.write_chart(chart.stem, chart)
        window.menus.exporter.write_table(table.stem, table)
        until(lambda: chart.exists() and table.exists())
        counts["files exported"] += 2
        chart.unlink()
        table.unlink()
    else:
        until(lambda: window.workbench.is_open)
    window.close()
    window.deleteLater()
    # `deleteLater` only deletes in an event loop, which there is none of here.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.processEvents()
    counts["windows"] += 1


def main(windows: int) -> int:
    """Open and close so many windows, and print the counts."""
    tune_process()
    app = QApplication(sys.argv[:1])
    watchdog = impatient_watchdog()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(folder / variable)
        log = site_log(folder, jobs=JOBS)
        for number in range(windows):
            open_export_close(log, folder, number)
            if number % 20 == 19:
                gc.collect()  # as the window does while nothing is done
                print(dict(counts), flush=True)
    watchdog.close()
    left = {type(widget).__name__ for widget in app.topLevelWidgets()}
    assert not left, left
    assert counts[STACKS] > windows, counts
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    with quiet_platform():
        sys.exit(main(int(sys.argv[1])))
