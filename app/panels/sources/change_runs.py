"""A change of rules in a window: its date and sites chosen, compared, saved, and shown as runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from app.model.change_runner import ChangeRunner
from app.model.models import Models
from app.panels.made_later import MadeLater
from engine.dates import date_of
from engine.errors import InputError
from engine.input import exists, refuse_inputs
from engine.simulation.control import Control
from views.catalog import ALL
from views.data.change_look import ChangeLook

if TYPE_CHECKING:
    from views.change.page import ChangePage

_SITES = "slurm.conf (*.conf);;All files (*)"
_TITLES = ("Choose the slurm.conf of the old rules", "Choose the slurm.conf of the new rules")


class ChangeRuns(QObject):
    """The controller between the page of a change of rules, which knows no model, and its simulations."""

    def __init__(self, models: Models, page: MadeLater[ChangePage], window: QWidget) -> None:
        super().__init__(window)
        self._models, self._page, self._window = models, page, window
        self.runner = ChangeRunner(models.workbench, self)
        page.when_made(self._connect_page)
        models.workbench.opened.connect(self._show_inputs)
        models.workbench.study_changed.connect(self._name_sites)

    def _connect_page(self, page: ChangePage) -> None:
        self.runner.show_on(page)
        page.site_wanted.connect(self.ask_site)
        page.site_dropped.connect(self.choose)
        page.start_wanted.connect(self.start)
        page.runs_wanted.connect(self._show_runs)
        page.save_wanted.connect(self.save_page)
        page.dated.connect(lambda text: self._keep_for_log(at=text))
        page.grouped.connect(lambda by: self._keep(by=by))
        page.set_by(self._models.settings.change.by)
        self._show_inputs()

    # What is asked.

    def ask_site(self, place: int) -> None:
        """Let the reader choose the slurm.conf of the old or new rules; what lies beside it is read too."""
        known = self._sites[place] or self._sites[1 - place]
        name, _ = QFileDialog.getOpenFileName(self._window, _TITLES[place], known, _SITES)
        if name:
            self.choose(place, Path(name))

    def choose(self, place: int, path: Path) -> None:
        """Set where rules are read: old ones (`place` 0) or new ones (1), a slurm.conf or its folder."""
        self._keep_for_log(**{("before", "after")[place]: str(path.absolute())})
        self._name_sites()

    def start(self) -> None:
        """Compare the rules that were chosen; where something lacks, say what, or ask for it."""
        page, sites = self._page(), self._sites
        if not self._models.workbench.is_open:
            page.show_error("Open the site's log first.")
            return
        # Each missing site is asked for in turn; closing the question without an answer ends all.
        for place, name in enumerate(sites):
            if not name:
                self.ask_site(place)
                if not self._sites[place]:
                    return
        before, after = map(Path, self._sites)

        # Files of the user are looked at in a thread: their storage may not answer.
        def look(_: Control) -> str:
            missing = (which for path, which in ((before, "old"), (after, "new")) if not exists(path))
            return next(missing, "")

        def begin(missing: str) -> None:
            if missing:
                name = before if missing == "old" else after
                page.show_error(f"{name}: the files of the {missing} rules are not there; choose others.")
            else:
                self.runner.start(page.date.text_of_date, before, after)

        self._models.workbench.files.submit("rules", look, begin, lambda error: page.show_error(str(error)))

    @property
    def _sites(self) -> tuple[str, str]:
        """The files of the old and the new rules; if none were chosen for this log, the old ones are those of
        the site that is among the runs.
        """
        settings, study = self._models.settings, self._models.workbench.study
        kept = settings.change
        chosen = kept.before if kept.log == study.trace.name else ""
        among = next((str(run.policy.site.path) for run in study.runs if run.policy.site is not None), "")
        return chosen or among or kept.before or settings.twin_site, kept.after

    def _show_inputs(self) -> None:
        """Show the sites, and a date within the log: that of last time, or the log's middle."""
        page, kept, trace = self._page.made, self._models.settings.change, self._models.workbench.study.trace
        if page is None:
            return
        self._name_sites()
        page.date.setEnabled(len(trace) > 0)
        if not len(trace):
            return
        first, last = (date_of(trace, int(trace.submit[place])) for place in (0, -1))
        if first is not None and last is not None:
            page.date.show_span(first, last, trace.timezone)
            if kept.log == trace.name:
                page.date.show_date(kept.at)

    def _name_sites(self) -> None:
        if self._page.made is not None:
            self._page.made.name_sites(*self._sites)

    def _keep_for_log(self, **values: str) -> None:
        """Remember what was chosen for the open log; nothing of another log's choices goes for it unseen."""
        name = self._models.workbench.study.trace.name
        if self._models.settings.change.log != name:
            before, after = self._sites
            values = {"before": before, "after": after, "at": "", **values}
        self._keep(log=name, **values)

    def _keep(self, **values: Any) -> None:
        self._models.settings.change = replace(self._models.settings.change, **values)

    # What is done with the answer.

    def save_page(self) -> None:
        """Write the answer as a page for browsers, to a file that the reader chooses."""
        look = self.runner.results
        if look is None:
            return
        first = f"{self._models.workbench.study.trace.name}-change.html"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save the answer", first, "Pages (*.html)")
        if name:
            self.write_page(Path(name), look)

    def write_page(self, path: Path, look: ChangeLook) -> None:
        """Write the page, and say so."""
        from app.export.change_page import write_change_page

        messages = self._models.messages
        try:
            refuse_inputs(path)
            write_change_page(path, look)
        except InputError as error:
            messages.show_message(str(error))
        except OSError as error:
            messages.show_message(f"{path}: cannot be written: {error.strerror or error}")
        else:
            messages.show_message(f"Saved the answer in {path}.", seconds=4)

    def _show_runs(self) -> None:
        """Add both configurations to the runs, unless they are there, and turn to the charts."""
        look, workbench = self.runner.results, self._models.workbench
        if look is None:
            return
        schedules = look.answer.first, look.answer.second
        for policy, schedule in zip(look.answer.policies, schedules, strict=True):
            there = [(run.policy, run.cluster) for run in workbench.study.runs]
            if policy.site is not None and (policy, schedule.cluster) not in there:
                workbench.add_run(policy, schedule.cluster, policy.site.path)
        self._models.view.choose(view=ALL)
