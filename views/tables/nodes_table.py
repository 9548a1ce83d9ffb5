"""The nodes of a run's machine at an instant: what is free on each, and who is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from engine.machine.cluster import Cluster
from engine.quantities import Unit
from engine.schedule.nodes import NodesAt, knows_nodes, nodes_at
from engine.schedule.schedule import Schedule
from engine.trace import Names, Trace
from views.data.results import Result
from views.state.context import ViewContext
from views.tables.content import Content, TableColumn, name_column
from views.tables.link_cells import BETWEEN, LinkedWords
from views.tables.table import Table
from views.text.ticks import axis_of
from views.text.units import UNITS
from views.theme.theme import Theme
from views.widgets.elided_box import ElidedBox
from views.work.lazy import LazyValue

_MOST_NAMED = 4
"""Jobs on a node that are named in its row."""

_EMPTY = "The nodes of a run's machine are listed here.\nNo run recorded the nodes of its jobs."


class NodesTable(Table):
    """Table of nodes at the picked instant, otherwise in the middle of the shown time.

    A click selects a node with the jobs that run on it at that time; a click on a job number selects that
    job.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("node", context.executor, theme, _EMPTY, parent)
        self._selection, self._clock = context.selection, context.clock
        self._results: Sequence[Result] = ()
        self._trace: Trace | None = None
        self._at: LazyValue[NodesAt] | None = None
        self._shown: tuple[Result, int] | None = None
        self.run = ElidedBox(self)
        self.run.setToolTip("The run whose nodes are shown")
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.when = QLabel("", self)
        self.when.setToolTip("Another instant: click the time axis, or press I over a chart")
        self.above.insertWidget(0, self.run)
        self.above.insertWidget(1, self.when)
        self.run.activated.connect(lambda _: self._refresh())
        self.picked.connect(self._select_nodes)
        # Numbers of jobs in a cell are links: a click selects that job, not the node.
        self._running = LinkedWords(self.view, self._named_in)
        self._running.clicked.connect(self._select_job)
        self._selection.changed.connect(self._follow_selection)
        self._clock.changed.connect(self._refresh)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the nodes of a run, which the reader chooses from these finished runs."""
        chosen = self.run.currentData()
        self._trace = trace
        self._results = [known for known in results if knows_nodes(known.schedule)]
        self.run.clear()
        for result in self._results:
            self.run.addItem(result.name, result.run_id)
        self.run.setCurrentIndex(max(self.run.findData(chosen), 0) if self._results else -1)
        self._shown = None
        self._follow_selection()

    @property
    def schedule(self) -> Schedule | None:
        """The schedule whose nodes are shown."""
        return self._shown[0].schedule if self._shown is not None else None

    @property
    def time(self) -> int:
        """The second that is shown, from the trace's zero."""
        picked = self._selection.value.instant
        return math.floor(picked if picked is not None else (self._clock.start + self._clock.end) / 2)

    def _follow_selection(self) -> None:
        self._refresh()
        nodes = self._selection.value.nodes
        most = self._results[self.run.currentIndex()].schedule.cluster.nodes if self._results else 0
        self.show_items(np.array(sorted(node for node in nodes if node < most), np.int64))

    def _refresh(self) -> None:
        """Show the nodes at the present instant; where they are shown already nothing happens."""
        index, trace, time = self.run.currentIndex(), self._trace, self.time
        if trace is None or index < 0:
            self._at = self._shown = None
            self.set_content(None)
            return
        result = self._results[index]
        if self._shown is not None and self._shown[0] is result and self._shown[1] == time:
            return
        self._shown = result, time
        self.when.setText(f"at {axis_of(trace).format(float(time))}")
        at = self._at = LazyValue(partial(nodes_at, result.schedule, time))
        self.set_content(lambda: node_content(result.schedule, at()))

    def _select_nodes(self, items: NDArray[np.int64]) -> None:
        at, trace = self._at.value if self._at is not None else None, self._trace
        if at is not None and trace is not None:
            jobs = frozenset(job for node in items.tolist() for job in at.jobs_on(node).tolist())
            self._selection.select_nodes(frozenset(items.tolist()), trace, jobs)

    def _jobs_in(self, row: int) -> list[int]:
        """The jobs that are named in a row."""
        at = self._at.value if self._at is not None else None
        return at.jobs_on(int(self.model.rows[row]))[:_MOST_NAMED].tolist() if at is not None else []

    def _named_in(self, row: int) -> list[str]:
        trace = self._trace
        return [trace.shown_id(job) for job in self._jobs_in(row)] if trace is not None else []

    def _select_job(self, row: int, which: int) -> None:
        jobs = self._jobs_in(row)
        if self._trace is not None and which < len(jobs):
            self._selection.select_job(self._trace, jobs[which])


def node_content(schedule: Schedule, at: NodesAt) -> Content:
    """One row per node, in the machine's order."""
    cluster = schedule.cluster
    names = cluster.node_names()
    folded = [name.casefold() for name in names]
    return Content(
        columns=_columns(schedule, at),
        rows=np.arange(cluster.nodes),
        total=cluster.nodes,
        name=lambda item: names[item],
        find=lambda wanted: np.array([wanted.casefold() in name for name in folded], np.bool_),
        faint=~at.up,
    )


def _columns(schedule: Schedule, at: NodesAt) -> tuple[TableColumn, ...]:
    state = Names((~at.up).astype(np.int32), ("up", "down"))
    columns = [
        name_column("group", "Group", "Its group of identical nodes", _groups(schedule.cluster)),
        name_column("state", "State", "Whether it is up or down then", state),
        _amount("free", "Free processors", "Processors that no job holds then", at.free_cpus),
        _amount("cpus", "Processors", "Processors of the node", at.cpus),
    ]
    # Columns of resources that this machine does not know are left out.
    if not np.isnan(at.free_ram).all():
        columns.append(_amount("free_ram", "Free RAM", "RAM that no job holds then", at.free_ram, "MiB"))
    if not np.isnan(at.free_gpus).all():
        columns.append(_amount("free_gpus", "Free GPUs", "GPUs that no job uses at that time", at.free_gpus))
    return (
        *columns,
        _amount("jobs", "Jobs", "Jobs that run on it at that time", at.jobs),
        _amount("users", "Users", "Users whose jobs run on it then", at.users),
        replace(
            name_column("running", "Running", "The jobs that run on it then", _running(schedule, at)),
            linked=True,
        ),
    )


def _amount(
    key: str, title: str, explanation: str, values: NDArray[Any], unit: Unit = "count"
) -> TableColumn:
    factor = UNITS[unit]
    floats = LazyValue(lambda: values.astype(np.float64))
    return TableColumn(key, title, explanation, floats, factor.show, factor.exact, bar=key != "cpus")


def _groups(cluster: Cluster) -> Names:
    names = tuple(group.name or group.spelling for group in cluster.groups)
    codes = np.repeat(np.arange(len(names), dtype=np.int32), [group.count for group in cluster.groups])
    return Names(codes, names)


def _running(schedule: Schedule, at: NodesAt) -> Names:
    """The first jobs of each node, by number, and how many more there are."""
    lines = []
    for node in range(schedule.cluster.nodes):
        jobs = at.jobs_on(node)
        named = BETWEEN.join(schedule.trace.shown_id(job) for job in jobs[:_MOST_NAMED].tolist())
        lines.append(f"{named} and {len(jobs) - _MOST_NAMED} more" if len(jobs) > _MOST_NAMED else named)
    names = tuple(dict.fromkeys(lines))
    code = {name: k for k, name in enumerate(names)}
    return Names(np.array([code[line] for line in lines], np.int32), names)
