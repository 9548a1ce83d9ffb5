"""The machine of a run: its spelling, and buttons for more, fewer and larger nodes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup, named_like, parse_cluster, with_groups
from engine.machine.outages import Failures, Outages
from views.text.counts import format_count, format_seconds, plural
from views.text.tooltips import as_tip
from views.text.values import memory


class MachineField(QWidget):
    """A line for a machine, changed by typing or by buttons; `edited` is sent on changes by the user.

    `cluster` is the machine, or None if the text is invalid; then `problem` is the reason. `own` is the log's
    machine, to which it can be reset.
    """

    edited = Signal()

    def __init__(self, cluster: Cluster, own: Cluster, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.own = own
        self.cluster: Cluster | None = cluster
        self.problem = ""
        # The machine as text, for those who know the spelling.
        self.line = QLineEdit(self)
        self.line.setAccessibleName("Machine")
        self.line.setToolTip(
            "Groups of nodes such as 20x80c505g+48x12c90g, or a pool such as 338c; failures "
            "follow ~: with ~30d/4h each node fails every 30 days on average, for 4 hours"
        )
        self.line.textEdited.connect(self._take)
        # The same by buttons: a group, fewer or more nodes, and smaller or larger nodes.
        self.group = QComboBox(self)
        self.group.setAccessibleName("Group of nodes")
        self.group.setToolTip("The group of nodes that the buttons change")
        self.group.currentIndexChanged.connect(self._arrange)
        self.fewer = self._button("−", "Fewer nodes; of a pool fewer processors", fewer_nodes)
        self.more = self._button("+", "More nodes; of a pool more processors", more_nodes)
        self.smaller = self._button("½", "Nodes half as large", lambda group: resized(group, 1, 2))
        self.larger = self._button("2×", "Nodes twice as large", lambda group: resized(group, 2, 1))
        self.reset = QToolButton(self)
        self.reset.setText("The log's own")
        self.reset.setToolTip(as_tip(f"Use the log's own machine again: {own}"))
        self.reset.clicked.connect(lambda: self._become(self.own))
        self.totals = QLabel("", self, textFormat=Qt.TextFormat.PlainText)
        self._lay_out()
        # Filled when all parts are there, since it enables them.
        self.show_cluster(cluster)
        self.setFocusProxy(self.line)

    def show_cluster(self, cluster: Cluster) -> None:
        """Show a machine."""
        self.cluster, self.problem = cluster, ""
        self.line.setText(cluster.spelling)
        self._fill()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for part in (self.group, self.fewer, self.more, self.smaller, self.larger, self.reset):
            buttons.addWidget(part)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.line, 0, 0)
        grid.addLayout(buttons, 0, 1)
        grid.addWidget(self.totals, 1, 0, 1, 2)
        grid.setColumnStretch(0, 1)

    def _button(self, sign: str, tip: str, change: Callable[[NodeGroup], NodeGroup | None]) -> QToolButton:
        button = QToolButton(self)
        button.setText(sign)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFixedWidth(max(26, button.fontMetrics().horizontalAdvance(sign) + 14))
        button.clicked.connect(lambda: self._change(change))
        return button

    def _change(self, change: Callable[[NodeGroup], NodeGroup | None]) -> None:
        """Change the chosen group of nodes."""
        index = self.group.currentIndex()
        if self.cluster is None or index < 0:
            return
        groups = list(self.cluster.groups)
        with suppress(InputError):  # larger than any machine may be
            changed = change(groups[index])
            if changed is not None:
                groups[index] = changed
                self._become(with_groups(self.cluster, tuple(groups)))

    def _become(self, cluster: Cluster) -> None:
        """Show a changed machine; its groups and nodes have the names of the log's machine."""
        self.show_cluster(named_like(cluster, self.own))
        self.edited.emit()

    def _take(self, text: str) -> None:
        """Read the typed text; groups keep their names in the log's machine."""
        try:
            self.cluster, self.problem = parse_cluster(text, self.own), ""
        except InputError as error:
            self.cluster, self.problem = None, str(error)
        self._fill()
        self.edited.emit()

    def _fill(self) -> None:
        """Groups to choose from, and what there is in all."""
        chosen = max(self.group.currentIndex(), 0)
        self.totals.setText(describe(self.cluster, self.own) if self.cluster is not None else "")
        if self.cluster is not None:
            with QSignalBlocker(self.group):
                self.group.clear()
                self.group.addItems([group.name or group.spelling for group in self.cluster.groups])
                self.group.setCurrentIndex(min(chosen, self.group.count() - 1))
        self._arrange()

    def _arrange(self) -> None:
        """Buttons can be used where they would do something."""
        cluster, index = self.cluster, self.group.currentIndex()
        group = cluster.groups[index] if cluster is not None and 0 <= index < len(cluster.groups) else None
        self.group.setVisible(self.group.count() > 1)
        self.reset.setEnabled(cluster != self.own)
        self.fewer.setEnabled(group is not None and fewer_nodes(group) is not None)
        self.smaller.setEnabled(group is not None and resized(group, 1, 2) is not None)
        self.more.setEnabled(group is not None)
        self.larger.setEnabled(group is not None)


