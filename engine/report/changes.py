"""The users who wait less or longer under each run than under the baseline, and how significant it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Relation
from engine.claims.words import TextSpan, line
from engine.metrics.difference import Difference, GivenUpJob, difference
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.names import name_job
from engine.schedule.schedule import Schedule
from engine.search.weekly import FOLLOWED, WeeklyChange, relation_of, span_claim, weekly, weekly_claims
from engine.search.weeks import WEEK
from engine.shown_values import hours, signed_percent
from engine.verdict.moved_claims import moved
from engine.verdict.verdict import judged_runs
from engine.words import format_count

_MOST = 3
"""Users in the table on either side."""

FARTHEST = 10_000.0
"""The largest upper bound of an interval that is shown, in %: of larger ones only the lower bound is."""

_HOUR, _PERCENT = " h", " %"  # which the titles of columns say


def changes(compared: Compared) -> Section:
    """For each run the number of jobs that moved, and the users whose waits changed most."""
    if not compared.others:
        single = Statement(words="There is one run: nothing to compare.")
        return Section("Who waits less and who waits longer", [single])
    statements = []
    rows = [["Run", "Jobs earlier", "Jobs later", "Wait saved, h", "Wait added, h", "Net saved, h"]]
    people = [["Run", "User", "Jobs", "Net saved, h"]]
    lost = list[list[str]]()
    for place in compared.others:
        name, other = compared.names[place], compared.evaluations[place]
        difference_of_runs = difference(
            compared.base.schedule,
            other.schedule,
            compared.base.jobs & other.jobs,
            _losing(compared.base) & _losing(other),
        )
        spread = compared.verdicts.change_claim(compared.baseline, place, difference_of_runs.jobs)
        names, places = (compared.base_name, name), (compared.baseline, place)
        said = moved(difference_of_runs, names, places)
        by_phase = () if spread is None else (*line([spread]), TextSpan("."))
        # The chart of the difference stands beside what is said of it.
        statements.append(Statement(said, "difference", place, rendered=by_phase))
        users = difference_of_runs.users
        counts = (format_count(int(each.sum())) for each in (users.earlier, users.later))
        sums = [hours(int(each.sum())) for each in (users.won, users.lost)]
        sums.append(hours(int(users.net.sum()), signed=True))
        rows.append([name, *counts, *(each.removesuffix(_HOUR) for each in sums)])
        people += [[name, *row] for row in _most_changed(difference_of_runs)]
        for run, given_up in zip(names, difference_of_runs.given_up, strict=True):
            lost += [[run, *row] for row in given_up_rows(compared.base.schedule, given_up[:_MOST])]
    caption = f"Waiting against {compared.base_name}, over the jobs that both ran"
    tables = [TextTable("changes", caption, rows)]
    if len(people) > 1:
        tables.append(TextTable("changes-users", "The users whose waiting in all changes most", people))
    # Several runs may give up the same job: equal rows stand once.
    if lost:
        titles = ["Run", "Job", "Runs", "Processor-seconds lost"]
        rows = [titles, *([*row] for row in dict.fromkeys(map(tuple, lost)))]
        tables.append(TextTable("given-up", "Jobs that were given up after failures, most lost first", rows))
    return Section(f"Who waits less and who waits longer, against {compared.base_name}", statements, tables)


def _losing(evaluation: Evaluation) -> NDArray[np.bool_]:
    """The jobs whose losses count, shape (n,)."""
    return evaluation.jobs if evaluation.losing is None else evaluation.losing


def given_up_rows(schedule: Schedule, jobs: Sequence[GivenUpJob]) -> Iterator[list[str]]:
    """A row for each job that was given up: the job, its runs that failures cut short, and what was lost."""
    for each in jobs:
        yield [name_job(schedule, each.job), format_count(each.runs), format_count(each.area)]


def _most_changed(change: Difference) -> Iterator[list[str]]:
    """Rows of the users with the most waiting saved, then of those with the most added."""
    users = change.users
    order = np.argsort(-users.net, kind="stable")
    for code in [
        *order[:_MOST][users.net[order[:_MOST]] > 0],
        *order[-_MOST:][users.net[order[-_MOST:]] < 0],
    ]:
        yield [
            change.second.trace.user.shown[code],
            format_count(int(users.jobs[code])),
            hours(int(users.net[code]), signed=True).removesuffix(_HOUR),
        ]


_WORDS = {
    Relation.WITHIN_NOISE: "within noise",
    Relation.TOO_UNEVEN: "weeks too uneven to tell",
    Relation.WITHIN_PHASES: "inside what the phases of slurmctld's loops change",
}


def noise(compared: Compared) -> Section:
    """The mean weekly change of three metrics against the baseline with its 95 % interval.

    Intervals are those of `engine/search/interval.py`, given from 12 weeks on. On a log shorter than a week
    none is worked out.
    """
    runs = judged_runs(compared.names, compared.evaluations)
    submit = compared.trace.submit[compared.base.jobs]
    if not len(submit):
        return Section("What is more than noise", [Statement(words="No job is measured.")])
    span = int(submit[-1] - submit[0])
    # Weeks are what is compared: a shorter log has none.
    if span < WEEK:
        claim = span_claim(runs[compared.baseline], compared.baseline, span)
        return Section("What is more than noise", [Statement((claim,), named=False)])
    rows = [["Run", "Metric", "Over all jobs, %", "In the mean week, %", "95 % interval", "Verdict"]]
    statements = []
    for place in compared.others:
        weekly_changes, by_chance = _weekly(compared, place)
        statements.append(
            Statement(weekly_claims(runs[place], place, weekly_changes, by_chance), "distributions")
        )
        rows += [[compared.names[place], *_row(change, by_chance)] for change in weekly_changes]
    caption = (
        f"Changes against {compared.base_name}: of the mean over all jobs, and of the mean of weekly means, "
        "in which a week counts the same however many jobs were submitted in it"
    )
    tables = [TextTable("noise", caption, rows)] if len(rows) > 1 else []
    return Section("What is more than noise", statements, tables)


def _weekly(compared: Compared, place: int) -> tuple[list[WeeklyChange], bool]:
    """The weekly changes of a run, and whether phases of a site's loops explain that of its mean wait."""
    phased = compared.verdicts.change(compared.baseline, place, compared.base.jobs)
    each = (weekly(compared.evaluations[place], compared.base, label) for label in FOLLOWED)
    return [change for change in each if change is not None], phased is not None and phased.by_chance


def _interval(low: float | None, high: float | None) -> str:
    """An interval, %; an upper bound that could be anything is no number that somebody could use."""
    if low is None or high is None:
        return "none"
    least, most = (signed_percent(bound).removesuffix(_PERCENT) for bound in (low, high))
    return f"above {least}" if high > FARTHEST else f"{least} to {most}"


def _row(change: WeeklyChange, by_chance: bool) -> list[str]:
    """A metric's changes, with the interval and how it stands to noise."""
    advantage, relation = change.weekly, relation_of(change, by_chance)
    means = [signed_percent(each).removesuffix(_PERCENT) for each in (change.per_job, advantage.change)]
    beyond = "higher" if advantage.change > 0 else "lower"
    word = beyond if relation is Relation.BEYOND_NOISE else _WORDS.get(relation, "cannot be told from noise")
    return [change.label, *means, _interval(advantage.low, advantage.high), word]
