"""The table of quantities of jobs: name, unit, formula, source, and function.

Filters, colours, distributions, scatter plots, tables of jobs and of groups, files of schedules and
metrics all read QUANTITIES: a further quantity is an entry here, and is then offered by all of them.
In formulas s, b, c are submission, start and end of a job, Q = b - s, D = c - b, F = c - s its wait,
runtime and response, E its estimated runtime, r its processors.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.policy.offers import values_of
from engine.quantities.log_columns import TOLD_BY_SOME, known, of_column, status
from engine.quantities.machine_use import held_area
from engine.quantities.power import POWER
from engine.quantities.quantity import Jobs, Need, Quantity, QuantityName
from engine.quantities.run_quantities import (
    backfilled,
    change,
    estimate_ratio,
    fair_slowdown,
    late,
    past_whom,
    payment,
    unfair_delay,
    value_left,
    value_lost,
)
from engine.quantities.stops import STOPS
from engine.quantities.used_resources import USED
from engine.schedule.backfills import times_passed
from engine.schedule.predictions import prediction_errors
from engine.schedule.responses import bounded_slowdown, response, slowdown
from engine.trace.columns import EVERYWHERE, ShownIn


def _held_procs(jobs: Jobs) -> NDArray[np.int64]:
    return jobs.trace.procs if jobs.schedule is None else jobs.schedule.procs


def _held_time(jobs: Jobs) -> NDArray[np.int64]:
    recorded = jobs.schedule is not None and jobs.schedule.policy.recorded
    return jobs.trace.recorded_runtime if recorded else jobs.trace.runtime


_RUN = (Need.RUN,)
_LATE = (Need.RUN, Need.EXPECTED_ENDS)
_DECIDED = (Need.RUN, Need.DECISIONS)
_FIELD: frozenset[ShownIn] = frozenset({"filter"})
_FILED: frozenset[ShownIn] = frozenset({"filter", "schedule"})
_FILE: frozenset[ShownIn] = frozenset({"schedule"})
_RATED: frozenset[ShownIn] = frozenset({"plot", "table", "groups"})
_NOWHERE: frozenset[ShownIn] = frozenset()
"""Where it takes more than a place's own words to show it: metrics alone read it."""

_BOSSCHE = "Van den Bossche et al. 2011"
_KLUSACEK = "Klusacek, Chlumsky & Rudova 2014"
_TOTH = "Toth & Klusacek 2014"

