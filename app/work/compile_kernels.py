"""Compile every kernel, so that the window finds them ready: `python -m app.work.compile_kernels`.

Compiling holds the interpreter lock for long, so the window has a process of its own do it, and that another.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING

import numpy as np

from app.work.child import SHOWS_RECORDED, SIMULATES_EASY, command
from engine.compiler.cache import mark_filled
from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.policy.policy import parse_policy
from engine.trace import Trace

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps
    from engine.schedule.processors import Boxes
    from engine.schedule.schedule import Schedule

_HALF = "pool"
"""The argument of the other process: what it compiles."""

_NEW_OBJECTS = 100_000
"""New objects after which garbage is collected among them."""


@contextmanager
def _few_collections() -> Iterator[None]:
    """Garbage is collected seldom meanwhile.

    The compiler makes millions of small objects and lets go of most by itself: looking through the others
    again and again took a fifth of the time, and with no collection at all a process grows to 1.6 GB.
    """
    were_made, threshold = gc.isenabled(), gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *threshold[1:])
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if not were_made:
            gc.disable()


@_few_collections()
def fill_cache() -> None:
    """Compile every kernel, half of them in another process; they are loaded here when done.

    In the order of need: here a log is read and simulated under `easy`, while the other process compiles
    what shows a schedule; then all other simulations.
    """
    # The other process reads what this process writes, and ends by itself if this process is killed.
    other = subprocess.Popen(command("app.work.compile_kernels", _HALF), stdin=subprocess.PIPE)
    try:
        _use_easy(_small_trace())
        print(SIMULATES_EASY, flush=True)
        _use_on_nodes(_small_trace())
        _use_audit(_small_trace())
        other.wait()
    finally:
        other.kill()
        other.communicate()
    # Everything is used once more here: what the other process compiled is only loaded, and what neither did,
    # is compiled.
    compile_kernels()


@_few_collections()
def _fill_half() -> None:
    """Compile what the other process does not."""
    _use_recorded()
    print(SHOWS_RECORDED, flush=True)
    _use_on_pool(_small_trace())
    _use_predictors(_small_trace())
    # Last, since the simulations on nodes take the other process as long as all this.
    _use_site(_small_trace())


@_few_collections()
def fill_simulations() -> None:
    """Compile the kernels of simulations alone, for tests of their indices."""
    trace = _small_trace()
    _use_on_nodes(trace)
    _simulate_on_pool(trace)
    _use_predictors(trace)


@_few_collections()
def compile_kernels() -> None:
    """Use each kernel once, on a workload of a few jobs."""
    trace = _small_trace()
    _use_easy(trace)
    _use_recorded()
    _use_on_nodes(trace)
    _use_on_pool(trace)
    _use_predictors(trace)
    _use_audit(trace)
    _use_site(trace)
    mark_filled()


@cache
def load_once() -> None:
    """Load what most traces need; does nothing when it was done before."""
    _use_on_pool(_small_trace())


def _use_easy(trace: Trace) -> None:
    """Use all that reading a log and simulating it under `easy` on a pool needs."""
    from engine.simulation.quality_notes import quality_notes
    from engine.simulation.run import simulate

    quality_notes(trace)
    simulate(trace, Cluster.pool(8), parse_policy("easy"), log=True)


def _use_on_nodes(trace: Trace) -> None:
    """Use all that simulations and metrics need, except those of a single pool."""
    from engine.metrics.loss import loss_of_capacity
    from engine.schedule.processors import assign_processors
    from engine.simulation.profile.lines import with_room
    from engine.simulation.profile.state import make_profile
    from engine.simulation.run import simulate

    cluster = parse_cluster("2x4c1g")
    simulate(trace, cluster, parse_policy("easy"))
    schedule = simulate(trace, cluster, parse_policy("fairshare-easy"), log=True, fair_starts=True)
    assign_processors(schedule)
    loss_of_capacity(schedule, schedule.ran)
    with_room(make_profile(cluster.capacity(), 0, 1), 1)  # a small workload's profile never grows


def _use_on_pool(trace: Trace) -> None:
    """Use all that simulations of a pool need, and the data made from any schedule."""
    schedule = _simulate_on_pool(trace)
    schedule.log.of_job(0)
    _show(schedule)
    _use_shares(trace)


def _simulate_on_pool(trace: Trace) -> Schedule:
    from engine.simulation.run import simulate

    cluster = Cluster.pool(8)
    simulate(trace, cluster, parse_policy("easy"))
    return simulate(trace, cluster, parse_policy("fairshare-easy"), log=True)


def _use_recorded() -> None:
    """Use all that a recorded schedule needs."""
    from engine.simulation.quality_notes import quality_notes
    from engine.simulation.recorded_run import recorded_schedule

    _place_on_nodes()
    trace = _small_trace(wait=5)
    quality_notes(trace)
    _show(recorded_schedule(trace, Cluster.pool(8)))


def _place_on_nodes() -> None:
    """Find the places of jobs on several nodes, like readers of batch systems' logs."""
    from engine.logs.nodes.share_fitting import fit_nodes
    from engine.logs.nodes.shares import Occupation, even_shares

    node, start = np.array([0, 1, 2, 0, 1, 2]), np.zeros(2, np.int64)
    shares = even_shares(np.array([0, 3, 6]), node, np.zeros(6, np.int64), np.array([7, 8]))
    fit_nodes(shares, Occupation(shares, start, start + 1, 3), np.zeros(3, np.int64))


