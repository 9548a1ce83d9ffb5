"""What tests of the application share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.cli.commands import Commands, small_log

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from app.model.settings import Settings
    from app.shell.window import MainWindow
    from tests.app.windows import SharedWindow


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Commands:
    """Runs commands in this process."""
    return Commands(capsys)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small log with waits."""
    return small_log(tmp_path)


@pytest.fixture(autouse=True)
def nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unsaved changes are discarded, where a test answers no question itself: else it would wait forever."""
    from PySide6.QtWidgets import QMessageBox

    monkeypatch.setattr(QMessageBox, "question", lambda *_, **__: QMessageBox.StandardButton.Discard)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile every kernel before the first test, if a test needs that: it takes longer than a test may."""
    if any("kernels" in getattr(item, "fixturenames", ()) for item in session.items):
        from app.work.compile_kernels import fill_cache
        from engine.compiler.cache import is_filled

        if not (session.config.option.collectonly or is_filled()):
            fill_cache()


@pytest.fixture(scope="session")
def kernels() -> None:
    """Every kernel is compiled, before the first test (see above), so that no window has a child do it."""


@pytest.fixture(scope="session")
def tuned() -> None:
    """The process is tuned as the command does at its start."""
    from app.work.process import tune_process

    tune_process()


@pytest.fixture(scope="module")
def look(qapp: QApplication) -> Iterator[None]:
    """The look of all widgets, which a window sets, is put back afterwards."""
    palette = qapp.palette()
    yield
    qapp.setPalette(palette)


@pytest.fixture
def make_window(
    qtbot: QtBot, kernels: None, tuned: None, look: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., MainWindow]:
    """Makes windows of 1400 x 900 as the command does; they are closed after the test."""
    from app.model.settings import Settings
    from app.shell.window import MainWindow
    from app.work.kernel_compilation import KernelCompilation
    from tests.app.windows import show

    # Kernels are compiled once for all tests, in a fixture; no window must begin it again.
    monkeypatch.setattr(KernelCompilation, "needed", False)

    def make(settings: Settings | None = None, keep_settings: bool = True) -> MainWindow:
        window = MainWindow(settings or Settings(theme="light"), keep_settings)
        qtbot.addWidget(window)
        window.restore()
        show(window)
        return window

    return make


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A log of 300 jobs with RAM on four nodes."""
    from tests.app.windows import site_log

    return site_log(tmp_path)


@pytest.fixture
def fresh_window(make_window: Callable[..., MainWindow], site: Path) -> MainWindow:
    """A window that shows that log under four policies, for one test."""
    from tests.app.windows import settle

    window = make_window()
    window.open_path(site)
    settle(window)
    return window


@pytest.fixture
def window(fresh_window: MainWindow) -> MainWindow:
    """The same; files whose tests change only what is shown have `restored_window` under this name."""
    return fresh_window


@pytest.fixture(scope="module")
def module_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That log, for all tests of a file."""
    from tests.app.windows import site_log

    return site_log(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def shared_window(look: None, kernels: None, tuned: None, module_site: Path) -> Iterator[SharedWindow]:
    """The window that the tests of a file share, and what replaces it when it fails."""
    from app.work.kernel_compilation import KernelCompilation
    from tests.app.windows import SharedWindow

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KernelCompilation, "needed", False)
        shared = SharedWindow(module_site)
        _shared.append(shared)
        yield shared
        _shared.remove(shared)
        shared.delete()


_shared: list[SharedWindow] = []
"""Of the file whose tests run now."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Replace a shared window that has failed, before it is looked what the next test leaves behind."""
    for shared in _shared:
        shared.renew()


@pytest.fixture
def module_window(shared_window: SharedWindow) -> Iterator[MainWindow]:
    """Such a window for the tests of a file that change neither its runs nor its settings.

    A test whose window has failed fails: `settle` raises what the window could not do.
    """
    from tests.app.windows import settle

    window = shared_window.window
    yield window
    if window._failure:
        settle(window)


@pytest.fixture
def same_window(module_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window of the file, with nothing selected and all of the time in sight."""
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication, QToolTip

    from tests.app.windows import settle

    window = module_window
    # What a test before this one left: a selection, a zoom, a mouse over a chart, an open tab, a message.
    window.selection.reset()
    window.clock.reset(*window.clock.bounds)
    for chart in window.page.runs.charts:
        QApplication.sendEvent(chart, QEvent(QEvent.Type.Leave))
    window.page.tabs.setCurrentIndex(0)
    window.view.choose(tabs_open=False)
    window.messages.clear()
    window.activateWindow()
    window.setFocus()
    settle(window)
    yield window
    # A tooltip lives on for a moment, and would lie over the charts of the next test.
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.fixture
def restored_window(same_window: MainWindow) -> Iterator[MainWindow]:
    """The window of the file for tests that change its filter and what is shown: both are put back."""
    from tests.app.windows import settle

    before = same_window.view.options
    yield same_window
    same_window.filter.reset()
    same_window.view.choose(**vars(before))
    same_window.messages.clear()
    settle(same_window)


@pytest.fixture
def reopened_window(restored_window: MainWindow, module_site: Path) -> Iterator[MainWindow]:
    """The window of the file for tests that change runs too: the log is then opened again for the next test.

    Size, theme and docks are put back as well. The test must not close the window.
    """
    from PySide6.QtWidgets import QDockWidget

    from tests.app.windows import settle

    window = restored_window
    study, size, theme = window.workbench.study, window.size(), window.settings.theme
    docks = {dock: dock.isVisible() for dock in window.findChildren(QDockWidget)}
    yield window
    window._failure = ""  # of a file that could not be opened
    window.resize(size)
    if window.settings.theme != theme:
        window.set_theme(theme)
    for dock, shown in docks.items():
        dock.setVisible(shown)
    if window.workbench.study is not study:
        window.open_path(module_site)
        settle(window)
