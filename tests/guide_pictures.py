"""Draws the pictures of the guide by the steps that it tells: run this when the window looks otherwise."""

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView

import batchscope
from app.cli.start import quiet_platform
from app.model.settings import Settings
from app.shell.window import MainWindow
from app.work.compile_kernels import compile_kernels
from engine.own.allowed_code import allow_named
from engine.policy.policy import parse_policy
from resources import example_code_path, example_path, guide_path, template_path
from tests.paths import SHARED

WAGAP = SHARED / "traces" / "alea-wagap-2013.swf.gz"
KTH_SP2 = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
PATIENCE_S = 300.0

_COLOURS, _FREQUENT = 256, 64
"""Colours of a picture, and how many of them are those of most pixels."""


def opened(path: Path, width: int, height: int) -> MainWindow:
    """A window of that size in which all runs of a trace are done."""
    window = MainWindow(Settings(theme="light"), keep_settings=False)
    window.resize(width, height)
    window.show()
    window.open_path(path)
    window.wait_until_drawn(PATIENCE_S)
    return window


def draw(window: MainWindow, name: str) -> None:
    """Write what is seen beside the guide."""
    window.wait_until_drawn(PATIENCE_S)
    small = with_few_colours(window.grab().toImage())
    if not small.save(str(guide_path().parent / name), "PNG", 0):
        raise OSError(f"{name}: cannot write this picture")


def with_few_colours(picture: QImage) -> QImage:
    """A picture with a table of its colours, so that its file is a third as large."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()]
    index, table = few_colours(rows & 0xFFFFFF)
    small = QImage(
        index.tobytes(), image.width(), image.height(), image.width(), QImage.Format.Format_Indexed8
    )
    small.setColorTable([int(colour) | 0xFF000000 for colour in table])
    return small.copy()  # which has the pixels of its own


def few_colours(pixels: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Pixels (0xRRGGBB) as indices of a table of 256 colours, so that the file is a third as large.

    The table has the most frequent colours, and of the rest one after the other that which is farthest
    from all in it, common ones before rare ones.
    """
    colours, number, count = np.unique(pixels, return_inverse=True, return_counts=True)
    parts = np.stack([(colours >> shift) & 0xFF for shift in (16, 8, 0)], axis=1).astype(int)
    chosen = [int(np.argmax(count))]
    nearest, distance = np.zeros(len(colours), np.uint8), np.full(len(colours), np.inf)
    while True:
        off = ((parts - parts[chosen[-1]]) ** 2).sum(axis=1)
        closer = off < distance
        nearest[closer], distance[closer] = len(chosen) - 1, off[closer]
        if len(chosen) == _COLOURS or not distance.any():
            return nearest[number].reshape(pixels.shape), colours[chosen]
        frequent = len(chosen) < _FREQUENT
        chosen.append(int(np.argmax(count * (distance > 0) if frequent else np.sqrt(count) * distance)))


def walk(window: MainWindow, user: str, picture: str) -> None:
    """Ask for the difference of the last two runs, and look at a user in it."""
    for run in window.workbench.study.runs[:-2]:
        window.workbench.remove_run(run.id)
    window.messages.clear()
    window.show_view("difference")
    window.wait_until_drawn(PATIENCE_S)
    study = window.workbench.study
    window.selection.select_user(study.trace.user.names.index(user))
    draw(window, picture)


def main() -> None:
    """All pictures, in the order of the guide."""
    window = opened(WAGAP, 1600, 1000)
    draw(window, "runs.png")
    window.close()
    window = opened(WAGAP, 1280, 800)
    walk(window, "503", "user.png")
    trace = window.workbench.study.trace  # type: ignore[union-attr]
    job = [str(name) for name in trace.job_id].index("14348")
    window.show_view("all")
    window.selection.select_job(trace, job)
    QTest.keyClick(window, Qt.Key.Key_F)
    draw(window, "job.png")
    window.selection.clear()
    window.clock.fit()
    window.run_list.picked.emit(window.workbench.study.runs[-1].id)  # type: ignore[union-attr]
    window.explore.fields["half_life"].show_text("10d")
    window.explore.fields["half_life"].edited.emit()
    metrics = window.page.views["table"]
    window.page.tabs.setCurrentWidget(metrics)
    window.page.tabs.fold.click()
    window.wait_until_drawn(PATIENCE_S)
    (row,) = (
        row
        for row in range(metrics.model.rowCount())
        if getattr(metrics.model.metric(row), "name", "") == "bounded_slowdown_mean"
    )
    metrics.view.scrollTo(metrics.model.index(row, 0), QTableView.ScrollHint.PositionAtTop)
    draw(window, "explore.png")
    window.close()
    window = opened(WAGAP, 1280, 800)
    window.show_view("fairshare")
    window.page.views["fairshare"].choose_run(window.workbench.study.runs[-1].id)  # type: ignore[union-attr]
    draw(window, "fairshare.png")
    window.workbench.add_run(parse_policy("plan-search"))
    window.wait_until_drawn(PATIENCE_S)
    window.show_view("planning")
    draw(window, "planning.png")
    window.close()
    window = opened(example_path(), 1280, 800)
    walk(window, "8", "example.png")
    window.close()
    own_order()
    draw_curve(trained())


def trained() -> list[float]:
    """The mean reward of each round of the training that the guide tells of."""
    example = example_code_path("training")
    sys.path.insert(0, str(example.parent))  # it imports the policy beside it
    log = batchscope.read(KTH_SP2)
    env = batchscope.env(log, metric="bounded_slowdown_mean", baseline="easy")
    _, curve = runpy.run_path(str(example))["train"](env)
    return [float(reward) for reward in curve]


def draw_curve(curve: Sequence[float]) -> None:
    """Write the learning curve beside the guide."""
    figure = Figure((7, 3.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(range(1, len(curve) + 1), curve, marker="o", color="#2a6fb0")
    axes.axhline(0, color="#666666", linewidth=1)
    axes.annotate("EASY", (len(curve), 0), (0, 4), textcoords="offset points", ha="right", color="#444444")
    axes.set(xlabel="round of training", ylabel="mean reward", xticks=range(1, len(curve) + 1))
    axes.set_title("Mean bounded slowdown of a window below that of EASY, KTH-SP2", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(guide_path().parent / "learning.png", dpi=130, metadata={"Software": None})


def own_order() -> None:
    """An order of the user's own beside `easy`, while its slider is moved."""
    window = opened(example_path(), 1280, 800)
    study = window.workbench.study
    for run in study.runs:
        if run.policy.spelling != "easy":
            window.workbench.remove_run(run.id)
    with TemporaryDirectory() as folder:
        mine = Path(folder) / "mine.py"
        mine.write_text(template_path("policy").read_text())
        allow_named(f"{mine}:wfp")
        policy = parse_policy(f"{mine}:wfp")
        window.models.code.trust([policy])
        window.workbench.add_run(policy)
        window.wait_until_drawn(PATIENCE_S)
        window.run_list.picked.emit(window.workbench.study.runs[-1].id)
        slider = window.explore.own["alpha"].numbers["a number"].slider
        slider.setValue(slider.minimum() + (slider.maximum() - slider.minimum()) // 5)
        draw(window, "own-code.png")
        window.close()


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    compile_kernels()
    with quiet_platform():
        main()
