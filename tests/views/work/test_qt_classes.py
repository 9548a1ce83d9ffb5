"""PySide makes a class of Qt when it is first needed; threads that paint must find all of theirs made."""

import subprocess
import sys

import pytest

_START = """
import threading
from PySide6 import QtCore, QtGui
from PySide6.QtWidgets import QApplication

app = QApplication([])

def made():
    return {name for module in (QtCore, QtGui) for name in vars(module)}

def run(paint):
    before, thread = made(), threading.Thread(target=paint)
    thread.start()
    thread.join()
    print(sorted(made() - before))
"""

_PLOTS = """
from tests.views.distribution.shown import some_results, some_trace
from views.data.plot_choices import DistributionChoices, read_choices
from views.distribution.plots import plot_of
from views.plot.area import PlotArea
from views.plotting.prepared_plot import prepare
from views.theme.theme import LIGHT

results = some_results(some_trace())

def paint():
    for kind in ("box", "histogram", "cumulative"):
        source = lambda: plot_of(read_choices(DistributionChoices, f"wait user {kind} log all"), results)
        area = PlotArea(0, 0, 400, 300, (0, 1), (0, 1))
        prepare(kind, source, LIGHT, area, prepare(kind, source, LIGHT, area, None))

run(paint)
"""

_GANTT = """
from engine.machine.cluster import parse_cluster
from engine.schedule.processors import assign_processors
from tests.traces import make_schedule, make_trace
from views.data.gantt.shown_layers import GanttLayers
from views.gantt.chart import GanttChart
from views.raster.request import RenderRequest
from views.state.clock import Clock
from views.state.context import ViewContext
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.theme.theme import LIGHT
from views.work.executor import Executor
from views.work.idle_queue import IdleQueue

context = ViewContext(Clock(), SelectionModel(), FilterModel(), Executor(), IdleQueue())
users = ["ann", "bob", "eve", "joe"]
trace = make_trace([0, 70, 80, 90], [600] * 4, [1] * 4, user=users, cluster=parse_cluster("2c"))
schedule = make_schedule(trace, [0, 70, 600, 700])
context.clock.reset(0, 1400)
chart = GanttChart(context, LIGHT)
chart.set_data(schedule, assign_processors(schedule))
chart.set_layers(GanttLayers(True, True, True, True))
context.selection.select_job(trace, 1)
pictures = []
run(lambda: pictures.append(chart._painter_of(RenderRequest((0, 1400), 700, 200, 1.0, (0.0, 1.0)))()))
assert not pictures[0].words.isEmpty()
"""


@pytest.mark.parametrize("script", [_PLOTS, _GANTT], ids=["plots", "gantt"])
def test_painting_in_a_thread_makes_no_class(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START + script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
