"""A form of all keys of a policy, in groups."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QGroupBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.panels.policy_field import KeyField, key_label, rich_help
from app.panels.wheel_guard import WheelGuard
from engine.errors import InputError
from engine.policy.keys import KEY, KEYS
from engine.policy.policy import PRESETS, Policy, spell_policy
from engine.policy.unused_keys import idle_keys

GROUPS = (
    (
        (
            "Order, balance and windows",
            (
                *("order", "score", "ties", "threshold", "weights", "max_age"),
                *("bf", "window", "tune", "queue_depth"),
            ),
        ),
        (
            "Limits",
            (
                *("max_user_jobs", "max_user_cpus", "max_queue_cpus", "test_limit", "user_test_limit"),
                *("on_failure", "max_restarts"),
            ),
        ),
    ),
    (
        (
            "Reservations and backfilling",
            ("depth", "backfill", "relaxed", "gate", "pass_every", "horizon", "resolution"),
        ),
        (
            "Plans that are kept",
            ("replan", "gap", "search", "plan_depth", "search_every", "trials", "criteria"),
        ),
        ("Estimates", ("estimate", "estimate_once")),
    ),
    (
        ("Fairshare", ("penalty", "half_life", "accrue", "shares", "usage_of", "eet_share")),
        ("Value", ("n", "prices", "valuation", "seed")),
        (
            "Placement and queues",
            (
                *("placement", "partitions", "constraints"),
                *("queue_nodes", "queue_limits", "queue_priority"),
            ),
        ),
    ),
)
"""Columns of groups of keys; keys that are in none stand at the end of the last column."""

PLAIN = Policy("easy")
"""What each key is where nothing is said of it."""


class PolicyForm(QWidget):
    """Form with a field for each key. `edited` says that the user changed one; `read` gives the policy."""

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
        WheelGuard(self)
        self.show_policy(policy)

    def show_policy(self, policy: Policy) -> None:
        """Show the keys of a policy; those that are changed from now on are changes to its preset."""
        self._base = policy
        for name, field in self.fields.items():
            field.show_text(policy.spelled(name))
        self._arrange()

    def read(self) -> tuple[str, Policy | None, str]:
        """What the fields say: the spelling, and the policy or else what is wrong with it."""
        if not self._base.simulated:
            return self._base.spelling, self._base, ""
        said = {name: field.text() for name, field in self.fields.items()}
        try:
            policy = policy_of(self._base, said)
        except InputError as error:
            return self._spelling(without_idle(said)), None, str(error)
        return policy.spelling, policy, ""

    def _make_group(self, title: str, names: tuple[str, ...]) -> QGroupBox:
        box = QGroupBox(title, self)
        rows = QFormLayout(box)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.setContentsMargins(11, 5, 11, 5)
        rows.setVerticalSpacing(2)
        for name in names:
            field = KeyField(KEY[name], PLAIN.spelled(name), box)
            field.edited.connect(self._take)
            label = QLabel(key_label(name), box)
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
        if not self._base.simulated:
            return dict.fromkeys(self.fields, "The log's own schedule takes no keys.")
        idle = idle_keys({name: field.text() for name, field in self.fields.items()})
        return {name: f"It has no use: {why}." for name, why in idle.items()}

    def _spelling(self, said: Mapping[str, str]) -> str:
        """The spelling of keys that need not be a policy."""
        base = PRESETS[self._base.preset][0]
        changed = {key.name: said[key.name] for key in KEYS if said[key.name] != base.spelled(key.name)}
        return spell_policy(self._base.preset, changed)


def without_idle(said: Mapping[str, str]) -> dict[str, str]:
    """What all keys say; those without a use say what they do by default."""
    idle = idle_keys(said)
    return {name: PLAIN.spelled(name) if name in idle else text for name, text in said.items()}


def policy_of(base: Policy, said: Mapping[str, str]) -> Policy:
    """The policy `base` with what some keys say, and no other that has no use then. Raises InputError."""
    told = without_idle({key.name: base.spelled(key.name) for key in KEYS} | dict(said))
    return base.with_keys(**{name: text for name, text in told.items() if text != base.spelled(name)})


def _complete(
    columns: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...],
) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """The columns with the keys that they leave out at the end."""
    shown = {name for groups in columns for _, names in groups for name in names}
    rest = tuple(key.name for key in KEYS if key.name not in shown)
    return (*columns[:-1], (*columns[-1], ("More", rest))) if rest else columns
