"""Sliders for the numbers of a run's policy: the run is simulated continuously while a slider moves.

Their values become a policy in `_explore`, which `Workbench.explore` simulates; charts follow its signals.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.model.preview import SLOW_S
from app.model.reading import Opened
from app.model.workbench import Workbench
from app.panels.policies.key_rows import ColumnArea, KeyRows
from app.panels.policies.node_steps import NodeSteps
from app.panels.policies.policy_field import KeyField, rich_help
from app.panels.policies.policy_form import LIVE, PLAIN, formatted_keys, policy_of, unused_beside
from app.panels.policies.wheel_guard import guard_wheel
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.keys import KEY
from engine.policy.own_policy import own_keys
from engine.policy.policy import Policy
from engine.study import Run
from engine.words import counted
from views.state.clock import Window
from views.text.counts import format_seconds
from views.theme.palette import run_colour
from views.theme.swatch import swatch
from views.widgets.elided_box import ElidedBox

_SLIDER_WIDTH, _BOX_WIDTH, _LETTERS = 50, 68, 5
"""Least widths in pixels, and digits in a box: the panel is in a narrow column."""

_RECORDED = "The log's own schedule has nothing to set."
_EMPTY = "Sliders for a run's policy appear here."


class ExplorePanel(QWidget):
    """Changes the policy of a run as its sliders move; the charts follow.

    If a step takes long, the `window` of the run's charts, s, is simulated first. If `live` is unchecked the
    charts follow when the slider is released. "Restore" returns to the run's earlier policy, "Keep" replaces
    that by the current policy. `edit_clicked` (run) requests the dialog for all keys, `live_changed` carries
    whether charts follow.
    """

    edit_clicked = Signal(int)
    live_changed = Signal(bool)
    scale_clicked = Signal(int)  # other load or requests of this run are asked for

    def __init__(
        self,
        workbench: Workbench,
        window: Callable[[int], Window],
        live: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workbench, self._window_of = workbench, window
        self._origins: dict[int, Policy] = {}  # what runs were before they were explored
        self._seen: dict[int, Policy] = {}  # the policies of runs, as far as they are simulated
        self._wanted: Policy | None = None  # the last requested policy
        self._dragging = False
        self._before_drag: Policy | None = None
        self._arranged: object = None  # what the last arrangement of the fields depended on
        self.runs = ElidedBox(self)
        self.runs.setAccessibleName("Run to explore")
        self.setFocusProxy(self.runs)
        self.runs.setToolTip("The run whose policy the sliders change")
        self.runs.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.runs.currentIndexChanged.connect(self._show_run)
        self.nodes = NodeSteps(self)
        self.nodes.changed.connect(self._take_machine)
        self.scale = QPushButton("Load and requests…", self)
        self.scale.setToolTip(
            "What if jobs arrived faster, were wider, or requested less: a run beside this one"
        )
        self.scale.clicked.connect(lambda: self.scale_clicked.emit(self.run_id or 0))
        self._fields: dict[str, KeyField] = {}  # made when they are first needed
        self.own: dict[str, KeyField] = {}  # the fields of parameters of the run's own code
        self._unused: set[str] = set()  # keys without effect under the present policy
        self.idle = QToolButton(self, autoRaise=True)
        self.idle.setCheckable(True)
        self.idle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.idle.setToolTip("Keys that change nothing under this policy; their tooltips say why")
        self.idle.toggled.connect(self._fold)
        self.note = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.live = QCheckBox("Live", self)
        self.live.setChecked(live)
        self.live.setToolTip("Simulate while a slider moves, not only when it is released")
        self.live.toggled.connect(self.live_changed)
        self.restore = QPushButton("Restore", self)
        self.restore.setToolTip("Back to the policy before it was explored (Esc)")
        self.restore.clicked.connect(self._restore)
        self.edit = QToolButton(self, autoRaise=True)
        self.edit.setText("✎")
        self.edit.setToolTip("Edit all keys of this run's policy, and its machine")
        self.edit.setAccessibleName(self.edit.toolTip())
        self.edit.clicked.connect(lambda: self.edit_clicked.emit(self.run_id))
        self.keep = QPushButton("Keep", self)
        self.keep.setToolTip("Keep the run as it is now, and end the comparison with its earlier policy")
        self.keep.clicked.connect(self._keep)
        self._lay_out()
        workbench.study_changed.connect(self._follow_study)
        workbench.added.connect(self.choose)
        workbench.run_changed.connect(self._follow_run)
        workbench.judged.connect(self._update_text)  # which has the verdicts of sites
        workbench.refused.connect(self._show_refused)
        workbench.opened.connect(self._begin_anew)
        self._follow_study()

    @property
    def run_id(self) -> int | None:
        """The run that is explored."""
        chosen: int | None = self.runs.currentData()
        return chosen

    @property
    def fields(self) -> dict[str, KeyField]:
        """The fields of keys. They are made when they are first seen or asked for: that takes as long as to
        make half of a window.
        """
        if not self._fields:
            self._make_fields()
        return self._fields

    def showEvent(self, event: QShowEvent) -> None:
        if not self._fields:
            self._make_fields()
        super().showEvent(event)

    def choose(self, run_id: int) -> None:
        """Explore this run."""
        self.runs.setCurrentIndex(self.runs.findData(run_id))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.restore.isEnabled():
            self._restore()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        holder = QWidget(self)
        # Keys of the chosen run's policy come between these rows, in the same form, so that labels line up.
        self._rows = KeyRows(holder)
        self._rows.addRow("Nodes", self.nodes)
        self._rows.addRow(self.scale)
        self._holder = holder
        self._rows.addRow(self.idle)
        area = ColumnArea(self)
        # A long note must not widen the dock.
        area.hold(holder)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.runs, 1)
        head.addWidget(self.edit)
        foot.addWidget(self.live, 1)
        foot.addWidget(self.restore)
        foot.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addLayout(head)
        column.addWidget(area, 1)
        column.addWidget(self.note)
        column.addLayout(foot)

    def _make_fields(self) -> None:
        """Make the fields of keys, with the values of the run that is explored."""
        self._fields = {name: KeyField(KEY[name], PLAIN.format_key(name), self._holder) for name in LIVE}
        for name, field in self._fields.items():
            self._rows.add_key(name, field)
            self._connect_field(field)
        guard_wheel(self._holder)
        if self._wanted is not None:
            self._show(self._wanted)
        self._arranged = None
        self._arrange()

    def _connect_field(self, field: KeyField) -> None:
        """Explore by a field, whose sliders are as narrow as the panel wants them."""
        field.edited.connect(self._take)
        for number in field.numbers.values():
            number.slider.setMinimumWidth(_SLIDER_WIDTH)
            number.narrow(_BOX_WIDTH, _LETTERS)
            number.slider.sliderPressed.connect(self._begin_drag)
            number.slider.sliderReleased.connect(self._end_drag)

    def _fold(self) -> None:
        """Show the keys with an effect, and the others where these are unfolded.

        Under a dragged slider no row may move: rows are folded when it is released.
        """
        if self._dragging:
            return
        shown = {name for name in self._fields if name not in self._unused or self.idle.isChecked()}
        self._rows.show_keys(shown)
        unfolded = self.idle.isChecked()
        self.idle.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        self.idle.setText(f"{counted(len(self._unused), 'key')} without effect")
        self._rows.setRowVisible(self.idle, bool(self._unused))

    @property
    def _all_fields(self) -> dict[str, KeyField]:
        return {**self.own, **self._fields}

    def _show_own(self, policy: Policy) -> None:
        """Have a slider for each parameter of the policy's own code, above those of keys."""
        keys = {} if policy.own is None else own_keys(policy.own)
        # The same parameters keep their sliders, and the slider that is being dragged stays alive.
        if keys == {name: field.key for name, field in self.own.items()}:
            return
        for field in self.own.values():
            self._rows.removeRow(field)
        texts = {} if policy.own is None else policy.own.texts
        self.own = {name: KeyField(key, texts[name], self._holder) for name, key in keys.items()}
        for row, (name, field) in enumerate(self.own.items()):
            label = QLabel(name, self._holder, textFormat=Qt.TextFormat.PlainText)
            label.setBuddy(field)
            for part in (label, field):
                part.setToolTip(rich_help(field.key))
            self._rows.insertRow(row, label, field)
            self._connect_field(field)
        # The wheel scrolls the form, not a slider that happens to be under it.
        guard_wheel(self._holder)

    def _begin_anew(self, opened: Opened) -> None:
        """Forget the runs of another trace; those of the same trace read again are explored further."""
        if opened.is_reread:
            self._show_run()
        else:
            self._origins.clear()
            self._wanted = None

    def _follow_study(self) -> None:
        """Follow a study that has other runs, or a run with another policy."""
        study, chosen = self._workbench.study, self.run_id
        runs = study.runs
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for run in runs:
                self.runs.addItem(swatch(run_colour(run.id)), study.name(run), run.id)
            known = self.runs.findData(chosen)
            # The panel opens on the group with most keys.
            self.runs.setCurrentIndex(known if known >= 0 else len(runs) - 1)
        policies = {run.id: run.policy for run in runs}
        for run_id in list(self._origins):
            if policies.get(run_id) != self._seen[run_id]:  # removed, or changed by others: it begins anew
                del self._origins[run_id]
        if self.run_id != chosen or chosen not in self._origins:
            self._show_run()

    def _show_run(self) -> None:
        """Show the policy of the chosen run."""
        study, run_id = self._workbench.study, self.run_id
        run = study.run(run_id) if run_id is not None else None
        policy = run.policy if run is not None else None
        self._wanted = policy
        if run is not None and policy is not None:
            self._seen[run.id] = policy
            self._origins.setdefault(run.id, policy)
            self._show(policy)
        self._arrange()
        self._update_text()

    def _show(self, policy: Policy) -> None:
        self._show_own(policy)
        texts = formatted_keys(policy)
        for name, field in self._all_fields.items():
            field.show_text(texts[name])

    def _follow_run(self, run_id: int) -> None:
        """A run has a new schedule, and perhaps another policy."""
        study = self._workbench.study
        run = study.run(run_id)
        if run is None:
            return
        self.runs.setItemText(self.runs.findData(run_id), study.name(run))
        self._seen[run_id] = run.policy
        origin = self._origins.get(run_id)
        own = run.policy.own
        saved = origin is not None and (origin.own and origin.own.file) != (own and own.file)
        if saved:  # the code of its policy was saved anew: the earlier code is no origin
            del self._origins[run_id]
        if run_id == self.run_id:
            if saved:
                self._show_run()
            self._update_text()
            self._arrange()

    def _begin_drag(self) -> None:
        self._dragging, self._before_drag = True, self._wanted
        self._keep_ghost()

    def _end_drag(self) -> None:
        self._dragging = False
        self._arranged = None  # what the drag left without effect is folded now
        if not self.live.isChecked():
            self._explore()
        else:
            self._record(self._before_drag)  # all of the drag is a single step
        self._arrange()

    def _keep_ghost(self) -> None:
        if self.run_id is not None:
            self._workbench.keep_ghost(self.run_id)

    def _take(self) -> None:
        """A field was changed: by a drag, whose fields are arranged with each schedule, or at once."""
        if not self._dragging:
            self._keep_ghost()
        if self.live.isChecked() or not self._dragging:
            self._explore()
        if not self._dragging:
            self._arrange()

    def _explore(self) -> None:
        """Ask for the run under what the fields say."""
        run_id = self.run_id
        if run_id is None or run_id not in self._origins:  # of the trace that is left
            return
        values = {name: field.text() for name, field in self._all_fields.items()}
        try:
            policy = policy_of(self._origins[run_id], values)
        except InputError as error:
            self._update_text(str(error))
            return
        self._update_text()
        if policy != self._wanted:
            before, self._wanted = self._wanted, policy
            self._workbench.explore(run_id, policy, self._window_of(run_id))
            if not self._dragging:
                self._record(before)

    def _record(self, before: Policy | None) -> None:
        """Let Ctrl+Z take back what was explored since the run had this policy."""
        if self.run_id is not None and before is not None and self._wanted not in (before, None):
            self._workbench.keep_explored(self.run_id, before, self._wanted)

    def _restore(self) -> None:
        if self.run_id is not None and self.run_id in self._origins:
            self._workbench.drop_ghost()
            self._show(self._origins[self.run_id])
            self._explore()
            self._arrange()

    def _keep(self) -> None:
        if self.run_id is not None and self._wanted is not None:
            self._origins[self.run_id] = self._wanted
            self._workbench.drop_ghost()
            self._arrange()

    def _arrange(self) -> None:
        """Fold away the fields that have no use under the present policy."""
        policy, run, study = self._wanted, self._run, self._workbench.study
        explored = policy is not None and policy.simulated
        origin = self._origins.get(self.run_id) if self.run_id is not None else None
        cluster = run.cluster if run is not None and explored else None
        texts = {name: field.text() for name, field in self._all_fields.items()}
        shown = policy, origin, texts, cluster, study.cluster, self._workbench.is_open
        if shown == self._arranged:
            return  # each step of a slider, and each of its schedules, asks for it
        self._arranged = shown
        unused = dict.fromkeys(LIVE, "")
        if policy is not None and explored:
            unused = unused_beside(policy, texts)
        self._unused = {name for name in self._fields if name in unused}
        for name, field in self._fields.items():
            about = rich_help(KEY[name], unused.get(name, ""), texts[name])
            for part in (field, self._rows.labels[name]):
                part.setEnabled(name not in unused)
                part.setToolTip(about)
        self._fold()
        for button in (self.restore, self.keep):
            button.setEnabled(explored and policy != origin)
        self.nodes.show_cluster(cluster, study.cluster)
        self.scale.setEnabled(self._workbench.is_open)
        self.edit.setEnabled(policy is not None)
        self.live.setEnabled(explored)

    @property
    def _run(self) -> Run | None:
        run_id = self.run_id
        return self._workbench.study.run(run_id) if run_id is not None else None

    def _take_machine(self, cluster: Cluster) -> None:
        """Another machine is an edit of its own, which is undone by itself."""
        run = self._run
        if run is not None:
            self._workbench.change_run(run.id, run.policy, cluster)

    def _show_refused(self, run_id: int, why: str) -> None:
        if run_id == self.run_id:
            self._update_text(why)

    def _update_text(self, problem: str = "") -> None:
        """Show an error, or otherwise the reason why the charts do not follow the slider."""
        policy, run_id = self._wanted, self.run_id
        live = self._workbench.live_run(run_id) if run_id is not None else None
        chart_data = live.chart_data if live is not None else None
        if policy is None or run_id is None:
            text = _EMPTY
        elif not policy.simulated:
            text = _RECORDED
        elif chart_data is not None and chart_data.computing > SLOW_S and policy != self._origins[run_id]:
            seconds = chart_data.seconds
            text = (
                f"The whole run takes {format_seconds(seconds)} a step: jobs in view are simulated first, "
                "from the left on."
            )
        elif live is not None and (verdict := live.verdict):
            text = (
                f"{verdict[0].upper()}{verdict[1:]}."  # what is tried is worth as much as the model is near
            )
        else:
            text = ""
        self.note.setForegroundRole(
            QPalette.ColorRole.BrightText if problem else QPalette.ColorRole.PlaceholderText
        )
        self.note.setText(problem or text)
        self.note.setVisible(bool(problem or text))
