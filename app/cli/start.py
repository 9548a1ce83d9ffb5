"""Starting the window: on the screen, or drawn to a picture."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.file_kinds import LINK_MARK
from app.work.kernel_children import compiling_in_children
from engine.errors import InputError
from engine.input import exists, hold_standard_input
from engine.limits import MAX_TRACE_BYTES
from engine.system import needs_display

if TYPE_CHECKING:
    from PySide6.QtCore import QMessageLogContext, QtMsgType
    from PySide6.QtWidgets import QApplication

    from app.shell.window import MainWindow
    from engine.policy.policy import Policy

DEFAULT_SIZE = (1600, 1000)
_PICTURE_TIMEOUT_S = 900
_LATER_MS = 1500
"""After so long a window has been painted, and what can wait is done."""

_NOISE = "This plugin does not support propagateSizeHints()"


def open_window(files: Sequence[Path], options: argparse.Namespace) -> int:
    """Open windows for the `batchscope` command without a further word."""
    for path in files:
        if LINK_MARK not in path.name and not exists(path):
            raise InputError(f"{path}: no such file")
    _policies(options)  # misspelled options are reported before a window opens
    hold_standard_input(files, MAX_TRACE_BYTES)  # a window reads its log again, as a fingerprint
    if options.screenshot is not None:
        if len(files) > 1:
            raise InputError("--screenshot draws a single window; name a single trace or session")
        return _picture(files[0] if files else None, options.screenshot, options)
    if not _has_display():
        raise InputError("there is no display; use --screenshot FILE, or a command like `batchscope compare`")
    return on_screen(list(files) or [None], options)


def open_demo(options: argparse.Namespace) -> int:
    """Show the bundled example under four policies; without a display as a picture and a table."""
    from resources import example_path

    if options.screenshot is not None:
        return _picture(example_path(), options.screenshot, options)
    if _has_display():
        return on_screen([example_path()], options)
    picture, table = Path("batchscope-demo.png"), Path("batchscope-demo.csv")
    status = _picture(example_path(), picture, options, table)
    print(f"There is no display. The window is drawn in {picture.resolve()},")
    print(f"its metrics are in {table.resolve()}.")
    return status


@contextmanager
def quiet_platform() -> Iterator[None]:
    """Drop the message that Qt's offscreen platform prints for every window; pass on all others."""
    from PySide6.QtCore import qFormatLogMessage, qInstallMessageHandler

    def note_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if text == _NOISE:
            return
        if callable(before):
            before(kind, context, text)
        else:
            print(qFormatLogMessage(kind, context, text), file=sys.stderr)

    # Qt has a single handler: whoever had set it before still gets all other messages.
    before = qInstallMessageHandler(note_message)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _has_display() -> bool:
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if not needs_display() or platform:
        return platform.partition(":")[0] not in ("offscreen", "minimal")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _check_platform() -> None:
    """Raise InputError where a library is missing, or no display answers: Qt would end the process."""
    from app.work.health import window_obstacle

    if obstacle := window_obstacle(os.environ):
        raise InputError(f"{obstacle} (`batchscope doctor` checks everything)")


@compiling_in_children()
def on_screen(paths: Sequence[Path | None], options: argparse.Namespace) -> int:
    """Show a window for each trace or session, or an empty one, until all are closed."""
    _check_platform()
    app = _application()
    from PySide6.QtCore import QTimer

    from app.model.settings import load_settings
    from app.shell.fault_notices import FaultNotices, offer_reports
    from app.shell.windows import Windows
    from app.work.end_signals import EndSignals
    from app.work.faults import FaultReports
    from app.work.watchdog import Watchdog, start_log, stop_log

    log = start_log()
    settings = load_settings()
    windows = Windows(settings, options.theme)
    notices = FaultNotices(windows)
    faults, watchdog = FaultReports(notices.report), Watchdog()
    later = QTimer(watchdog, singleShot=True, interval=_LATER_MS)
    later.timeout.connect(faults.describe)
    later.start()
    for path in paths:
        window = windows.make()
        if options.size is not None:
            window.resize(*options.size)
        show_window(window, path, options)
    windows.open[0].touring.offer()
    for doubt in settings.doubts:
        windows.open[0].messages.show_message(doubt)
    offer_reports(windows.open[0].messages)
    windows.offer_leftovers(windows.open[0])
    ends = EndSignals(windows.end)  # which leaves as if all had been closed, and nothing to be recovered
    status = app.exec()
    windows.close_all()
    ends.close()
    later.stop()
    watchdog.close()
    faults.close()
    stop_log(log)
    _let_go()
    return status


