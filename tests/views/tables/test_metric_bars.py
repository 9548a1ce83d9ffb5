"""Metrics as bars: the values of the catalogue, in its words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import batchscope
from app.export.asking import figure_of, request_of
from tests.app.cli.commands import small_log
from views.data.view_options import ViewOptions
from views.plot.layers import Bars
from views.tables.plots import SHOWN
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
