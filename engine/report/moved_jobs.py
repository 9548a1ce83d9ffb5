"""What a second run changes against a first, as Python asks: a sentence, and tables by groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import InputError
from engine.metrics.difference import Difference, difference, group_changes
from engine.metrics.evaluation import Evaluation
from engine.metrics.groups import GROUPINGS
from engine.spelling import nearest
from engine.verdict.moved_claims import moved_text

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class MovedJobs:
    """Two evaluated runs on the same jobs, and their names."""

    first: Evaluation
    second: Evaluation
    names: tuple[str, str]

    @cached_property
    def moved(self) -> Difference:
        """The change of each job's start: `change`, s, and the compared `jobs`, both shape (n,)."""
        return difference(self.first.schedule, self.second.schedule, self.second.jobs, self.second.losing)

    @property
    def sentence(self) -> str:
        """What moved, and for whom, in words."""
        return moved_text(self.moved, self.names)

    def given_up(self) -> DataFrame:
        """A row for each job that either run gave up after failures: its `run`, how many `runs` failures cut
        short, and the `area` lost with them, processors times s.
        """
        import pandas as pd

        rows = [
            (self.moved.first.trace.job_id[each.job], name, each.runs, each.area)
            for name, jobs in zip(self.names, self.moved.given_up, strict=True)
            for each in jobs
        ]
        return pd.DataFrame(rows, columns=["job", "run", "runs", "area"]).set_index("job")

    def by(self, grouping: str = "user") -> DataFrame:
        """A row for each group with compared jobs, those who gain most first; waits in s.

        Groups are those of user, account, queue, class, hour or weekday. Raises InputError.
        """
        import pandas as pd

        if grouping not in GROUPINGS:
            hint = nearest(grouping, GROUPINGS) or f"; there are {', '.join(GROUPINGS)}"
            raise InputError(f"jobs are not grouped by {grouping!r}{hint}")
        groups = GROUPINGS[grouping](self.moved.second.trace)
        changes = group_changes(groups, self.moved.jobs, self.moved.change)
        # Groups without compared jobs would be rows of zeros.
        shown = [code for code in np.argsort(-changes.net, kind="stable") if changes.jobs[code] > 0]
        columns = {
            "jobs": changes.jobs,
            "earlier": changes.earlier,
            "later": changes.later,
            "saved": changes.won,
            "added": changes.lost,
            "net": changes.net,
        }
        index = pd.Index([groups.names[code] for code in shown], name=grouping)
        return pd.DataFrame({name: column[shown] for name, column in columns.items()}, index=index)

    def __repr__(self) -> str:
        return f"<difference of {self.second.schedule.trace.name}: {self.sentence}>"
