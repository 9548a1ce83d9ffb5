"""The leak check, tried on tests that leak and tests that do not, in a pytest of their own."""

import pytest

LEAKING = """
import threading, time
import pytest
from PySide6.QtCore import QObject, QRunnable, QThread, QThreadPool, QTimer
from PySide6.QtWidgets import QMenu, QWidget

kept = []
release = threading.Event()

class Sleeper(QThread):
    def run(self):
        release.wait(20)

class Work(QRunnable):
    def run(self):
        release.wait(20)

def keep(thing):
    kept.append(thing)
    return thing

def test_python_thread():
    keep(threading.Thread(target=release.wait, args=(20,), name="lost")).start()

def test_qthread(qapp):
    keep(Sleeper()).start()

def test_pool(qapp):
    QThreadPool.globalInstance().start(Work())

def test_timer(qapp):
    keep(QTimer(interval=50)).start()

def test_timer_of_an_object(qtbot):
    owner = keep(QObject())
    QTimer(owner, interval=50).start()

def test_visible_widget(qapp):
    keep(QWidget()).show()

def test_visible_menu(qapp):
    keep(QMenu()).show()

def test_hidden_widget(qtbot):
    keep(QWidget())

def test_in_a_fixture(left_open):
    pass

@pytest.fixture
def left_open(qapp):
    return keep(QWidget())

def test_release():
    release.set()
"""

CLEAN = """
import threading, time
import pytest
import pyqtgraph as pg
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QDialog, QMenu, QWidget

kept = []

def test_after_a_leak_the_next_is_not_blamed(qapp):
    pass

def test_thread_that_ends():
    threading.Thread(target=time.sleep, args=(0.2,)).start()

def test_qthread_with_python_in_it(qtbot):
    class Namer(QThread):
        def run(self):
            threading.current_thread().name
    thread = Namer()
    thread.start()
    kept.append(thread)

def test_window_given_to_qtbot(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    QDialog(window).show()
    timer = QTimer(window, interval=10)
    timer.start()
    kept.append(timer)

def test_plot(qtbot):
    plot = pg.PlotWidget()
    qtbot.addWidget(plot)
    plot.plot([1, 2, 3])
    plot.show()

def test_closed_by_its_fixture(shown):
    assert shown.isVisible()

@pytest.fixture
def shown(qapp):
    widget = QWidget()
    widget.show()
    yield widget
    widget.close()
    widget.deleteLater()

def test_garbage(qapp):
    widget = QWidget()
    widget.itself = widget
    widget.show()

@pytest.fixture(scope="module")
def shared(qapp):
    widget = QWidget()
    widget.show()
    timer = QTimer(widget, interval=1000)
    timer.start()
    yield widget
    widget.close()
    widget.deleteLater()

def test_shared_one(shared):
    pass

def test_shared_two(shared, qtbot):
    assert shared.isVisible()

@pytest.fixture
def ticking(qapp):
    class Ticking(QObject):
        def __init__(self):
            super().__init__()
            self.timer = QTimer(self, interval=1000)
            self.timer.timeout.connect(self.tick)
            self.timer.start()

        def tick(self):
            pass

    return Ticking()

def test_garbage_of_a_fixture(ticking):
    assert ticking.timer.isActive()

def test_hidden_menu(qapp):
    kept.append(QMenu())
"""


@pytest.fixture
def tried(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("BATCHSCOPE_LEAK_GRACE", "1")
    pytester.makeini("[pytest]\nqt_api = pyside6\n")
    return pytester


def run(tried: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    tried.makepyfile(source)
    return tried.runpytest_subprocess("-p", "tests.leaks", "-p", "no:cacheprovider", *options, timeout=120)


def test_each_leak_fails_its_own_test(tried: pytest.Pytester) -> None:
    result = run(tried, LEAKING)
    # Each test passes, and its check after it fails; the last one only lets the threads go.
    result.assert_outcomes(passed=10, errors=9)
    for line in (
        "left behind: thread lost",
        "left behind: QThread Sleeper",
        "left behind: a QThreadPool's work",
        "left behind: active QTimer of nobody",
        "left behind: active QTimer of QObject",
        "left behind: visible top-level QWidget",
        "left behind: visible top-level QMenu",
        "left behind: hidden top-level QWidget",
    ):
        result.stdout.fnmatch_lines([f"*{line}*"])


def test_nothing_else_fails(tried: pytest.Pytester) -> None:
    run(tried, CLEAN).assert_outcomes(passed=11)


def test_a_failed_test_is_not_blamed_twice(tried: pytest.Pytester) -> None:
    source = """
        from PySide6.QtWidgets import QWidget

        def test_fails_with_a_window_open(qapp):
            window = QWidget()
            window.show()
            assert window is None
    """
    run(tried, source).assert_outcomes(failed=1)


def test_without_qt_nothing_of_qt_is_imported(tried: pytest.Pytester) -> None:
    source = """
        import sys

        def test_one():
            pass

        def test_two():
            assert not [name for name in sys.modules if name.startswith(("PySide6", "shiboken6"))]
    """
    tried.makeini("[pytest]")
    run(tried, source, "-p", "no:pytest-qt").assert_outcomes(passed=2)
