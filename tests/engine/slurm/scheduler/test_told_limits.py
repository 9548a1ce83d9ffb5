"""What reasons say of a site's limits, in drawn sites: the numbers by a judge that counts what ran then.

It shares no code with the program: limits and owners are those of the checker of drawn sites, which goes by
the drawn values, and what ran is read off the schedule.
"""

import re
from pathlib import Path

import pytest

from engine.schedule.explain import explain
from engine.schedule.schedule import Decision
from tests.engine.slurm.scheduler.drawn_sites import DrawnJob, DrawnSite, drawn_site
from tests.engine.slurm.scheduler.site_checker import Placed, amount_of, owners_of, qualities_of, rules_of
from tests.engine.slurm.scheduler.test_drawn_sites import placed_of, simulated, zero_of

_OWNER = r"(?P<owner>(?:user \w+ of )?account \w+|(?:(?:user|account) \w+ in )?QOS \w+|array \w+)"
_SAID = re.compile(
    rf"{_OWNER} (?:runs|uses) (?P<used>\d+) of (?P<most>\d+) (?P<unit>job|CPU|node)s?"
    r"(?:, including (?P<passed>\d+) (?:by jobs )?to which a limit of QOS (?P<quality>[\w ]+) "
    r"applies instead)?"
    r"(?:, and it (?:asks for (?P<asked>\d+)|(?P<more>would have taken more than are left)))?"
)


def false_numbers(site: DrawnSite, folder: Path) -> tuple[list[str], list[str]]:
    """What is said of limits in the schedule of a site: all of it, and what is not so."""
    schedule = simulated(site, folder)
    placed, first = placed_of(site, schedule), zero_of(site, schedule.trace)
    by_id = {job.job_id: job for job in site.jobs}
    told, false = list[str](), list[str]()
    for number, name in enumerate(schedule.trace.job_id):
        job = by_id[str(name)]
        for interval in explain(schedule, number).intervals:
            if interval.kind is not Decision.SITE_LIMIT:
                continue
            found = list(_SAID.finditer(interval.text))
            told += [match[0] for match in found]
            time = interval.begin + first
            # An interval without any number counts as false: it claims a limit and says none.
            wrong = not found or not all(_holds(site, job, placed, time, each) for each in found)
            false += [f"job {name} at {time}: {interval.text}"] * wrong
    return told, false


def _holds(site: DrawnSite, job: DrawnJob, placed: list[Placed], time: int, said: re.Match[str]) -> bool:
    """Whether the owner, its use, its limit, and what passes the limit are as they are said."""
    unit, owner = said["unit"].lower(), _owner(said["owner"])
    rules = [rule for rule in rules_of(site, job) if rule.unit == unit and rule.most == int(said["most"])]
    rules = [rule for rule in rules if rule.owner == owner]
    if not rules:
        return False
    there = [each for each in placed if each.start <= time < each.end and owner in owners_of(site, each.job)]
    used = sum(amount_of(each, unit) for each in there)
    passes = [each for each in there if not _held_alike(site, each.job, rules[0].owner, unit)]
    passed = sum(amount_of(each, unit) for each in passes)
    if used != int(said["used"]):
        return False
    over = used > rules[0].most and passed > 0
    if over != (said["passed"] is not None) or (over and passed != int(said["passed"])):
        return False
    if over:
        names = {name for each in passes for name, _ in qualities_of(site, each.job)}
        if not set(said["quality"].split(" or ")) <= names:
            return False
    own = {"job": 1, "cpu": job.cpus, "node": 1 if job.nodes is None else job.nodes[0]}[unit]
    if said["asked"] is not None:
        # Jobs that ask for CPUs alone may take more nodes than one.
        least = own if unit != "node" or job.nodes is not None else 1
        return int(said["asked"]) >= least and used + int(said["asked"]) > rules[0].most > used
    return used >= rules[0].most or (unit == "node" and said["more"] is not None)


def _held_alike(site: DrawnSite, job: DrawnJob, owner: tuple[str, ...], unit: str) -> bool:
    """Whether a limit of the same owner holds a job, whatever it allows."""
    return any(rule.owner == owner and rule.unit == unit for rule in rules_of(site, job))


def _owner(text: str) -> tuple[str, ...]:
    """The owner that words name, as the checker has it."""
    sort, name, *more = text.split()
    if sort == "array":
        return "array", name
    if not more:
        return ("qos", name) if sort == "QOS" else ("association", name, "")
    if more[1] == "QOS":
        return "qos", more[2], sort, name
    return "association", more[2], name


@pytest.mark.parametrize("begin", [0, 60, 4000])
def test_what_is_said_of_limits_is_so(begin: int, tmp_path: Path) -> None:
    told = list[str]()
    for seed in range(begin, begin + 15):
        folder = tmp_path / str(seed)
        folder.mkdir()
        said, false = false_numbers(drawn_site(seed), folder)
        assert not false, (seed, false)
        told += said
    assert told


def test_jobs_that_another_limit_holds_are_named_where_more_is_used_than_is_allowed(tmp_path: Path) -> None:
    told, false = false_numbers(drawn_site(63), tmp_path)
    assert not false
    assert "account phys runs 2 of 1 job, including 1 to which a limit of QOS normal applies instead" in told
