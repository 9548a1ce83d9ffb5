"""All jobs of a schedule as a table: a column a quantity, in the order that other programs count on."""

from __future__ import annotations

from collections.abc import Sequence
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
    from engine.simulation.recorded import names_nodes

    return not schedule.cluster.pooled and (schedule.policy.simulated or names_nodes(schedule))
