"""What reasons say of priorities, in drawn sites: by a judge that adds up usage second by second.

It shares no code with the program. Whom a job is behind is read off the rows of the decision log; that this
one waits then, what both priorities are made of, and which is higher, is computed from the drawn site and
from what ran.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from tests.engine.slurm.scheduler.drawn_sites import DrawnJob, DrawnSite, drawn_site, with_priorities
from tests.engine.slurm.scheduler.site_checker import Placed
from tests.engine.slurm.scheduler.test_drawn_sites import placed_of, simulated, zero_of

_BY_PRIORITY = re.compile(
    r"behind job (?P<other>\w+) of \w+(?: by priority \((?P<first>[\d\u202f]+) against (?P<own>[\d\u202f]+)"
    r"(?:: (?P<factors>[^)]+))?\)|, which goes first)(?:, and \d+ other jobs?)?"
)
_FACTOR = re.compile(r"([A-Za-z ]+) ([\d\u202f]+) against ([\d\u202f]+)")
_CALCULATED = 150  # s before a time, of which its usage is on average: half of the usual period
_AGAIN = 121  # s after which a job whose run was cut short may start again
_HALF_LIFE = {"0-00:20:00": 1200.0, "0-02:00:00": 7200.0, "0": np.inf}
_LONGEST = 1800.0  # s of age that count


class Judge:
    """The priorities of the jobs of a drawn site at any time of its schedule, s of the site."""

    def __init__(self, site: DrawnSite, placed: list[Placed]) -> None:
        self._site, self._placed = site, placed

    def waits(self, job: DrawnJob, time: int) -> bool:
        """Whether a job is in the queue at a time."""
        runs = [each for each in self._placed if each.job is job]
        after = min([each.start for each in runs if each.start >= time], default=None)
        last = any(each.start < time < each.end for each in runs)
        return job.submit <= time and not last and (after is not None or not runs)

    def factors(self, job: DrawnJob, time: int) -> dict[str, float]:
        """What the priority of a waiting job is made of."""
        site = self._site
        # A job that was stopped came again after its end, and its age begins anew.
        came = max(
            [
                job.submit,
                *(each.end + _AGAIN for each in self._placed if each.job is job and each.end <= time),
            ]
        )
        asked = 1 if job.nodes is None else job.nodes[0]
        # The mean of the shares of nodes and of processors.
        size = (asked / len(site.nodes) + job.cpus / sum(site.nodes.values())) / 2
        most = max(int(part.keys["PriorityJobFactor"]) for part in site.partitions.values())
        top = max(1, *site.worth.values())
        parts = {
            "Age": min(max(time - came, 0) / _LONGEST, 1.0),
            "Fairshare": self._fairshare(time - _CALCULATED)[job.account, job.user],
            "JobSize": 1 - size if site.priority["PriorityFavorSmall"] == "YES" else size,
            "Partition": int(site.partitions[job.partition].keys["PriorityJobFactor"]) / most,
            "QOS": site.worth[job.qos] / top,
        }
        words = {"Age": "age", "Fairshare": "fairshare", "JobSize": "job size", "Partition": "partition"}
        weight = {name: int(site.priority[f"PriorityWeight{name}"]) for name in parts}
        return {words.get(name, name): weight[name] * part for name, part in parts.items()}

    def _fairshare(self, time: int) -> dict[tuple[str, str], float]:
        """The factor of each user in each account, of usage until a time."""
        own = dict.fromkeys(self._site.associations, 0.0)
        half = _HALF_LIFE[self._site.priority["PriorityDecayHalfLife"]]
        for each in self._placed:
            # Each second decays by itself, from its middle.
            seconds = np.arange(each.start, min(each.end, time))
            used = float((0.5 ** ((time - seconds - 0.5) / half)).sum()) * each.job.cpus
            own[each.job.account, each.job.user] += used
        if self._site.priority["PriorityFlags"]:
            return {pair: self._classic(own, pair) for pair in own if pair[1]}
        ranked = self._ranked(own, [("", "")])
        total, place, factor = sum(map(len, ranked)), 0, dict[tuple[str, str], float]()
        for tied in ranked:
            factor |= dict.fromkeys(tied, (total - place) / total)
            place += len(tied)
        return factor

    def _below(self, pair: tuple[str, str]) -> list[tuple[str, str]]:
        """The associations right below one; that of the root has no name."""
        if pair[1]:
            return []
        account = pair[0] or "root"
        accounts = [(name, "") for name, parent in self._site.parents.items() if parent == account]
        return accounts + [own for own in self._site.associations if own[0] == account and own[1]]

    def _used(self, own: dict[tuple[str, str], float], pair: tuple[str, str]) -> float:
        return own.get(pair, 0.0) + sum(self._used(own, each) for each in self._below(pair))

    def _above(self, pair: tuple[str, str]) -> tuple[str, str]:
        above = pair[0] if pair[1] else self._site.parents[pair[0]]
        return ("", "") if above == "root" else (above, "")

    def _classic(self, own: dict[tuple[str, str], float], pair: tuple[str, str]) -> float:
        """2 to the power of minus usage by share, where each answers in part for its siblings."""
        every = self._used(own, ("", ""))

        def level(each: tuple[str, str]) -> tuple[float, float]:
            above = self._above(each)
            share, actual = 1 / len(self._below(above)), self._used(own, each) / every if every else 0.0
            if above == ("", ""):
                return share, actual
            norm, used = level(above)
            return norm * share, actual + (used - actual) * share

        norm, used = level(pair)
        return float(2.0 ** (-used / norm))

    def _ranked(
        self, own: dict[tuple[str, str], float], pool: list[tuple[str, str]]
    ) -> list[list[tuple[str, str]]]:
        """Users from the best on: the children of tied accounts together, best siblings first."""
        children = [child for each in pool for child in self._below(each)]

        def level(each: tuple[str, str]) -> float:
            siblings = self._below(self._above(each))
            every = sum(self._used(own, sibling) for sibling in siblings)
            part = self._used(own, each) / every if every else 0.0
            # Rounded, since ties must be ties in both sums.
            return round(1 / len(siblings) / part, 9) if part else np.inf

        ranked: list[list[tuple[str, str]]] = []
        for value in sorted({level(each) for each in children}, reverse=True):
            tied = [each for each in children if level(each) == value]
            users = [each for each in tied if each[1]]
            ranked += [users] if users else []
            accounts = [each for each in tied if not each[1]]
            ranked += self._ranked(own, accounts) if accounts else []
        return ranked


def false_priorities(site: DrawnSite, folder: Path) -> tuple[list[str], list[str]]:
    """What is said of jobs in front in the schedule of a site: all of it, and what is not so."""
    schedule = simulated(site, folder)
    first, by_id = zero_of(site, schedule.trace), {job.job_id: job for job in site.jobs}
    judge = Judge(site, placed_of(site, schedule))
    told, false = list[str](), list[str]()
    for number, name in enumerate(schedule.trace.job_id):
        # What is said of single intervals, and of all of them together in the summary.
        intervals = [each for each in explain(schedule, number).intervals if each.kind is Decision.PRIORITY]
        spans = [[(each.begin, each.end)] for each in intervals]
        texts = [each.text for each in intervals]
        for cause in explain(schedule, number).summary:
            if cause.kind is Decision.PRIORITY:
                texts.append(cause.text)
                spans.append([span for own in spans for span in own])
        for text, own in zip(texts, spans, strict=True):
            told.append(text)
            # A text of another form is false: nothing of it could be checked.
            said = _BY_PRIORITY.fullmatch(text)
            if said is None:
                false.append(f"job {name}: {text}")
                continue
            time = _came_first(schedule, number, said["other"], own)
            jobs = by_id[said["other"]], by_id[str(name)]
            if time is None or not _holds(judge, jobs, time + first, said):
                false.append(f"job {name} at {time}: {text}")
    return told, false


def _came_first(schedule: Schedule, job: int, other: str, spans: list[tuple[int, int]]) -> int | None:
    """When the other one came to be first in line ahead of a job, within the times in which it is told so."""
    log, names = schedule.log, [str(name) for name in schedule.trace.job_id]
    of_job = (log.job == job) & (log.kind == Decision.PRIORITY) & (log.value == names.index(other))
    part = schedule.trace.queue.codes[job]
    heads = (log.kind == Decision.HEAD) & (log.job == names.index(other)) & (log.value == part)
    times = sorted(log.time[of_job | heads].tolist())
    return next((time for time in times if any(begin <= time < end for begin, end in spans)), None)


def _number(text: str) -> int:
    return int(text.replace("\u202f", ""))


def _holds(judge: Judge, jobs: tuple[DrawnJob, DrawnJob], time: int, said: re.Match[str]) -> bool:
    """Whether both wait, and their priorities and what differs in these are as they are said."""
    if not all(judge.waits(job, time) for job in jobs):
        return False
    first, own = (judge.factors(job, time) for job in jobs)
    totals = [sum(each.values()) for each in (first, own)]
    if said["first"] is None:
        # Without numbers the claim is of equal priorities, up to rounding.
        return totals[0] <= totals[1] + 1
    found = [_number(said["first"]), _number(said["own"])]
    if found[0] <= found[1] or found != pytest.approx(totals, abs=1.01):
        return False
    parts = {name.strip(): (_number(a), _number(b)) for name, a, b in _FACTOR.findall(said["factors"] or "")}
    # A factor that is not told must not differ by more than rounding.
    for name in first:
        expected = first[name], own[name]
        if name in parts:
            if parts.pop(name) != pytest.approx(expected, abs=0.51):
                return False
        elif abs(expected[0] - expected[1]) > 1:
            return False
    return not parts


@pytest.mark.parametrize("begin", [0, 100, 5000])
def test_whom_a_job_is_behind_by_priority_was_of_higher_priority(begin: int, tmp_path: Path) -> None:
    told = list[str]()
    for seed in range(begin, begin + 15):
        folder = tmp_path / str(seed)
        folder.mkdir()
        said, false = false_priorities(with_priorities(drawn_site(seed), seed), folder)
        assert not false, (seed, false)
        told += said
    assert any("by priority" in text for text in told)
