"""Random walks over what arranges a window: acts, saves, and starts on screens of other sizes.

`python -m tests.app.shell.layout.layout_walk FIRST LAST` makes the walks of these seeds and prints each
with the faults that it finds; its status is 1 if there are any. A walk starts a window a few times with the
settings that the start before left, on a screen of another size, with the log or with the session saved
before. After each act every visible control has to be whole, uncovered and within the window, and every
chart to have room. Some acts are clicks on controls: what opens is closed again, a tab has to become the
current one, and no exception may be raised. Settings and sessions lie in a folder that is removed
afterwards.
"""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from types import TracebackType

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QLineEdit,
    QScrollBar,
    QTabBar,
    QWidget,
)

from app.model.settings import load_settings
from app.shell.window import MainWindow
from app.work.compile_kernels import fill_cache
from app.work.process import tune_process
from engine.compiler.cache import is_filled
from engine.policy.policy import parse_policy
from tests.app.windows import delete, settle, site_log
from views.catalog import ALL
from views.data.view_options import STRIPS
from views.timechart.chart import TimeChart

SCREENS = ((1024, 600), (1280, 800), (1366, 768), (1920, 1080), (2560, 1440))
SIZES = (9, 14)
"""Of the text, in points."""

STARTS, ACTS = 3, 6
"""Of a walk: starts, and acts in each."""

NARROWEST, LOWEST = 100, 20
"""Least pixels of the data of a chart that is seen."""

_CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QAbstractSlider, QTabBar)
_POLICIES = ("fcfs", "easy", "conservative", "just", "fairshare-easy")
_MOST_RUNS = 8
_LEAVES = re.compile("Quit|Open|Save|Export|example")
"""Texts of buttons that leave the window, or the log, for another one."""

_CLICKS = 4
"""Controls that may be clicked, beside the other acts."""

_CLOSING_MS = 20
"""Between looks for a menu or dialog that a click opened."""

_SPARE = 1
"""Pixels that a control may lack of its least size: styles round."""


@dataclass
class Walk:
    """A walk: its seed, what was done, and the faults that were found, each where it was first seen."""

    seed: int
    done: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)

    def look(self, window: MainWindow) -> None:
        """Note what is not whole by now."""
        for fault in faults_of(window):
            self.note(fault)

    def note(self, fault: str) -> None:
        """Note a fault after what was done by now."""
        self.faults.setdefault(fault, " > ".join(self.done))


def faults_of(window: MainWindow) -> list[str]:
    """What is wrong with the window as it is seen."""
    faults = [fault for control in _controls(window) if (fault := _fault_of(control, window))]
    if window.page.isVisible() and window.page.runs.isVisible():
        faults += _faults_of_charts(window)
    tabs = window.page.tabs
    if tabs.isVisible() and not tabs.isTabVisible(tabs.currentIndex()):
        faults.append("the tab of the current page is not there")
    return faults


def _controls(window: MainWindow) -> Iterator[QWidget]:
    """What can be clicked or typed into."""
    for widget in window.findChildren(QWidget):
        # A part of another control: Qt gives the button that clears a line the size of its picture.
        inside = isinstance(widget.parentWidget(), QAbstractSpinBox | QComboBox | QLineEdit)
        whole = isinstance(widget, _CONTROLS) and not isinstance(widget, QScrollBar) and not inside
        if whole and widget.isVisible():
            yield widget


def _fault_of(control: QWidget, window: MainWindow) -> str:
    """Why a control is cut, covered or too small; empty if it is whole."""
    name = _name(control)
    least = control.minimumSizeHint().boundedTo(control.maximumSize())
    if isinstance(control, QComboBox):  # Qt keeps its least size when the text gets smaller
        least = least.boundedTo(control.sizeHint())
    if control.width() + _SPARE < least.width() or control.height() + _SPARE < least.height():
        return f"{name} is {control.width()}x{control.height()}, and needs {least.width()}x{least.height()}"
    inner, rect = control, control.rect()
    while inner is not window:
        outer = inner.parentWidget()
        assert outer is not None
        behind = isinstance(inner, QDockWidget) and bool(window.tabifiedDockWidgets(inner)) and inner.x() < 0
        if inner.isWindow() or behind:
            return ""  # it floats, or is a tab behind another dock
        rect = rect.translated(inner.pos())
        scrolls = isinstance(above := outer.parentWidget(), QAbstractScrollArea) and above.viewport() is outer
        if scrolls and isinstance(above, QAbstractScrollArea):  # what is outside is scrolled to
            off = above.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if off and not (rect.left() >= 0 and rect.right() < outer.width()):
                return f"{name} from {rect.left()} to {rect.right()} is cut at the side: {outer.width()} wide"
            rect &= outer.rect()
            if rect.isEmpty():
                return ""
        elif not outer.rect().contains(rect):
            return f"{name} at {rect.getRect()} is cut by {_name(outer)} of {outer.size().toTuple()}"
        inner = outer
    if control.objectName() == "qt_tableview_cornerbutton":
        return ""  # the heading of the rows lies over it
    over = window.childAt(rect.center())
    if over is not None and window.inspector_dock.isAncestorOf(over) and window.view.options.view != ALL:
        return ""  # over a page the details lie until they are closed
    if over is None or not (over is control or control.isAncestorOf(over) or over.isAncestorOf(control)):
        return f"{name} is covered by {_name(over) if over is not None else 'nothing'}"
    return ""