_ALL = (
    Quantity(
        "job",
        "Job",
        "name",
        "the job's number in the log",
        lambda jobs: jobs.trace.job_id,
        shown=_FILED,
        called={"schedule": QuantityName("job_id", "Job")},
    ),
    of_column("user", lambda jobs: jobs.trace.user),
    of_column("group", lambda jobs: jobs.trace.group),
    of_column("queue", lambda jobs: jobs.trace.queue),
    of_column("status", status),
    of_column("procs", lambda jobs: jobs.trace.procs, called={"colour": QuantityName("size", "Size")}),
    of_column("ram", partial(known, "ram")),
    of_column("gpus", partial(known, "gpus")),
    of_column("walltime", lambda jobs: jobs.trace.walltime),
    of_column("runtime", lambda jobs: jobs.trace.runtime),
    Quantity(
        "area",
        "Area",
        "processor-s",
        "processors times runtime, in processor time",
        lambda jobs: jobs.trace.procs * jobs.trace.runtime,
        shown=_FIELD,
        combine="sum",
    ),
    *TOLD_BY_SOME,
    Quantity(
        "submit",
        "Submit",
        "time",
        "time of submission: a date, or time since the log's zero",
        lambda jobs: jobs.trace.submit if jobs.schedule is None else jobs.schedule.submit,
        shown=_FILED,
    ),
    Quantity(
        "start", "Start", "time", "when it starts", lambda jobs: jobs.known_schedule.start, _RUN, shown=_FILED
    ),
    Quantity("end", "End", "time", "when it ends", lambda jobs: jobs.known_schedule.end, _RUN, shown=_FILED),
    Quantity(
        "wait",
        "Wait",
        "s",
        "time from submission to start",
        lambda jobs: jobs.known_schedule.wait,
        _RUN,
        "Q = b - s, from submission to start",
        shown=EVERYWHERE | {"spread"},
    ),
    Quantity(
        "response",
        "Response",
        "s",
        "time from submission to end",
        lambda jobs: response(jobs.known_schedule),
        _RUN,
        "F = c - s, from submission to end",
        shown=frozenset({"filter", "plot", "spread"}),
    ),
    Quantity(
        "slowdown",
        "Slowdown",
        "ratio",
        "response / runtime",
        lambda jobs: slowdown(jobs.known_schedule),
        _RUN,
        "F / D, runtimes of at least 1 s",
        shown=frozenset({"filter", "spread"}),
    ),
    Quantity(
        "bounded_slowdown",
        "Bounded slowdown",
        "ratio",
        "max(1, response / max(runtime, 10 s))",
        lambda jobs: bounded_slowdown(jobs.known_schedule),
        _RUN,
        "max(1, F / max(D, 10 s)), not ruled by very short jobs",
        "Goponenko et al. 2022, II",
        shown=EVERYWHERE - {"schedule"} | {"spread"},
        called={"colour": QuantityName("slowdown", "Bounded slowdown")},
    ),
    Quantity(
        "held_procs",
        "Processors held",
        "count",
        "processors it holds: of the recorded schedule those that it was given, else those it asks for",
        _held_procs,
        formula="r",
        shown=_FILE,
        called={"schedule": QuantityName("procs", "Processors held")},
    ),
    Quantity(
        "held_time",
        "Runtime as it ran",
        "s",
        "the time it holds them for: of the recorded schedule that of the log, which may pass the walltime",
        _held_time,
        formula="D = c - b",
        shown=_FILE,
        called={"schedule": QuantityName("runtime", "Runtime as it ran")},
    ),
    Quantity(
        "work",
        "Area",
        "processor-s",
        "processors times runtime as it ran, in processor time",
        lambda jobs: jobs.known_schedule.procs * jobs.known_schedule.runtime,
        _RUN,
        "a = r D",
        combine="sum",
        shown=frozenset({"groups"}),
        called={"groups": QuantityName("area", "Area")},
    ),
    Quantity(
        "tardiness",
        "Tardiness",
        "s",
        "by how much it ends after its expected end",
        late,
        _LATE,
        "T = max(0, c - EET)",
        f"{_TOTH}, formula 2",
        shown=frozenset({"filter", "colour", "plot"}),
        called={"filter": QuantityName("late", "Late"), "colour": QuantityName("late", "Violated EET")},
    ),
    Quantity(
        "violated",
        "Violated EETs",
        "count",
        "whether it ends after its expected end, 1 or 0",
        lambda jobs: (late(jobs) > 0).astype(np.int64),
        _LATE,
        "c > EET",
        f"{_TOTH}, 3.3",
        combine="sum",
        shown=frozenset({"groups"}),
        called={"groups": QuantityName("violated_jobs", "Violated EETs")},
    ),
    Quantity(
        "veet",
        "Violated EET",
        "%",
        "VEET: how many of the jobs end after their expected end time, in %",
        lambda jobs: np.where(late(jobs) > 0, 100.0, 0.0),
        _LATE,
        "VEET_u = violated jobs of u / jobs of u x 100",
        f"{_TOTH}, formula 1",
        of_groups=True,
        shown=_RATED,
        called={"groups": QuantityName("veet", "VEET"), "table": QuantityName("veet", "Violated EETs")},
    ),
    Quantity(
        "wt",
        "Weighted tardiness",
        "processor-s",
        "WT: by how much jobs end after their expected end times, each weighed by its processors",
        lambda jobs: jobs.known_schedule.procs * late(jobs).astype(np.float64),
        _LATE,
        "WT_u = sum of r T over the jobs of u",
        f"{_TOTH}, formula 3",
        combine="sum",
        shown=_RATED,
    ),
    Quantity(
        "fair_slowdown",
        "Fair slowdown",
        "ratio",
        "response / the response that its user's own share of the machine would give (1 is as expected)",
        fair_slowdown,
        (Need.RUN, Need.EXPECTED_TIMES),
        "F / (EET - s)",
        f"after {_TOTH}, 3.2",
        shown=frozenset({"filter", "plot", "table", "groups", "spread"}),
    ),
    Quantity(
        "nuwt",
        "Normalized wait",
        "s/processor-s",
        "NUWT: the time that jobs waited for each processor-second that they got, RAM weighed in",
        lambda jobs: jobs.known_schedule.wait,
        _RUN,
        "NUWT_u = sum of Q / max(1, sum of R P D) over the jobs of u",
        f"{_KLUSACEK}, 3.2",
        over=held_area,
        shown=_RATED,
        called={"table": QuantityName("nuwt", "Normalized wait"), "groups": QuantityName("nuwt", "NUWT")},
    ),
    Quantity(
        "worth",
        "Worth",
        "value",
        "what it is worth to its user while it is not delayed, by the policy's valuation and seed",
        lambda jobs: values_of(jobs.known_schedule.policy, jobs.trace),
        _RUN,
        "v",
        f"{_BOSSCHE}, 4.2",
        shown=_FIELD,
    ),
    Quantity(
        "value",
        "Value",
        "value",
        "what is left of its worth when it ends: all without delay, nothing after six times its runtime; or "
        "when it starts, where the policy has values fade",
        value_left,
        _RUN,
        "v max(0, 1 - (F / D - 1) / 5)",
        f"{_BOSSCHE}, equation 2",
        combine="sum",
        shown=frozenset({"filter", "groups"}),
    ),
    Quantity(
        "value_lost",
        "Value lost",
        "value",
        "what its user loses of its worth by waiting: all of it after six times its runtime; or as the "
        "policy has values fade",
        value_lost,
        _RUN,
        "v - v max(0, 1 - (F / D - 1) / 5)",
        f"{_BOSSCHE}, equation 2",
        combine="sum",
        shown=EVERYWHERE - {"schedule"},
    ),
    Quantity(
        "payment",
        "Payment",
        "value",
        "what its user pays where the machine is sold: the price of its queue, its bid at its start, or the "
        "bid that it displaced",
        payment,
        (Need.RUN, Need.SOLD),
        "P_i, or v",
        f"{_BOSSCHE}, 3",
        combine="sum",
        shown=frozenset({"filter", "plot", "table", "groups"}),
        called={"table": QuantityName("revenue", "Revenue"), "groups": QuantityName("revenue", "Revenue")},
    ),
    Quantity(
        "estimate_ratio",
        "Estimate / runtime",
        "ratio",
        "runtime estimated at submission / runtime (1 is right, less is too short)",
        estimate_ratio,
        (Need.RUN, Need.ESTIMATES),
        "E / D, both of at least 1 s",
        shown=frozenset({"filter", "colour", "plot"}),
        called={
            "filter": QuantityName("estimate", "Estimate / runtime"),
            "colour": QuantityName("estimate", "Estimate accuracy"),
        },
    ),
    Quantity(
        "prediction_error",
        "Prediction error",
        "s",
        "by how much it starts later than first predicted, below 0 earlier, like -10m",
        lambda jobs: prediction_errors(jobs.known_schedule),
        (Need.RUN, Need.PREDICTIONS),
        "b - the first planned or reserved start",
        _KLUSACEK,
        shown=EVERYWHERE - {"schedule"},
    ),
    *STOPS,
    Quantity(
        "change",
        "Change of start",
        "s",
        "by how much it starts later than in another run; below 0 earlier",
        change,
        (Need.RUN, Need.BASELINE),
        "b - b of the other run",
        shown=frozenset({"colour"}),
    ),
    Quantity(
        "unfair_delay",
        "Delay behind the fair start",
        "s",
        "by how much it starts later than if no later job had come; below 0 earlier",
        unfair_delay,
        (Need.RUN, Need.FAIR_STARTS),
        "b - fair start",
        "Tang et al. 2013, 4.2",
        shown=_NOWHERE,
    ),
    Quantity(
        "backfilled",
        "Backfilled",
        "count",
        "how often it was started past a waiting job",
        backfilled,
        _DECIDED,
        combine="sum",
        shown=frozenset({"filter", "table", "groups", "schedule"}),
    ),
    Quantity(
        "passed",
        "Jobs passed",
        "count",
        "how many waiting jobs it was backfilled past; 0: it was started in its turn",
        lambda jobs: times_passed(jobs.known_schedule),
        _DECIDED,
        shown=frozenset({"filter", "colour", "plot", "schedule"}),
        called={"colour": QuantityName("passed", "Backfilled past jobs")},
    ),
    Quantity(
        "past",
        "Backfilled past",
        "name",
        "the waiting job that it was backfilled past, of several the first in the queue",
        past_whom,
        _DECIDED,
        shown=_FILED,
    ),
    *USED,
    *POWER,
)

QUANTITIES: dict[str, Quantity] = {quantity.name: quantity for quantity in _ALL}
"""All quantities by name, in the order in which they are offered."""
