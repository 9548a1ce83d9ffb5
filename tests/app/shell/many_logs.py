"""Opens several logs at once and closes them, again and again, and prints the memory held after each round.

`python -m tests.app.shell.many_logs FOLDER ROUNDS LOGS JOBS`: a program of its own, as tests hold memory too.
"""

import gc
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from app.cli.start import quiet_platform
from app.model.settings import Settings
from app.shell.windows import Windows
from app.work.process import trim_heaps, tune_process
from engine.system import resident_bytes
from tests.app.windows import site_log


def open_and_close(logs: list[Path]) -> None:
    """Open a window for each log, all at once, and close them when all is drawn."""
    windows = Windows(Settings(theme="light"))
    for log in logs:
        window = windows.make()
        window.resize(1400, 900)
        window.show()
        window.open_path(log)
    for window in windows.open:
        window.wait_until_drawn(120)
    windows.close_all()
    windows.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.processEvents()


def main(folder: Path, rounds: int, logs: int, jobs: int) -> int:
    """Print the MiB that the process holds after each round."""
    tune_process()
    app = QApplication(sys.argv[:1])
    paths = [site_log(folder, f"site{number}.swf", jobs=jobs) for number in range(logs)]
    for _ in range(rounds):
        open_and_close(paths)
        # As the window does while nothing is done: what is garbage by now is not held for long.
        gc.collect()
        trim_heaps()
        print(round((resident_bytes() or 0) / 2**20), flush=True)
    left = {type(widget).__name__ for widget in app.topLevelWidgets()}
    assert not left, left
    return 0


if __name__ == "__main__":
    with quiet_platform():
        sys.exit(main(Path(sys.argv[1]), *map(int, sys.argv[2:5])))
