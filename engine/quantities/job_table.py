"""All jobs of a schedule as a table: a column a quantity, in the order that other programs count on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.quantities.offers import offered
from engine.quantities.quantity import Jobs, Missing, Need, Quantity
from engine.schedule.node_list import NODE_LIST, NodeLists
from engine.schedule.schedule import Schedule
from engine.trace import Names, Pieces

Table = Sequence[tuple[str, Any]]
"""Columns, each a name and a list or array, all of the same length; masked values are missing."""

FIRST_COLUMNS = (
    *("job_id", "user", "queue", "submit", "start", "end", "procs", "wait", "runtime", "walltime"),
)
"""Columns of a schedule's file, in the order that other programs count on."""


def schedule_table(schedule: Schedule) -> Table:
    """A row for each job: FIRST_COLUMNS, then the other columns; values of jobs that were not run are
    missing.

    If nodes are known, they are the last column.
    """
    jobs, known = Jobs(schedule.trace, schedule), offered("schedule")
    rest = [name for name in known if name not in FIRST_COLUMNS]
    columns = ((name, column_of(known[name], jobs)) for name in (*FIRST_COLUMNS, *rest))
    table = [(name, column) for name, column in columns if column is not None]
    if not _on_nodes(schedule):
        return table
    pieces = schedule.pieces
    if schedule.policy.recorded:  # the log does not contain the distribution of its RAM
        pieces = Pieces(pieces.offset, {name: pieces[name] for name in ("node", "cpus")})
    return [*table, (NODE_LIST, NodeLists(pieces, schedule.cluster))]


def added_table(schedule: Schedule) -> Table:
    """A row for each run of a job that the workload of the run adds, in the order of the log.

    Its id is that of the job of the log that it is like, with a plus. Its columns are those of
    `schedule_table` that are known of it: no decisions are kept for added jobs, and what the log measured is
    not theirs.
    """
    added = schedule.added
    order = np.argsort(added.job, kind="stable")
    like = added.job[order]
    came = None if schedule.came is None else schedule.came[like]
    # The added runs become a schedule of their own, whose jobs are those that they are like.
    apart = replace(
        schedule,
        trace=schedule.trace.take(like),
        start=added.start[order],
        end=added.end[order],
        procs=schedule.trace.procs[like],
        pieces=added.pieces.take(order),
        came=came,
    )
    jobs, known = Jobs(apart.trace, apart), offered("schedule")
    names = [name for name, quantity in known.items() if {*quantity.needs} <= {Need.RUN} and name != "job_id"]
    table = [("job_id", np.array([f"{name}+" for name in apart.trace.job_id.tolist()], object))]
    table += [(name, column_of(known[name], jobs)) for name in names]
    return [*table, (NODE_LIST, NodeLists(apart.pieces, apart.cluster))] if _on_nodes(schedule) else table


def column_of(quantity: Quantity, jobs: Jobs) -> Any:
    """A quantity as a column, masked for jobs that were not run; None: not computed."""
    values = quantity.of_run(jobs)
    if isinstance(values, Missing):
        return None
    if isinstance(values, Names):
        return np.array(values.names, object)[values.codes]
    return np.ma.array(values, mask=~jobs.known_schedule.ran) if Need.RUN in quantity.needs else values


def _on_nodes(schedule: Schedule) -> bool:
    """True if the schedule has the nodes of its jobs: pools and many logs do not."""
    from engine.simulation.recorded_run import names_nodes

    return not schedule.cluster.pooled and (schedule.policy.simulated or names_nodes(schedule))