def _faults_of_charts(window: MainWindow) -> list[str]:
    """What is wrong with the charts of runs."""
    faults, strips = [], set()
    for run, panel in window.page.runs.panels.items():
        seen = {kind: chart for kind, chart in panel.kinds.items() if chart.isVisible()}
        if not seen:
            continue
        # All runs show the same strips unless some were hidden by hand.
        strips.add(tuple(kind for kind in seen if kind in STRIPS))
        for kind, chart in seen.items():
            plot = chart.frame().plot
            if plot.width() < NARROWEST or plot.height() < (LOWEST if kind not in STRIPS else 6):
                faults.append(f"the {kind} of run {run} is {plot.width():.0f}x{plot.height():.0f} pixels")
    if len(strips) > 1 and not window.view.options.panels.hidden:
        faults.append(f"runs show other strips: {sorted(strips)}")
    runs = window.page.runs
    area = runs.viewport().rect()
    if area.height() < 2 * LOWEST or area.width() < NARROWEST:
        faults.append(f"charts have {area.width()}x{area.height()} pixels")
    return faults


def _name(widget: QWidget) -> str:
    text = getattr(widget, "text", None)
    words = widget.accessibleName() or widget.objectName() or (str(text()) if callable(text) else "")
    return f"{type(widget).__name__} {words!r}"


# What a walk does.


def _acts(window: MainWindow, random: Random) -> dict[str, Callable[[], object]]:
    """The acts that there are by now, by what they are called."""
    view, page = window.view, window.page
    trace = window.workbench.study.trace
    # Choices are drawn now, so that the name of an act says exactly what it will do.
    job = random.randrange(len(trace))
    actions = window.menus.offered.actions
    pages = sorted(name for name in actions if name.startswith(("view ", "tab ")))
    chosen = random.choice(pages)
    screen = random.choice(SCREENS)
    beside = [dock for dock in window.layouts.docks if dock.isVisible() and not dock.isFloating()]
    # Details that lie over the charts are in no area of the window, and Qt cannot widen them.
    docks = [dock for dock in beside if window.dockWidgetArea(dock) != Qt.DockWidgetArea.NoDockWidgetArea]
    # Only what can be clicked: a control under another one cannot.
    controls = [each for each in _controls(window) if _clickable(each, window)]
    acts: dict[str, Callable[[], object]] = {
        "tabs": lambda: view.choose(tabs_open=not view.options.tabs_open),
        "verdicts": lambda: view.choose(verdicts=not view.options.verdicts),
        "charts": lambda: view.choose(view=ALL, alone=False, solo=None),
        "alone": lambda: view.choose(alone=not view.options.alone),
        f"job {job}": lambda: window.selection.select_job(trace, job),
        "no selection": window.selection.clear,
        chosen: actions[chosen].trigger,
        f"size {screen[0]}x{screen[1]}": lambda: window.resize(*screen),
        "larger text": actions["larger text"].trigger,
        "smaller text": actions["smaller text"].trigger,
        "details": lambda: view.choose(inspector_at=random.choice(("over", "side", "below"))),
        "explore": lambda: window.explore_dock.setVisible(not window.explore_dock.isVisible()),
        "columns": lambda: view.choose(columns=random.choice((0, 0, 1, 2, 4))),
    }
    for control in random.sample(controls, min(len(controls), _CLICKS)):
        # Acts that need something to be there are offered only then.
        acts[f"click {_name(control)}"] = partial(_click, control, random)
    if page.splitter.isVisible() and page.tabs.isVisible():
        acts["drag the line"] = lambda: _drag(page.splitter.handle(1), random.randint(-600, 600))
    if docks:
        dock, width = random.choice(docks), random.randint(20, 1500)
        acts[f"widen {dock.objectName()} to {width}"] = lambda: window.resizeDocks(
            [dock], [width], Qt.Orientation.Horizontal
        )
    if len(window.workbench.study.runs) < _MOST_RUNS:
        policy = random.choice(_POLICIES)
        acts[f"add {policy}"] = lambda: window.workbench.add_run(parse_policy(policy))
    if len(window.workbench.study.runs) > 2:
        acts["remove a run"] = lambda: window.workbench.remove_run(window.workbench.study.runs[-1].id)
    return acts


def _clickable(control: QWidget, window: MainWindow) -> bool:
    """Whether a click at its middle meets the control, and not what scrolls it or lies over it."""
    if not control.isEnabled() or control.visibleRegion().isEmpty():
        return False
    if isinstance(control, QAbstractButton) and _LEAVES.search(control.text()):
        return False
    there = window.childAt(control.mapTo(window, control.rect().center()))
    return there is not None and (there is control or control.isAncestorOf(there))


