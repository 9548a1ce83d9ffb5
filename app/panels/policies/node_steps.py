"""Buttons that add or remove a node in a group of a run's machine."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup, named_like, with_groups
from views.text.counts import plural

_SIDE = 26
"""Width of a button, in pixels."""


class NodeSteps(QWidget):
    """The nodes of a machine, with buttons to add and remove a node; of a pool its processors.

    `changed` carries the new machine. Groups and nodes have the names of the log's machine.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cluster: Cluster | None = None
        self._own: Cluster | None = None
        self.group = QComboBox(self)
        self.group.setAccessibleName("Group of nodes")
        # Long names of groups are cut, so that they do not make the panel wider.
        self.group.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.group.currentIndexChanged.connect(self._show)
        self.fewer = self._button("−", -1)
        self.more = self._button("+", 1)
        self.message = QLabel("", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.group, 1)
        row.addWidget(self.fewer)
        row.addWidget(self.message)
        row.addWidget(self.more)
        row.addStretch(1)

    def show_cluster(self, cluster: Cluster | None, own: Cluster | None) -> None:
        """Show the machine of a run, beside the log's own; None: there is nothing to change."""
        self._cluster, self._own = cluster, own
        groups = cluster.groups if cluster is not None else ()
        chosen = max(self.group.currentIndex(), 0)
        with QSignalBlocker(self.group):
            self.group.clear()
            self.group.addItems([group.name or group.spelling for group in groups])
            self.group.setCurrentIndex(min(chosen, self.group.count() - 1))
        self.group.setVisible(len(groups) > 1)
        self._show()

    def _button(self, sign: str, step: int) -> QToolButton:
        button = QToolButton(self)
        button.setText(sign)
        button.setFixedWidth(_SIDE)
        button.clicked.connect(lambda: self._step(step))
        return button

    @property
    def _chosen(self) -> NodeGroup | None:
        index = self.group.currentIndex()
        return self._cluster.groups[index] if self._cluster is not None and index >= 0 else None

    def _show(self) -> None:
        group = self._chosen
        pool = group is not None and group.count == 1
        noun = "processor" if pool else "node"
        self.fewer.setEnabled(group is not None and (group.cpus if pool else group.count) > 1)
        self.more.setEnabled(group is not None)
        self.fewer.setToolTip(f"One {noun} fewer")
        self.more.setToolTip(f"One {noun} more")
        for button in (self.fewer, self.more):
            button.setAccessibleName(button.toolTip())
        self.message.setText(plural(group.cpus if pool else group.count, noun) if group is not None else "")

    def _step(self, step: int) -> None:
        group, cluster, own = self._chosen, self._cluster, self._own
        if group is None or cluster is None or own is None:
            return
        groups = list(cluster.groups)
        try:
            groups[self.group.currentIndex()] = stepped(group, step)
            changed = named_like(with_groups(cluster, tuple(groups)), own)
        except InputError as error:  # larger than any machine may be
            self.more.setToolTip(str(error))
            self.more.setEnabled(False)
            return
        self.changed.emit(changed)


def stepped(group: NodeGroup, step: int) -> NodeGroup:
    """The group with so many more nodes, or fewer; of a single node (a pool) so many processors."""
    if group.count == 1:
        return replace(group, cpus=group.cpus + step)
    count = group.count + step
    return replace(group, count=count, names=group.names[:count])