def fewer_nodes(group: NodeGroup) -> NodeGroup | None:
    """The number of nodes, or of processors of a single node (a pool), from which `more_nodes` makes this
    number; None at the minimum.
    """
    if group.count == 1:
        return replace(group, cpus=_less(group.cpus)) if group.cpus > 1 else None
    less = _less(group.count)
    return replace(group, count=less, names=group.names[:less])


def more_nodes(group: NodeGroup) -> NodeGroup:
    """About a tenth of the nodes more; of a single node (a pool) a tenth of its processors."""
    if group.count == 1:
        return replace(group, cpus=_more(group.cpus))
    return replace(group, count=_more(group.count))


def _more(number: int) -> int:
    return number + max(1, number // 10)


def _less(number: int) -> int:
    """The greatest number, at least 1, from which `_more` makes at most this number."""
    least = max(1, number * 10 // 11 - 1)
    return max(index for index in range(least, min(number, least + 4)) if _more(index) <= number)


def resized(group: NodeGroup, times: int, over: int) -> NodeGroup | None:
    """Nodes with `times / over` of all their resources; None if that would be less than 1."""
    cpus = group.cpus * times // over
    ram = None if group.ram is None else group.ram * times // over
    extra = tuple((name, amount * times // over) for name, amount in group.extra)
    if cpus < 1 or (ram is not None and ram < 1):
        return None
    return replace(group, cpus=cpus, ram=ram, extra=extra)


def describe(cluster: Cluster, own: Cluster) -> str:
    """Describe the total resources, the difference from `own`, and the failures."""
    parts = [f"{plural(cluster.cpus, 'processor')}{_against(cluster.cpus, own.cpus)}"]
    if not cluster.pooled:
        parts.insert(0, plural(cluster.nodes, "node"))
    if cluster.ram is not None:
        parts.append(f"{memory(cluster.ram)} of RAM{_against(cluster.ram, own.ram)}")
    for name in cluster.further_resources:
        there = cluster.total(name) or 0
        parts.append(f"{format_count(there)} {name}{_against(there, own.total(name))}")
    if cluster.failures is not None:
        parts.append(_describe_failures(cluster.failures))
    return " · ".join(parts)


def _describe_failures(failures: Outages | Failures) -> str:
    if isinstance(failures, Outages):
        return f"down as recorded in the log: {plural(len(failures), 'time')}"
    every, lasts = format_seconds(failures.every), format_seconds(failures.lasts)
    return f"each node fails every {every} on average, for {lasts}"


def _against(value: int, own: int | None) -> str:
    if own is None or value == own:
        return ""
    change = 100 * (value - own) / own
    return f" ({'+' if change > 0 else '−'}{format_count(abs(change)) if abs(change) >= 1 else '< 1'} %)"