def _click(control: QWidget, random: Random) -> None:
    """Click a control, at a random tab of a bar, and use its keys if it has a value."""
    left, middle = Qt.MouseButton.LeftButton, control.rect().center()
    if isinstance(control, QTabBar):
        shown = [tab for tab in range(control.count()) if control.tabRect(tab).intersects(control.rect())]
        tab = random.choice([tab for tab in shown if control.isTabVisible(tab)])
        QTest.mouseClick(control, left, pos=control.tabRect(tab).intersected(control.rect()).center())
        assert control.currentIndex() == tab, f"{_name(control)} does not answer a click on tab {tab}"
        return
    QTest.mouseClick(control, left, pos=middle)
    if isinstance(control, QComboBox | QAbstractSlider | QAbstractSpinBox) and control.isVisible():
        QTest.keyClick(control, random.choice((Qt.Key.Key_Up, Qt.Key.Key_Down)))
    elif isinstance(control, QLineEdit) and control.isVisible():
        QTest.keyClicks(control, random.choice(("1", "2h", "x")))
        QTest.keyClick(control, Qt.Key.Key_Return)


def _close_what_opened(window: MainWindow) -> None:
    """Close menus and dialogs that a click opened; those that run a loop of their own end by this."""
    popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
    for opened in (popup, modal, *window.findChildren(QDialog)):
        if isinstance(opened, QDialog):
            opened.reject()
        elif opened is not None:
            opened.close()


def _drag(handle: QWidget, down: int) -> None:
    """Drag the line between charts and tabs."""
    middle = handle.rect().center()
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(handle, left, pos=middle)
    for part in (1, 2, 3, 4):
        QTest.mouseMove(handle, middle + QPoint(0, down * part // 4))
    QTest.mouseRelease(handle, left, pos=middle + QPoint(0, down))


def _chart_widths(window: MainWindow) -> dict[TimeChart, int]:
    return {chart: chart.width() for chart in window.page.runs.charts if chart.isVisible()}


def walk(seed: int, log: Path, folder: Path, starts: int = STARTS, acts: int = ACTS) -> Walk:
    """Make the walk of that seed; sessions are kept in `folder`, settings where the settings of users are."""
    random, made = Random(seed), Walk(seed)
    session = folder / f"{seed}.batchscope"

    def raised(kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        made.note(f"{kind.__name__}: {error}")

    hook, sys.excepthook = sys.excepthook, raised
    try:
        _walk(made, random, session, log, starts, acts)
    finally:
        sys.excepthook = hook
    return made


def _walk(made: Walk, random: Random, session: Path, log: Path, starts: int, acts: int) -> None:
    """Start the program a few times, with some acts in each, and note what is found."""
    for start in range(starts):
        size, points = random.choice(SCREENS), random.choice(SIZES)
        settings = load_settings()
        settings.text_size = points
        window = MainWindow(settings)
        window.asks = False
        window.restore()
        window.resize(*size)
        window.show()
        closing = QTimer(window, interval=_CLOSING_MS)
        closing.timeout.connect(partial(_close_what_opened, window))
        opens_session = session.exists() and random.random() < 0.5
        made.done.append(
            f"start {start} at {size[0]}x{size[1]}, {points} pt{', the session' if opens_session else ''}"
        )
        window.open_path(session if opens_session else log)
        settle(window)
        if window.size().toTuple() != size:
            made.note(f"the window is {window.size().toTuple()}")
        made.look(window)
        for _ in range(acts):
            offered = _acts(window, random)
            name = random.choice(list(offered))
            made.done.append(name)
            before = _chart_widths(window)
            # What a click opened with a loop of its own is closed from within it, all else afterwards.
            closing.start()
            try:
                offered[name]()
            except AssertionError as fault:
                made.note(str(fault))
            closing.stop()
            _close_what_opened(window)
            settle(window)
            made.look(window)
            after = _chart_widths(window)
            if name.startswith(("job", "no selection")) and after.keys() == before.keys() and after != before:
                made.note("charts have other widths")
        if random.random() < 0.5:
            window.keeper.save_now(session, window)
            made.done.append("save")
        delete(window)


def main(first: int, last: int) -> int:
    """Make the walks of these seeds."""
    faulty = 0
    if not is_filled():
        fill_cache()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = site_log(folder, jobs=60)
        for seed in range(first, last + 1):
            # Each walk has settings of its own, otherwise it would begin where the last one ended.
            for kind in ("CONFIG", "DATA", "STATE"):
                os.environ[f"XDG_{kind}_HOME"] = str(folder / str(seed) / kind.lower())
            made = walk(seed, log, folder)
            faulty += bool(made.faults)
            print(f"{seed}: {len(made.done)} acts, {len(made.faults)} faults", flush=True)
            for fault, done in list(made.faults.items())[:8]:
                print(f"   {fault}, after {done}", flush=True)
    print(f"{last - first + 1} walks, {faulty} with faults")
    return 1 if faulty else 0


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    tune_process()
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
