"""Policies that are ranked in Python, on one log or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from app.report.ranks import rank_tables, write_ranks
from engine.errors import InputError
from engine.notebook import progress_shown
from engine.own.declare import Declaration
from engine.reading.log import Log
from engine.search.ranking import RankedLog, rank_on, with_baseline
from engine.simulation.control import Control
from engine.words import plural

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class Ranks:
    """Policies in their order on logs, by the metric `by`, against the spelling of a `baseline`.

    `ranked` has the logs with both of their spans. Tables have bare numbers, their units in titles.
    """

    ranked: tuple[RankedLog, ...]
    baseline: str
    by: str

    @property
    def board(self) -> DataFrame:
        """A row for each policy: its mean rank, its rank on each log with the best and the worst that weeks
        allow, and on how many logs it is shown to be better or worse than the baseline.
        """
        return self._table("board")

    @property
    def ranks(self) -> DataFrame:
        """A row for each policy on each span of each log, with its change in % and its metrics."""
        return self._table("ranks")

    @property
    def logs(self) -> DataFrame:
        """The logs and their spans."""
        return self._table("logs")

    def save(self, folder: str | PathLike[str], *, force: bool = False) -> None:
        """Write the tables as CSV, JSON, Markdown and LaTeX into a folder, new or empty, or with `force` an
        earlier result. Raises InputError, OSError.
        """
        write_ranks(self.ranked, self.baseline, self.by, Path(folder), force)

    def _table(self, name: str) -> DataFrame:
        import pandas as pd

        return pd.DataFrame(dict(dict(rank_tables(self.ranked, self.baseline, self.by))[name].columns))

    def __repr__(self) -> str:
        return f"<ranks on {plural(len(self.ranked), 'log')} by {self.by}: {plural(len(self.board), 'row')}>"

    def _repr_html_(self) -> str:
        return str(self.board.to_html(index=False))


def rank(
    logs: Log | Sequence[Log],
    policies: Sequence[str | Declaration],
    *,
    baseline: str | Declaration = "easy",
    by: str = "bounded_slowdown_mean",
    control: Control | None = None,
) -> Ranks:
    """Rank policies on the last third of each log, which is kept from tuning, and on the two before.

    Ranks are of the mean over weeks of a metric, `bounded_slowdown_mean` or `wait_mean`, the smallest first;
    the `baseline` is among the policies. Code of the user's own may be given itself. Raises InputError, and
    Cancelled.
    """
    every = [logs] if isinstance(logs, Log) else list(logs)
    if not every or not policies:
        raise InputError("ranks need a log and a policy")
    base = every[0].policy(baseline)
    chosen = with_baseline([every[0].policy(policy) for policy in policies], base)
    # The share of each log that is done; the first entry is none of them.
    done = [0.0]
    with progress_shown("ranks", lambda: sum(done) / len(every)):
        ranked = []
        for log in every:
            done.append(0.0)

            def show(part: float) -> None:
                done[-1] = part

            ranked.append(rank_on(log, chosen, base, by, control=control, report=show))
    return Ranks(tuple(ranked), base.spelling, by)