@compiling_in_children()
def _picture(path: Path | None, picture: Path, options: argparse.Namespace, table: Path | None = None) -> int:
    """Draw the window when all is done. Raises InputError where the trace can't be opened."""
    if picture.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise InputError(f"{picture}: a screenshot is a .png or .jpg file")
    if not options.force:
        from app.export.output import keep_others

        for written, begins in ((picture, ""), (table, "metric,unit,")):
            if written is not None:
                keep_others(written, begins)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _check_platform()
    from app.cli.terminal import show_compiling
    from app.model.settings import load_settings
    from app.shell.window import MainWindow

    show_compiling()  # the window has it done
    with quiet_platform():
        _application()
        window = MainWindow(load_settings(), keep_settings=False, theme=options.theme or "light")
        window.resize(*(options.size or DEFAULT_SIZE))
        try:
            show_window(window, path, options)
            window.wait_until_drawn(_PICTURE_TIMEOUT_S)
            window.save_picture(picture)
            if table is not None:
                _print_metrics(window, table)
        finally:
            window.close()
            window.deleteLater()
            _let_go()
    return 0


def _print_metrics(window: MainWindow, table: Path) -> None:
    """Write the metrics of all finished runs as CSV, and as text to standard output. Raises OSError."""
    from app.export.output import metrics_lines, write_metrics

    results = [run.result for run in window.workbench.finished()]
    summaries, names = [result.summary for result in results], [result.name for result in results]
    write_metrics(summaries, names, table)
    print("\n".join(metrics_lines(summaries, names, 0)))


def show_window(window: MainWindow, path: Path | None, options: argparse.Namespace) -> None:
    """Show a window with a file; a view that was asked for counts more than a session's own."""
    from PySide6.QtCore import Qt

    # The view is chosen at once, and once more when a session has brought its own.
    if options.view is not None:
        window.show_view(options.view)
        window.workbench.opened.connect(
            lambda _: window.show_view(options.view), Qt.ConnectionType.SingleShotConnection
        )
    window.show()
    if path is None:
        return
    if policies := _policies(options):
        # Code that was named on the command line may run.
        window.models.code.trust(policies)
        window.opener.open_path(path, policies)
    else:
        window.open_path(path)


def _policies(options: argparse.Namespace) -> tuple[Policy, ...]:
    """The policies that were asked for; none to go by the settings. Raises InputError."""
    from app.cli.loading import policy_of

    defaults = argparse.Namespace(estimate=None, seed=None, quiet=True)
    return tuple(policy_of(text, defaults) for text in options.policy)


def _application() -> QApplication:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from app.work.process import tune_process
    from app.work.timings import show_timings
    from resources import icon_path

    # The process is tuned before Qt starts threads of its own.
    tune_process()
    # Tests have an application already, and a process has at most a single application.
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("Batchscope")
    app.setDesktopFileName("org.batchscope.Batchscope")
    app.setWindowIcon(QIcon(str(icon_path())))
    show_timings(app)
    return app


def _let_go() -> None:
    """Delete closed windows now, so that nothing is torn down by the interpreter's exit."""
    from PySide6.QtCore import QCoreApplication, QEvent

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
