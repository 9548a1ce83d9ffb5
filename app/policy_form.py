"""A form of all keys of a policy, in groups."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from app.policy_field import KeyField, rich_help
from engine.errors import InputError
from engine.policy import PRESETS, Policy
from engine.policy_keys import KEY, KEYS

GROUPS = (
    (
        ("Order", ("order", "ties", "threshold", "weights")),
        ("Balance and windows", ("bf", "window", "tune", "queue_depth")),
        ("Estimates", ("estimate", "estimate_once")),
    ),
    (
        (
            "Reservations and backfilling",
            ("depth", "backfill", "relaxed", "gate", "pass_every", "test_limit"),
        ),
        ("Limits", ("max_user_jobs", "max_user_cpus", "max_queue_cpus")),
    ),
    (
        ("Fairshare", ("penalty", "half_life", "accrue", "shares")),
        ("Placement", ("placement", "partitions", "constraints", "queue_nodes")),
    ),
)
"""Columns of groups of keys; keys that are in none stand at the end of the last column."""

_USAGE = ("penalty", "half_life", "accrue", "shares")
_PASSES = (
    "gate",
    "threshold",
    "pass_every",
    "test_limit",
    "max_user_jobs",
    "max_user_cpus",
    "max_queue_cpus",
)
_PLAIN = Policy("easy")


class PolicyForm(QWidget):
    """A field for each key. `edited` says that the person changed one; `read` gives what they say."""

    edited = Signal()

    def __init__(self, policy: Policy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, KeyField] = {}
        self._labels: dict[str, QLabel] = {}
        self._base = policy
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 0, 0, 0)
        for groups in _complete(GROUPS):
            column = QVBoxLayout()
            columns.addLayout(column, 1)
            for title, names in groups:
                column.addWidget(self._make_group(title, names))
            column.addStretch(1)
            labels = [self._labels[name] for _, names in groups for name in names]
            widest = max(label.sizeHint().width() for label in labels)
            for label in labels:  # so that the fields of all groups begin at one line
                label.setMinimumWidth(widest)
        for part in self.findChildren(QWidget):
            if isinstance(part, QComboBox | QAbstractSlider | QAbstractSpinBox):
                part.installEventFilter(self)
        self.show_policy(policy)

    def show_policy(self, policy: Policy) -> None:
        """Show its keys; those that are changed from now on are changes to its preset."""
        self._base = PRESETS[policy.preset][0]
        for name, field in self.fields.items():
            field.show_text(policy.spelled(name))
        self._arrange()

    def read(self) -> tuple[str, Policy | None, str]:
        """What the fields say: the spelling, and the policy or else what is wrong with it."""
        if self._base.recorded:
            return self._base.spelling, self._base, ""
        idle = self._idle()
        said = {
            name: _PLAIN.spelled(name) if name in idle else field.text()
            for name, field in self.fields.items()
        }
        try:
            policy = self._base.with_keys(**said)
        except InputError as error:
            return self._spelling(said), None, str(error)
        return policy.spelling, policy, ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The wheel scrolls the form; it turns a field only where that has the focus."""
        if isinstance(event, QWheelEvent) and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _make_group(self, title: str, names: tuple[str, ...]) -> QGroupBox:
        box = QGroupBox(title, self)
        rows = QFormLayout(box)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.setVerticalSpacing(4)
        for name in names:
            field = KeyField(KEY[name], _PLAIN.spelled(name), box)
            field.edited.connect(self._take)
            label = QLabel(name.replace("_", " ").capitalize().replace("cpus", "CPUs"), box)
            label.setBuddy(field)
            rows.addRow(label, field)
            self.fields[name], self._labels[name] = field, label
        return box

    def _take(self) -> None:
        self._arrange()
        self.edited.emit()

    def _arrange(self) -> None:
        """Keys without a use cannot be changed, and say why."""
        idle = self._idle()
        for name, field in self.fields.items():
            for part in (field, self._labels[name]):
                part.setEnabled(name not in idle)
                part.setToolTip(rich_help(KEY[name], idle.get(name, "")))

    def _idle(self) -> dict[str, str]:
        """Keys that have no use under the present ones, each with the reason."""
        if self._base.recorded:
            return dict.fromkeys(self.fields, "The log's own schedule takes no keys.")
        return idle_keys({name: field.text() for name, field in self.fields.items()})

    def _spelling(self, said: Mapping[str, str]) -> str:
        """What cannot be a policy, spelled like one."""
        changed = [
            f"{key.name}={said[key.name]}" for key in KEYS if said[key.name] != self._base.spelled(key.name)
        ]
        return self._base.preset + (":" + ",".join(changed) if changed else "")


def idle_keys(said: Mapping[str, str]) -> dict[str, str]:
    """Keys that order and depth leave without a use, each with the reason."""
    order, depth = said["order"], said["depth"]
    idle: dict[str, str] = {}
    if order not in ("fairshare", "priority"):
        idle |= dict.fromkeys(_USAGE, f"Usage has no use with order={order}.")
    if order != "priority":
        idle["weights"] = f"Factors have no use with order={order}."
    if depth == "stop":
        idle["backfill"] = "depth=stop lets nothing pass a blocked job."
    if depth in ("all", "kept"):
        idle["backfill"] = f"depth={depth} reserves for every job: nothing is left to backfill."
    if depth in ("stop", "0"):
        idle["relaxed"] = f"depth={depth} makes no reservations."
    if depth == "kept":
        why = "depth=kept starts jobs at planned times, not at passes."
        idle |= dict.fromkeys((*_PASSES, "relaxed"), why)
    return idle


def _complete(
    columns: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...],
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """The columns with the keys that they leave out at the end."""
    placed = {name for groups in columns for _, names in groups for name in names}
    rest = tuple(key.name for key in KEYS if key.name not in placed)
    return (*columns[:-1], (*columns[-1], ("More", rest))) if rest else columns
