"""The search in a window: asked for, run, and its policies opened in the workbench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.model.models import Models
from app.model.reading import Opened
from app.model.searching import SearchRunner
from app.panels.made_later import MadeLater
from app.session.opener import Opener
from engine.errors import InputError
from engine.policy.policy import Policy
from engine.search.typed_question import TypedQuestion
from views.catalog import ALL

if TYPE_CHECKING:
    from views.search.page import SearchPage


class SearchRuns(QObject):
    """The connection between the page of searches, which knows no model, and the code that runs them."""

    def __init__(
        self,
        models: Models,
        searching: SearchRunner,
        page: MadeLater[SearchPage],
        opener: Opener,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._models, self._searching, self._page = models, searching, page
        page.when_made(self._connect_page)
        models.workbench.study_changed.connect(self._offer)
        models.code.offered.connect(self._offer_metrics)
        opener.shown.connect(self._opened)

    def _connect_page(self, page: SearchPage) -> None:
        page.search_wanted.connect(self._start)
        page.run_wanted.connect(self._open_run)
        self._searching.show_on(page)
        self._offer_metrics()  # before the question, which may name a metric
        page.form.show_question(self._models.questions.search)
        self._offer()

    def ask(self) -> None:
        """Show the page, with the keys in its first field; leave it where it is shown."""
        if self._models.view.options.view == "search":
            self._models.view.choose(view=ALL)
            return
        self._models.view.choose(view="search")
        self._page().form.metrics[0].setFocus()

    def _opened(self, opened: Opened) -> None:
        """Ask what a session asked; a trace that is read at another scale is asked the same as before."""
        if opened.is_reread:
            return
        asked = opened.session.view.search if opened.session is not None else TypedQuestion()
        self._models.questions.search = asked
        if self._page.made is not None:
            self._page.made.form.show_question(asked)

    def _start(self, asked: TypedQuestion) -> None:
        try:
            self._searching.start(asked)
            self._models.questions.search = asked
        except InputError as error:
            self._page().say(str(error))

    def _offer(self) -> None:
        runs = self._models.workbench.study.runs
        if self._page.made is not None:
            self._page.made.form.offer_policies([run.policy.spelling for run in runs if run.policy.simulated])

    def _offer_metrics(self) -> None:
        if self._page.made is not None:
            self._page.made.form.offer_metrics(self._models.code.metrics)

    def _open_run(self, policy: Policy) -> None:
        """Show a policy as a run in the charts of all runs."""
        if not any(run.policy == policy for run in self._models.workbench.study.runs):
            self._models.workbench.add_run(policy)
        self._models.view.choose(view=ALL)