def _show(schedule: Schedule) -> None:
    """Judge, measure and draw a schedule on a pool."""
    from engine.fairness.violations import violation_steps
    from engine.metrics.evaluation import evaluate
    from engine.metrics.queue_depth import queue_depth
    from engine.policy.share import parse_share
    from engine.schedule.processors import assign_processors
    from engine.simulation.run import reference_schedule

    trace, cluster = schedule.trace, schedule.cluster
    (evaluation,) = evaluate([schedule], parse_share("fair"), reference_schedule(trace, cluster, [schedule]))
    queue_depth(schedule)
    evaluation.summary  # noqa: B018 - which is worked out when it is asked for
    _draw(schedule, assign_processors(schedule), violation_steps(schedule, evaluation.violations))


def _use_shares(trace: Trace) -> None:
    """Use what the charts of users' shares and of their use over time need."""
    from engine.fairness.filling import share_filling
    from engine.fairness.use_over_time import UseOverTime

    end = trace.submit + trace.runtime
    share_filling(trace.submit, trace.runtime, trace.procs, 8)
    UseOverTime(trace.submit, end, trace.procs.astype(np.float64), 60).at(end.astype(np.float64))


def _use_predictors(trace: Trace) -> None:
    """Use the kernels that number jobs by similarity, so that they are compiled."""
    from engine.simulation.run import simulate

    for estimate in ("hierarchy", "survival2"):
        simulate(trace, Cluster.pool(8), parse_policy("easy", estimate))


def _use_audit(trace: Trace) -> None:
    """Replay a schedule, as an audit that checks what its policy promises."""
    from engine.audit.audit import audit
    from engine.audit.table import table_of
    from engine.simulation.run import simulate

    policy = parse_policy("easy")
    # Code for processors alone, for several resources, and for jobs that several nodes may refuse.
    for cluster in map(parse_cluster, ("8c", "8c8g", "2x4c")):
        audit(table_of(simulate(trace, cluster, policy)), cluster, policy)


def _use_site(trace: Trace) -> None:
    """Simulate what the Slurm of a site would do, and predict starts in its queue."""
    from engine.logs.queue.state import new_job
    from engine.now.prediction import predict
    from engine.simulation.run import simulate
    from engine.slurm.site.site import site_of_machine

    cluster = parse_cluster("2x4c1g")
    site = site_of_machine("slurm.conf", cluster)
    simulate(trace, cluster, replace(parse_policy("easy"), site=site))
    predict(site, [new_job("user", "", 60, NodeGroup(1, 1))], replays=1)


def _draw(schedule: Schedule, boxes: Boxes, steps: UserSteps) -> None:
    """Use the rasterizers as the charts do."""
    from engine.metrics.loss import idle_over_time
    from engine.metrics.series import usage
    from views.data.gantt.data import gantt_data
    from views.data.gantt.idle import hatch_idle
    from views.raster.columns import column_statistics, row_maxima, row_means
    from views.raster.jobs import hatch_where, strips
    from views.raster.levels import Drawn, level_frame, make_level
    from views.raster.lines import average_statistics, line_statistics, summed_steps
    from views.raster.request import RenderRequest
    from views.theme.palette import pixel
    from views.theme.theme import LIGHT

    # Small, but with several pixels and rows: kernels are compiled by types, not by sizes.
    window = (0.0, float(schedule.last_end))
    data = gantt_data(schedule, boxes, "users")
    want = RenderRequest(window, 30, 20, 1.0)
    colours = np.full(len(data.job), 0xFF0072B2, np.uint32)
    pixels = data.paint(want, colours, LIGHT.idle)
    height = (0.0, float(data.rows.total))
    cover = strips(data.offset, data.first, data.count, height, 20)
    # Twice, since rows of processors are integers and rows of users are fractions.
    strips(data.offset, data.first.astype(np.float64), data.count.astype(np.float64), height, 20)
    level = make_level(Drawn(data.start, data.end, data.latest, colours, cover), window, 30)
    level_frame(level, window, 30, pixel(LIGHT.idle))
    hatch_idle(pixels, want, idle_over_time(schedule), LIGHT.idle, LIGHT.bad)
    hatch_where(pixels, pixels.copy(), pixel(LIGHT.idle), pixel(LIGHT.faint), 0, 0)
    users = np.arange(len(steps.offset) - 1)
    for rows in (row_maxima, row_means):
        rows(np.array(steps.offset), np.array(steps.minute), np.array(steps.count), users, 5, window, 30)
    series = usage(schedule).processors
    time, value = series.wide[0], series.value.astype(np.float64)
    column_statistics(time, value, window, 30)
    line_statistics(time, value, value, window, 30)
    used = summed_steps(*series.wide)
    average_statistics(used, used, 3600.0, window, 30)


def _small_trace(wait: int = -1) -> Trace:
    """Read from text, since the reader has kernels too."""
    import tempfile
    from pathlib import Path

    from engine.logs.read import read_trace

    lines = [f"{j} {j} {wait} {10 + j} 2 -1 -1 2 60 1024 1 {j % 3} 1 1 1 1 -1 -1" for j in range(1, 30)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.swf"
        path.write_text("; MaxProcs: 8\n" + "\n".join(lines) + "\n", "utf-8")
        return read_trace(path)


def _end_with_parent() -> None:
    """End this process when its standard input ends, because its parent has ended."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    if _HALF in sys.argv[1:]:
        Thread(target=_end_with_parent, daemon=True).start()
        _fill_half()
    else:
        fill_cache()
