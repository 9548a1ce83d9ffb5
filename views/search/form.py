"""The form of a search: what is to be small or large, under which bounds, by which keys, and to beat what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QWidget,
)

from engine.errors import InputError
from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from engine.policy.keys import KEYS
from engine.policy.names import KeyGroup
from engine.policy.phrases import key_title
from engine.policy.policy import PRESETS, Policy, parse_policy
from engine.search.question import WORST_USER
from engine.search.space import USUAL_KEYS, parse_space
from engine.search.typed_question import TypedQuestion, entries_of
from views.data.search_results import title
from views.data.search_words import bounds_in_words, dimension_in_words
from views.search.pick_line import PickLine
from views.text.metrics import grouped_metrics, metric_heading
from views.text.tooltips import tip
from views.widgets.awaited_work import read_spelled
from views.widgets.menu_entries import MenuEntry, MenuItem, literal
from views.widgets.metric_choice import offer_further
from views.work.executor import Executor

GOALS = 3
"""Objectives at most: a front of more cannot be read."""

_MOST_TRIALS = 100_000
_NONE = "(none)"

_BOUNDS = (
    "Constraints, separated by commas: a metric, <= or >=, and a number; with % its change against the "
    "baseline, like wait_max <= 10 %; times may have units, like wait_mean <= 2h"
)
_KEYS = (
    "Keys of the policy to vary, separated by commas: over their whole range, or as in bf=0..1, "
    "order=fcfs|sjf"
)


class SearchForm(QWidget):
    """The input fields of a search. `wanted` is sent when Enter is pressed in a field."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None, files: Executor | None = None) -> None:
        super().__init__(parent)
        self._files = files
        self.ways = [self._way(k) for k in range(GOALS)]
        self.metrics = [self._metric(k) for k in range(GOALS)]
        self._usual = [box.count() for box in self.metrics]  # entries that are always there
        self._further: Sequence[Metric] = ()
        self.picked_bounds = PickLine(
            "Subject to",
            "nothing",
            _BOUNDS,
            self._offered_bounds,
            bounds_in_words,
            self,
            unless="Such as mean wait at most 2 h (wait_mean <= 2h); + lists all",
        )
        self.picked_keys = PickLine(
            "Keys varied",
            f"the usual {len(USUAL_KEYS)} below",
            _KEYS,
            self._offered_keys,
            self._keys_in_words,
            self,
            unless=_usual_in_words(),
        )
        for picked in (self.picked_bounds, self.picked_keys):
            picked.entered.connect(self.wanted)
        self.bounds, self.keys = self.picked_bounds.line, self.picked_keys.line
        self.policy = self._policies("The policy that the search starts from: its keys are varied", "Policy")
        self.baseline = self._policies(
            "The policy to improve; empty: easy, or the site that the search starts from", "Baseline"
        )
        if (line := self.baseline.lineEdit()) is not None:
            line.setPlaceholderText("EASY backfilling (easy), or the site's own")
        self.doubtful = QCheckBox("Also if the site's model &misleads", self)
        self.doubtful.setToolTip(
            "Search although the model has the site's accounts in another order than the log: what is found "
            "cannot be believed"
        )
        self.policy.currentTextChanged.connect(self._offer_doubtful)
        self.trials = self._number("The number of policies to try", "Trials", 1, _MOST_TRIALS)
        self.seed = self._number("Another seed tries other policies", "Seed", 0, 10**9)
        rows = QFormLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        goals = QLabel("Goals", self)
        for k, (way, metric) in enumerate(zip(self.ways, self.metrics, strict=True)):
            row = QHBoxLayout()
            row.addWidget(way)
            row.addWidget(metric, 1)
            rows.addRow(goals, row) if k == 0 else rows.addRow(row)
        for label, part in (
            ("Subject to", self.picked_bounds),
            ("Keys varied", self.picked_keys),
            ("Starting from", self.policy),
            ("Baseline", self.baseline),
        ):
            rows.addRow(label, part)
        rows.addRow(self.doubtful)
        numbers = QHBoxLayout()
        for text, box in (("Trials", self.trials), ("Seed", self.seed)):
            numbers.addWidget(QLabel(text, self))
            numbers.addWidget(box, 1)
        rows.addRow(numbers)
        self.show_question(TypedQuestion())

    @property
    def asked(self) -> TypedQuestion:
        """The search that the fields describe."""
        chosen = [
            (way.currentData(), metric.currentData())
            for way, metric in zip(self.ways, self.metrics, strict=True)
            if metric.currentData()
        ]
        return TypedQuestion(
            tuple(name for large, name in chosen if not large),
            tuple(name for large, name in chosen if large),
            self.bounds.text(),
            self.keys.text(),
            self.policy.currentText(),
            self.baseline.currentText(),
            self.trials.value(),
            self.seed.value(),
            self.doubtful.isChecked() and not self.doubtful.isHidden(),
        )

    def show_question(self, asked: TypedQuestion) -> None:
        """Fill the fields."""
        goals = [*((False, name) for name in asked.minimize), *((True, name) for name in asked.maximize)]
        for k, (way, metric) in enumerate(zip(self.ways, self.metrics, strict=True)):
            large, name = goals[k] if k < len(goals) else (False, "")
            way.setCurrentIndex(int(large))
            metric.setCurrentIndex(max(metric.findData(name), 0))
        self.bounds.setText(asked.bounds)
        self.keys.setText(asked.keys)
        self.policy.setCurrentText(asked.policy)
        self.baseline.setCurrentText(asked.baseline)
        self.doubtful.setChecked(asked.doubtful)
        self._offer_doubtful(asked.policy)
        for box, number in ((self.trials, asked.trials), (self.seed, asked.seed)):
            box.setValue(min(max(number, box.minimum()), box.maximum()))

    def offer_policies(self, spellings: Sequence[str]) -> None:
        """Offer these policies; what is typed stays."""
        for box in (self.policy, self.baseline):
            now = box.currentText()
            box.clear()
            box.addItems(list(dict.fromkeys(spellings)))
            box.setCurrentText(now)

    def offer_metrics(self, metrics: Sequence[Metric]) -> None:
        """Offer these metrics, too, as goals and bounds; what is chosen stays, if it is there."""
        self._further = metrics
        for box, usual in zip(self.metrics, self._usual, strict=True):
            offer_further(box, usual, metrics, metric_heading)

    def _offer_doubtful(self, policy: str) -> None:
        """Only a site's model can mislead."""
        self.doubtful.setVisible(policy.partition(":")[0].strip() not in ("", *PRESETS))

    def _way(self, k: int) -> QComboBox:
        box = QComboBox(self)
        for text, large in (("minimize", False), ("maximize", True)):
            box.addItem(text, large)
        box.setAccessibleName(f"Goal {k + 1}: small or large")
        box.setToolTip("Whether a small or a large value is better")
        return box

    def _metric(self, k: int) -> QComboBox:
        box = QComboBox(self)
        if k:
            box.addItem(_NONE, "")
        for metric in METRICS.values():
            if metric.better is not None:
                box.addItem(metric_heading(metric), metric.name)
                box.setItemData(box.count() - 1, tip(metric.text), Qt.ItemDataRole.ToolTipRole)
        box.addItem(title(WORST_USER), WORST_USER)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(8)
        box.setAccessibleName(f"Goal {k + 1}: metric")
        box.setToolTip(
            "The metric; with two or three goals the search finds policies that no other policy beats in all "
            "of them"
        )
        return box

    def _offered_bounds(self) -> list[MenuItem]:
        """A submenu for each group of metrics; an entry adds a bound, with its number selected for typing."""
        groups: list[MenuItem] = []
        for group, metrics in grouped_metrics(self._further):
            rated = [metric for metric in metrics if metric.better is not None]
            if rated:
                groups.append(MenuEntry(literal(group), inner=[self._bound(metric) for metric in rated]))
        return groups

    def _bound(self, metric: Metric) -> MenuEntry:
        """The entry that bounds a metric: above where less is better."""
        sign = "<=" if metric.better == "lower" else ">="
        value = "1h" if metric.unit == "s" else "1"
        words = "at most" if metric.better == "lower" else "at least"
        unit = f" {metric.unit}" if metric.unit else ""
        return MenuEntry(
            literal(f"{metric.label} {words} …{unit}"),
            lambda: self.picked_bounds.add(f"{metric.name} {sign} {value}", value),
            tip=f"{metric.name}: {metric.text}",
        )

    def _offered_keys(self) -> list[MenuItem]:
        """What can be varied: options of the site that the search starts from, or keys, group by group."""
        try:
            base = self._base()
        except InputError:  # typed halfway: the keys of all policies
            base = parse_policy("easy")
        if base.site is not None:
            names = [dimension.key.name for dimension in parse_space((), base)]
            return [MenuEntry(literal(name), partial(self.picked_keys.add, name)) for name in names]
        groups: list[MenuItem] = []
        for group in KeyGroup:
            keys = [key for key in KEYS if key.group == group and _can_vary(key.name)]
            entries = [
                MenuEntry(
                    literal(f"{key_title(key.name)} ({key.name})"),
                    partial(self.picked_keys.add, key.name),
                    tip=key.help,
                )
                for key in keys
            ]
            if entries:
                groups.append(MenuEntry(literal(group), inner=entries))
        return groups

    def _base(self) -> Policy:
        """The policy that the search starts from. Raises InputError."""
        return read_spelled(self._files, self.policy.currentText(), parse_policy, self)

    def _keys_in_words(self, text: str) -> str:
        """The dimensions of the search in words. Raises InputError."""
        space = parse_space(entries_of(text), self._base())
        return "; ".join(map(dimension_in_words, space))

    def _policies(self, about: str, name: str) -> QComboBox:
        box = QComboBox(self, editable=True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setToolTip(about)
        box.setAccessibleName(name)
        if (line := box.lineEdit()) is not None:
            line.setAccessibleName(name)
        return box

    def _number(self, about: str, name: str, least: int, most: int) -> QSpinBox:
        box = QSpinBox(self, minimum=least, maximum=most)
        box.setToolTip(about)
        box.setAccessibleName(name)
        return box


def _usual_in_words() -> str:
    """The keys that are varied where none is named, with the keys themselves behind their words."""
    return "; ".join(f"{key_title(name)} ({name})" for name in USUAL_KEYS)


def _can_vary(name: str) -> bool:
    """True for a key with values that a search can try without being told which."""
    try:
        parse_space((name,))
    except InputError:
        return False
    return True
