"""The results of a study on logs, as a program in Python asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.reading.log import Log
from engine.simulation.control import Control
from engine.spelling import nearest
from engine.sweep.beliefs import site_beliefs
from engine.sweep.carry_out import carry_out
from engine.sweep.findings import FindingResult, PointMean, answers, means
from engine.sweep.row_cache import Row
from engine.sweep.runners import runner_at
from engine.sweep.study_file import StudyFile, read_study_file
from resources import studies

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class StudyOutcome:
    """The rows of a study, one for each run of each log; a run that failed has its `error`."""

    study: StudyFile
    rows: Sequence[Row]

    @cached_property
    def table(self) -> DataFrame:
        """A row for each run, with its keys and metrics."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    @cached_property
    def means(self) -> list[PointMean]:
        """The mean over seeds of each metric at each point."""
        return means(self.study, self.rows)

    @cached_property
    def findings(self) -> list[FindingResult]:
        """Whether the claims of the study hold; `str` says it."""
        return answers(self.study, self.rows)

    def __repr__(self) -> str:
        return f"<study {self.study.title}: {len(self.rows)} runs>"


def study_path(text: str | PathLike[str]) -> Path:
    """The path of a study file, or of a ready-made one by its name. Raises InputError."""
    known = studies()
    if str(text) in known:
        return known[str(text)]
    path = Path(text)
    if path.suffix != ".toml" and not path.exists():
        hint = nearest(str(text), known) or f"; there are {', '.join(known)}"
        raise InputError(f"there is no study {str(text)!r}{hint}")
    return path


def outcome_of(
    study: str | PathLike[str],
    logs: Sequence[Log],
    folder: Path,
    *,
    doubtful: bool = False,
    scheduler: str = "",
    control: Control | None = None,
    report: Callable[[float], object] = lambda done: None,
) -> StudyOutcome:
    """Carry out a study on logs, as `carry_out` does for each; `report` is called with the part that is done,
    0 to 1.

    Raises InputError, OSError, Cancelled.
    """
    file = read_study_file(study_path(study))
    rows: list[Row] = []
    with runner_at(scheduler) as runner:
        for place, log in enumerate(logs):

            def report_all(done: float, logs_done: int = place) -> None:
                report((logs_done + done) / len(logs))

            log = log.on_site_machine([run.policy for run in file.runs])
            # What a site's twin is worth on this log decides whether its numbers are shown.
            beliefs = site_beliefs(
                file, log.trace, log.cluster, asked=log.asked, doubtful=doubtful, control=control
            )
            rows += carry_out(
                file,
                log.trace,
                log.cluster,
                folder,
                report=report_all,
                control=control,
                runner=runner,
                before=rows,
                asked=log.asked,
                withheld=beliefs.withheld,
            )
            report_all(1.0)  # rows that were there already are not reported
    return StudyOutcome(file, rows)
