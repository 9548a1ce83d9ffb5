"""The queue as it is in a window: files chosen, read again every minute, described, and saved as a page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from app.model.models import Models
from app.model.now_runner import NowRunner
from app.model.queue_source import QueueSource
from app.panels.dialogs import show_dialog
from app.panels.made_later import MadeLater
from app.panels.sources.queue_command import QueueCommandDialog
from engine.errors import InputError
from engine.input import exists, refuse_inputs
from engine.logs.queue.state import QueuedJob
from engine.machine.cluster import machine_problem
from engine.simulation.control import Control
from engine.slurm.site.folder import is_site
from views.catalog import ALL
from views.data.asked_job import AskedJob
from views.data.now_look import NowLook
from views.now.words import asked_words, state_words

if TYPE_CHECKING:
    from engine.now.start_map import StartMap
    from views.now.page import NowPage

PAGE = "now"
_SITE = "site of the queue"
_MINUTE_MS = 60_000
_QUEUES = "Prints of a queue (*.json *.txt *.out *.log);;All files (*)"
_SITES = "slurm.conf (*.conf);;All files (*)"
FIGURES = "PDF (*.pdf);;SVG (*.svg);;PNG (*.png)"


class NowQueue(QObject):
    """The controller between the page of the queue, which knows no model, and its planner.

    `wanted`: the page is to be shown, whether or not a log is open.
    """

    wanted = Signal()

    def __init__(self, models: Models, page: MadeLater[NowPage], window: QWidget) -> None:
        super().__init__(window)
        self._models, self._page, self._window = models, page, window
        self.runner = NowRunner(models.workbench, self)
        self.runner.arrivals = models.settings.now.arrivals
        self._minute = QTimer(self, interval=_MINUTE_MS)
        self._minute.timeout.connect(self._read_again)
        self._cluster, self._at = "", ""  # what was chosen of the source that is shown, and its time
        page.when_made(self._connect_page)
        models.view.follow(self, "view", self._show_last)
        models.workbench.opened.connect(self._leave)

    def _connect_page(self, page: NowPage) -> None:
        runner, kept = self.runner, self._models.settings.now
        page.queue_wanted.connect(self.ask_queue)
        page.command_wanted.connect(self.ask_command)
        page.site_wanted.connect(self.ask_site)
        page.refresh_wanted.connect(self.refresh)
        page.cancel_wanted.connect(runner.cancel)
        page.save_wanted.connect(self.save_page)
        page.cluster_wanted.connect(self.choose_cluster)
        page.time_wanted.connect(self.take_time)
        page.minutely.connect(self._read_minutely)
        # Settings go into the page before its signals are connected, so that they are no changes of the user.
        page.arrivals.setChecked(kept.arrivals)
        page.arrivals_wanted.connect(self._let_come)
        page.job_panel.help_wanted.connect(runner.help)
        page.looked.connect(lambda rows, colours: self._keep(rows=rows, colours=colours))
        page.ask.ask_wanted.connect(self._ask)
        page.ask.map_wanted.connect(self._map)
        page.map.cancel_wanted.connect(runner.cancel_map)
        page.map.export_wanted.connect(self.export_map)
        self._connect_runner(page)
        page.choose_look(kept.rows, kept.colours)
        page.show_method(kept.method)
        page.method_wanted.connect(lambda on: self._keep(method=on))
        page.ask.show_question(kept.asked)
        self._keep()

    def _connect_runner(self, page: NowPage) -> None:
        runner = self.runner
        runner.shown.connect(self._show)
        runner.progressed.connect(page.show_progress)
        runner.mapped.connect(page.map.show_progress)
        runner.failed.connect(page.show_error)
        runner.undated.connect(lambda: page.ask_time(True))
        runner.refused.connect(page.show_error)
        runner.helped.connect(page.job_panel.show_help)
        runner.answered.connect(self._answer)
        runner.map_made.connect(page.map.show_map)

    # Files.

    def open(self, path: Path, site: Path | None = None) -> None:
        """Show the queue of a file; the site's files are asked for where they are not known."""
        options = {"site": str(site.absolute())} if site is not None else {}
        self._forget_choices()
        self._keep(queue=str(path.absolute()), by_command=False, **options)
        self.wanted.emit()
        self._models.view.choose(view=PAGE)
        self._look_for_site(path)

    def _look_for_site(self, path: Path | None) -> None:
        """Show the queue by the site's files, of last time or beside the print, or else ask for them."""
        site = self._models.settings.now.site

        # The site of last time goes before the files beside the print, and the reader is asked only if
        # neither is there.
        def look(_: Control) -> str:
            beside = path.parent / "slurm.conf" if path is not None else None
            if _is_there(site):
                return site
            return str(path.parent.absolute()) if beside and path and is_site(beside) else ""

        def take(there: str) -> None:
            if not there:
                self.ask_site()
            else:
                if there != site:
                    self._keep(site=there)
                self.refresh()

        self._models.workbench.files.submit(
            _SITE, look, take, lambda error: self._page().show_error(str(error))
        )

    def ask_queue(self) -> None:
        """Let the reader choose the print of a queue, and show it."""
        kept = self._models.settings.now.queue
        folder = str(Path(kept).parent) if kept else ""
        name, _ = QFileDialog.getOpenFileName(self._window, "Open the queue as it is now", folder, _QUEUES)
        if name:
            self.open(Path(name))

    def ask_command(self) -> None:
        """Ask for a command of the user's own that prints the queue, and show it."""
        show_dialog(QueueCommandDialog(self._models.settings.now.command, self.run, self._window))

    def run(self, command: str) -> None:
        """Show the queue that a command prints, now and at each refresh."""
        self._forget_choices()
        self._keep(command=command, by_command=True)
        self.wanted.emit()
        self._models.view.choose(view=PAGE)
        self._look_for_site(None)

    def ask_site(self) -> None:
        """Let the reader choose the site's slurm.conf, and plan by it."""
        kept = self._models.settings.now
        folder = kept.site or str(Path(kept.queue).parent if kept.queue else "")
        name, _ = QFileDialog.getOpenFileName(self._window, "Choose the site's slurm.conf", folder, _SITES)
        if name:
            self._keep(site=name)
            self.refresh()
        elif not kept.site:
            self._ask_machine()

    def _ask_machine(self) -> None:
        """Let the reader spell the machine of a queue whose site has no slurm.conf, as of PBS."""
        text, accepted = QInputDialog.getText(
            self._window, "Machine", "Without a slurm.conf (PBS, Torque): its nodes, such as 20x80c505g"
        )
        if not accepted or not text.strip():
            self._page().show_error("Also choose the site's slurm.conf: its policy plans the queue.")
        elif problem := machine_problem(text.strip()):
            self._page().show_error(problem)
        else:
            self._keep(site=text.strip())
            self.refresh()

    def choose_cluster(self, name: str) -> None:
        """Show the queue of this cluster, of a print that has several."""
        self._cluster = name
        self.refresh()

    def take_time(self, text: str) -> None:
        """Show the queue of a file that was printed at this time, and does not say so."""
        self._at = text
        self.refresh()

    def _forget_choices(self) -> None:
        """Forget what was said of another source."""
        self._cluster, self._at = "", ""
        if self._page.made is not None:
            self._page.made.ask_time(False)

    def refresh(self) -> None:
        """Read the queue and the site's files again."""
        kept, source = self._models.settings.now, self._source
        if source.text and kept.site:
            self.runner.read(source, Path(kept.site))

    def save_page(self) -> None:
        """Write the page for users to a file that the reader chooses."""
        look = self.runner.look
        if look is None:
            return
        kept = self._models.settings.now.queue
        first = str(Path(kept).with_name("queue.html")) if kept else "queue.html"
        name, _ = QFileDialog.getSaveFileName(self._window, "Save page for users", first, "Pages (*.html)")
        if name:
            self.write_page(Path(name), look)

    def write_page(self, path: Path, look: NowLook) -> None:
        """Write the page that `now -o` writes, and say so."""
        from app.export.now_table import write_now_page

        try:
            write_now_page(path, look.answer)
        except OSError as error:
            self._models.messages.show_message(f"{path}: cannot be written: {error.strerror or error}")
        else:
            self._models.messages.show_message(f"Saved the page for users in {path}.", seconds=4)

    def export_map(self) -> None:
        """Write the map of starts to a file that the reader chooses."""
        start_map, look = self._page().map.start_map, self.runner.look
        if start_map is None or look is None:
            return
        title, first = "Export the map of starts", "starts.pdf"
        name, _ = QFileDialog.getSaveFileName(self._window, title, first, FIGURES)
        if name:
            self.write_map(Path(name), start_map, look.name)

    def write_map(self, path: Path, start_map: StartMap, source: str) -> None:
        """Draw the map into a file, in a thread, and say so."""
        from app.export.now_map import write_map

        messages = self._models.messages

        def work(_: Control) -> None:
            # A file that the queue was read from is never overwritten.
            refuse_inputs(path)
            write_map(start_map, path, source)

        self._models.workbench.executor.submit(
            ("export", path),
            work,
            lambda _: messages.say(f"Wrote {path}"),
            lambda error: messages.show_message(str(error)),
        )

    def _show_last(self) -> None:
        """The file that was shown last, as soon as somebody turns to the page; no command runs unasked."""
        kept = self._models.settings.now
        view, runner = self._models.view, self.runner
        if kept.by_command or not kept.queue or view.options.view != PAGE or runner.look is not None:
            return

        def look(_: Control) -> bool:
            return exists(Path(kept.queue)) and _is_there(kept.site)

        def show(there: bool) -> None:
            if there and view.options.view == PAGE and runner.look is None and not runner.busy:
                self.refresh()

        if self._models.workbench.files.task(_SITE) is None:  # else what was chosen comes
            self._models.workbench.files.submit(_SITE, look, show, lambda _: None)

    def _leave(self) -> None:
        """A log that is opened is to be seen."""
        if self._models.view.options.view == PAGE:
            self._models.view.choose(view=ALL)

    @property
    def _source(self) -> QueueSource:
        """The source of the queue that is or will be shown."""
        kept = self._models.settings.now
        text = kept.command if kept.by_command else kept.queue
        return QueueSource(text, kept.by_command, self._cluster, self._at)

    def _keep(self, **values: Any) -> None:
        settings = self._models.settings
        settings.now = replace(settings.now, **values)
        if self._page.made is not None:
            self._page.made.show_files(self._source.text, settings.now.site)

    def _let_come(self, on: bool) -> None:
        """Let further jobs come in replays, or none; and predict anew."""
        self._keep(arrivals=on)
        self.runner.arrivals = on
        if self.runner.look is not None:
            self.refresh()

    # Every minute.

    def _read_minutely(self, on: bool) -> None:
        self._keep(minutely=on)
        if on:
            self._minute.start()
        else:
            self._minute.stop()

    def _read_again(self) -> None:
        if self._page().isVisible() and not self.runner.busy:
            self.refresh()

    # Messages.

    def _show(self, look: NowLook) -> None:
        page = self._page()
        page.show_look(look)
        if self._models.settings.now.minutely and not page.minute.isChecked():
            page.minute.setChecked(True)
        page.show_text(state_words(look))

    def _job(self, asked: AskedJob) -> QueuedJob | None:
        try:
            job = asked.job
        except InputError as error:
            self._page().ask.show_text(str(error))
            return None
        self._keep(asked=asked)
        return job

    def _ask(self, asked: AskedJob) -> None:
        job = self._job(asked)
        if job is not None:
            self._page().ask.show_text("Planning…")
            self.runner.ask(job)

    def _map(self, asked: AskedJob) -> None:
        job = self._job(asked)
        if job is not None:
            self.runner.map(job)

    def _answer(self, look: NowLook) -> None:
        self._page().ask.show_text(asked_words(look), "" if look.reply is None else look.reply.text)


def _is_there(site: str) -> bool:
    """True if the files of a site are there, or it is a machine that is spelled; a thread calls this."""
    return bool(site) and (exists(Path(site)) or not machine_problem(site))
