"""A form of all keys of a policy, in groups."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.policies.policy_field import KeyField, rich_help
from app.panels.policies.wheel_guard import guard_wheel
from engine.errors import InputError
from engine.policy.key import Key
from engine.policy.keys import KEY, KEYS
from engine.policy.names import KeyGroup
from engine.policy.own_policy import unused_with_own
from engine.policy.phrases import key_title
from engine.policy.policy import PRESETS, Policy, format_policy
from views.widgets.awaited_work import ends_as_file, read_spelled
from views.work.executor import Executor

COLUMNS = (
    (KeyGroup.ORDER, KeyGroup.LIMITS),
    (KeyGroup.RESERVATIONS, KeyGroup.PLANS, KeyGroup.ESTIMATES),
    (KeyGroup.FAIRSHARE, KeyGroup.VALUE, KeyGroup.PLACEMENT, KeyGroup.RANDOM),
)
"""The groups of keys in each column."""

COMMON = ("order", "score", "depth", "backfill", "estimate", "half_life")
"""The keys that people change most, and the formula of an order by score; the others are folded away."""

_WIDEST = 340
"""Pixels of the field of a common key: longer sliders are no easier to set."""

NUMBERS = tuple(key.name for key in KEYS if key.range is not None or key.families)
"""Keys that have a slider."""

_GROUPS = (
    *(KeyGroup.RESERVATIONS, KeyGroup.ORDER, KeyGroup.ESTIMATES, KeyGroup.FAIRSHARE),
    *(KeyGroup.PLANS, KeyGroup.VALUE, KeyGroup.LIMITS, KeyGroup.PLACEMENT, KeyGroup.RANDOM),
)
"""The groups from top to bottom, those that most policies use first."""

LIVE = tuple(
    key.name
    for group in _GROUPS
    for key in KEYS
    if key.group == group and (key.name in NUMBERS or key.formula)
)
"""Keys that charts follow while they change, group by group."""

PLAIN = Policy("easy")
"""The policy that has the default of each key."""


class PolicyForm(QWidget):
    """Form with a field for each key: those of `COMMON`, and the others in groups that `all_keys` unfolds.

    `edited` is sent when the user changed a key; `read` returns the policy.
    """

    edited = Signal()
    folded = Signal()  # or unfolded: another height is needed

    def __init__(self, policy: Policy, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, KeyField] = {}
        self._labels: dict[str, QLabel] = {}
        self._base = policy
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        common = QFormLayout()
        common.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name in COMMON:
            self._add_field(KEY[name], common, self)
            # A formula may be long and gets all of the width.
            if not KEY[name].formula:
                field = self.fields[name]
                field.setMaximumWidth(max(_WIDEST, field.sizeHint().width()))
        page.addLayout(common)
        self.all_keys = QToolButton(self)
        self.all_keys.setCheckable(True)
        self.all_keys.setAutoRaise(True)
        self.all_keys.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.all_keys.setText("All keys")
        self.all_keys.toggled.connect(self._unfold)
        page.addWidget(self.all_keys)
        self._others = QWidget(self)
        page.addWidget(self._others)
        page.addStretch(1)
        columns = QHBoxLayout(self._others)
        columns.setContentsMargins(0, 0, 0, 0)
        for groups in COLUMNS:
            column = QVBoxLayout()
            columns.addLayout(column, 1)
            for group in groups:
                column.addWidget(self._make_group(group))
            column.addStretch(1)
            # Groups are boxes of their own, whose labels Qt would align within each box only.
            labels = [
                self._labels[key.name] for key in KEYS if key.group in groups and key.name not in COMMON
            ]
            widest = max(label.sizeHint().width() for label in labels)
            for label in labels:  # the fields of all groups of a column begin at the same x
                label.setMinimumWidth(widest)
        self._unfold(False)
        # A wheel that turns over a field without the focus scrolls the form, and does not change a key
        # unseen.
        guard_wheel(self)
        self.show_policy(policy)
        # A policy that differs in a key which is folded away is shown with all keys.
        self.all_keys.setChecked(bool(self.changed - {*COMMON}))

    def show_policy(self, policy: Policy) -> None:
        """Show the keys of a policy; later changes are changes to its preset."""
        self._base = policy
        for name, field in self.fields.items():
            field.show_text(policy.format_key(name))
        self._arrange()

    def read(self, files: Executor | None = None) -> tuple[str, Policy | None, str]:
        """The spelling of the fields, and the policy or otherwise the error.

        Where the fields name files, a thread of `files` reads them.
        """
        # The log's own schedule has no keys that could be read.
        if not self._base.simulated:
            return self._base.spelling, self._base, ""
        texts = self._texts()
        try:
            changed = self._spelling(without_unused(self._base, texts))
            policy = read_spelled(files, changed, lambda _: policy_of(self._base, texts), self)
        except InputError as error:
            return self._spelling(without_unused(self._base, texts)), None, str(error)
        return policy.spelling, policy, ""

    def _texts(self) -> dict[str, str]:
        return {name: field.text() for name, field in self.fields.items()}

    def _make_group(self, group: KeyGroup) -> QGroupBox:
        box = QGroupBox(group, self)
        rows = QFormLayout(box)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows.setContentsMargins(11, 5, 11, 5)
        rows.setVerticalSpacing(2)
        for key in KEYS:
            if key.group == group and key.name not in COMMON:
                self._add_field(key, rows, box)
        return box

    def _add_field(self, key: Key, rows: QFormLayout, parent: QWidget) -> None:
        field = KeyField(key, PLAIN.format_key(key.name), parent)
        field.edited.connect(self._take)
        label = QLabel(key_title(key.name), parent)
        label.setBuddy(field)
        rows.addRow(label, field)
        self.fields[key.name], self._labels[key.name] = field, label

    @property
    def changed(self) -> set[str]:
        """The keys that are not as in the preset of the policy that is shown."""
        # Keys that have no field, such as those of own code, are left to the base.
        preset, now = PRESETS[self._base.preset][0].format_keys(), self._texts()
        return {name for name, text in self._base.format_keys().items() if text != preset[name]} & {*now}

    def _unfold(self, on: bool) -> None:
        self._others.setVisible(on)
        self.all_keys.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.folded.emit()

    def _take(self) -> None:
        self._arrange()
        self.edited.emit()

    def _arrange(self) -> None:
        """Disable keys without a use, and say why in their tooltips."""
        unused = self._unused()
        for name, field in self.fields.items():
            for part in (field, self._labels[name]):
                part.setEnabled(name not in unused)
                part.setToolTip(rich_help(KEY[name], unused.get(name, "")))

    def _unused(self) -> dict[str, str]:
        """Keys that have no use beside the present values of the others, each with the reason."""
        if not self._base.simulated:
            return dict.fromkeys(self.fields, "The log's own schedule takes no keys.")
        unused = unused_beside(self._base, self._texts())
        return {name: f"Not used: {why}." for name, why in unused.items()}

    def _spelling(self, texts: Mapping[str, str]) -> str:
        """The spelling of these texts of all keys, which need not make a policy."""
        base = PRESETS[self._base.preset][0].format_keys()
        return format_policy(self._base.preset, {key: texts[key] for key in KEY if texts[key] != base[key]})


@lru_cache(maxsize=16)
def formatted_keys(policy: Policy) -> Mapping[str, str]:
    """The canonical text of the value of each key, and of each parameter of own code; kept, because sliders
    ask for it at each step.
    """
    own = {} if policy.own is None else policy.own.texts
    return MappingProxyType({**policy.format_keys(), **own})


def unused_beside(base: Policy, texts: Mapping[str, str]) -> dict[str, str]:
    """Keys that have no use once some keys of `base` have these texts, each with the reason.

    No other key goes by what a file says, so that none is read for this.
    """
    present = formatted_keys(base)
    changed = {
        name: text
        # A key that names a file is not read here: this is called at each step of a slider.
        for name, text in texts.items()
        if name in KEY and text != present[name] and not ends_as_file(text)
    }
    return base.unused_with(changed) | ({} if base.own is None else unused_with_own(base.own))


def without_unused(base: Policy, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of all keys once some keys of `base` are changed, with the default of those without a use."""
    unused, plain = unused_beside(base, texts), formatted_keys(PLAIN)
    changed = {**formatted_keys(base), **texts}
    # Keys without a use get their defaults, else a policy would have two spellings.
    return {name: plain[name] if name in unused else text for name, text in changed.items()}


def policy_of(base: Policy, texts: Mapping[str, str]) -> Policy:
    """The policy `base` with some keys changed, and defaults for keys that then have no effect.

    Raises InputError.
    """
    present = formatted_keys(base)
    changed = without_unused(base, texts)
    # Only what differs is parsed: the other keys keep their values, files among them.
    return base.with_keys(**{name: text for name, text in changed.items() if text != present[name]})
