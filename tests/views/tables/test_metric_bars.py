"""Metrics as bars: the values of the catalogue, in its words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import batchscope
from app.export.figure_request import figure_of, request_of
from engine.metrics.phase_metrics import PhaseRange
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import RunVerdict
from tests.app.cli.commands import small_log
from tests.traces import make_trace
from tests.views.results import make_result
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.layers import Bars, Intervals, Labels
from views.tables.plots import SHOWN, MetricBars, metric_bars
from views.theme.theme import LIGHT


def test_a_bar_is_the_metric_of_its_run(tmp_path: Path) -> None:
    runs = batchscope.compare(batchscope.read(small_log(tmp_path)), ["easy", "fcfs"])
    request = request_of(runs.log.trace, runs.judged, ViewOptions())
    page = figure_of("metrics").page(request)
    shown = [plot.metric.name for plot in page.plots]
    assert [name for name in SHOWN if name in shown] == shown
    assert {"wait_mean", "utilization"} <= set(shown)
    for plot in page.plots:
        bars = [layer for layer in plot.layers(LIGHT) if isinstance(layer, Bars)]
        tops = [float(layer.top[0]) for layer in bars]
        expected = [run.metrics[plot.metric.name] for run in runs.values()]
        scale = 100 if plot.metric.share else 1
        assert tops == pytest.approx([scale * value for value in expected if value is not None])
        low, high = plot.y.full_range
        assert all(low <= top < high for top in tops)
        assert np.isfinite(plot.values).any()


def test_a_line_on_the_bar_of_a_site_spans_its_phases() -> None:
    trace = make_trace([0, 0], [1000, 1000], [10, 20])
    first, second = make_result(trace, [900, 1100], 1), make_result(trace, [500, 500], 2, "fcfs")
    spread = PhaseSpread(np.array([[900, 1100], [2000, 2000]]))
    site = replace(
        first,
        verdict=RunVerdict("site", None, True, spread),
        over_phases=lambda _: {"wait_mean": PhaseRange(1000.0, 2000.0), "utilization": PhaseRange(0.1, 0.1)},
    )
    page = metric_bars(ShownRuns(results=(site, second)), ViewOptions())
    plots = {plot.metric.name: plot for plot in page.plots if isinstance(plot, MetricBars)}
    wait = plots["wait_mean"]
    (line,) = (layer for layer in wait.layers(LIGHT) if isinstance(layer, Intervals))
    assert (line.run, line.low.tolist(), line.high.tolist()) == (1, [1000.0], [2000.0])
    labels = [layer for layer in wait.layers(LIGHT) if isinstance(layer, Labels)]
    assert [label.y.tolist() for label in labels] == [[2000.0], [500.0]]  # above the line
    assert wait.y.full_range[1] > 2000
    assert "easy: 16 min 40 s to 33 min 20 s over 2 phases of slurmctld's loops" in wait.words.text
    assert not [layer for layer in plots["utilization"].layers(LIGHT) if isinstance(layer, Intervals)]
    assert page.notes == [
        "Lines on bars: the least and the largest value over the phases of slurmctld's loops."
    ]
    assert not metric_bars(ShownRuns(results=(first,)), ViewOptions()).notes
