"""Why jobs of a queue wait, by the model: with names and numbers, and beside what Slurm says."""

import random
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.holds import HOLD_SENTENCES, HoldRelation
from engine.claims.words import plain, render
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob, QueueState
from engine.now.prediction import Prediction, first_forecast, predict
from engine.now.queue_reasons import slurm_claim
from engine.now.site_queue import queue_doubts
from engine.schedule.schedule import Decision
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.reservations import Reservation
from engine.slurm.site.site import Site
from tests.engine.verdict.drawn import DIGIT, check_words

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2]
SchedulerParameters=bf_interval=30
AccountingStorageEnforce=limits
"""
JOB = QueuedJob("1", "ann", "astro", "batch", WAITING, "", 0, 0, 3600, 4, 1, 0, 0, False, "", "", 10.0)
RUNS = replace(JOB, job_id="9", state=RUNNING, elapsed=600, node_list="a1")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two nodes of 4 CPUs, and an account that may use six of them."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    limits = (("grpjobs", "3"), ("grptres", "cpu=6"))
    return replace(read_site_at(conf), associations=(Association("bio", "", "root", 1.0, limits),))


def told(site: Site, *jobs: QueuedJob) -> dict[str, Prediction]:
    """What is said of each waiting job."""
    return {each.job.job_id: each for each in predict(site, jobs, replays=0).waiting}


def test_a_job_is_short_of_processors_and_another_one_is_behind_it(site: Site) -> None:
    wide = replace(JOB, job_id="2", cpus=8, nodes=2, priority=2500.0)
    behind = replace(JOB, job_id="3", user="bob", limit=7200, priority=1204.0)
    found = told(site, RUNS, wide, behind)
    assert found["2"].why == "it asks for 8 CPUs, and 4 of them are not free on the nodes of partition batch"
    assert found["3"].why == "the free nodes are planned for job 2 of ann, which it would delay"
    other = replace(RUNS, job_id="8", node_list="a2")
    busy = told(site, RUNS, other, wide, behind)
    assert busy["3"].why == "job 2 of ann goes first (priority 2\u202f500 against 1\u202f204)"
    reason = busy["3"].reason
    assert reason is not None
    assert reason.kind is Decision.PRIORITY


def test_the_first_plan_tells_reasons_too(site: Site) -> None:
    (found,) = first_forecast(site, [RUNS, replace(JOB, job_id="2", cpus=8, nodes=2)]).waiting
    assert found.why.startswith("it asks for 8 CPUs")


USERS = (Association("astro", "", "root", 1.0), Association("astro", "ann", "astro", 1.0))


@pytest.mark.parametrize("enforced", ["limits", "associations", ""])
@pytest.mark.parametrize("reason", ["", "None", "Priority", "InvalidAccount"])
@pytest.mark.parametrize("runs", [False, True])
def test_jobs_of_users_without_an_association_get_no_start_where_one_is_required(
    tmp_path: Path, enforced: str, reason: str, runs: bool
) -> None:
    """One node is free. Who has a job running has an association that the files do not list yet."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF.replace("=limits", f"={enforced}"))
    site = replace(read_site_at(conf), associations=USERS)
    eve = replace(JOB, job_id="2", user="eve", reason=reason)
    jobs = [replace(RUNS, user="eve" if runs else "ann"), JOB, eve]
    found, notes = told(site, *jobs), list(queue_doubts(site, QueueState(tuple(jobs), None, ())))
    assert found["1"].planned == 0
    if reason == "InvalidAccount" or (enforced and not runs):
        assert found["2"].planned is found["2"].reason is None
    else:
        assert found["2"].planned is not None
    text = "of users without an association in the site's files"
    if enforced and not runs:
        said = {
            "Priority": "; Slurm says: jobs of higher priority are in front of it",
            "InvalidAccount": "; Slurm says: its user has no association with its account",
        }
        assert found["2"].why == f"eve of astro has no association in the site's files{said.get(reason, '')}"
        assert notes == [f"1 job {text}: Slurm starts none of them (AccountingStorageEnforce)"]
    else:
        assert notes == [f"{1 + runs} job{'s' * runs} {text}: without limits"]


def test_without_users_in_the_files_nobody_is_refused_for_their_sake(site: Site) -> None:
    assert told(site, RUNS, replace(JOB, user="eve"))["1"].planned == 0


def test_limits_are_told_with_what_is_used(site: Site) -> None:
    runs = replace(RUNS, account="bio", cpus=4)
    found = told(site, runs, replace(JOB, job_id="2", account="bio"))
    assert found["2"].why == "account bio uses 4 of 6 CPUs, and it asks for 4"
    single = replace(JOB, account="bio", cpus=1)
    many = [replace(single, job_id=f"{k}", state=RUNNING, node_list="a1") for k in (5, 6, 7)]
    assert told(site, *many, replace(single, job_id="2"))["2"].why == "account bio runs 3 of 3 jobs"


def test_a_job_that_starts_at_once_is_told_so(site: Site) -> None:
    assert told(site, RUNS, JOB)["1"].why == "nothing holds it: the next pass of the scheduler starts it"


def test_nodes_are_kept_for_a_reservation(site: Site) -> None:
    dates = ("1970-01-01T00:10:00", "1970-01-01T02:00:00")
    kept = replace(site, clock=0, reservations=(Reservation("maint", *dates, ("a2",)),))
    assert told(kept, RUNS, JOB)["1"].why == "nodes are kept for the reservation maint"
    inside = replace(JOB, reservation="maint")
    assert told(kept, RUNS, inside)["1"].why == "its reservation maint is not open"


def test_slurm_s_own_reason_is_told_where_it_is_another_one(site: Site) -> None:
    wide = replace(JOB, job_id="2", cpus=8, nodes=2, reason="Resources")
    same = told(site, RUNS, wide)["2"]
    assert "Slurm says" not in same.why
    licenses = told(site, RUNS, replace(wide, reason="Licenses"))["2"]
    assert licenses.why == f"{same.why}; Slurm says: it waits for licenses"
    limited = replace(JOB, account="bio", cpus=8, nodes=2, reason="AssocGrpCpuLimit")
    runs = replace(RUNS, account="bio")
    many = [replace(runs, job_id=f"{k}", cpus=1, node_list="a1") for k in (5, 6, 7)]
    narrow = replace(limited, cpus=1, nodes=1)
    assert told(site, *many, narrow)["1"].why == "account bio runs 3 of 3 jobs"
    assert "Slurm says: a limit of its quality of service holds it (QOSGrpCpuLimit)" in (
        told(site, RUNS, replace(wide, reason="QOSGrpCpuLimit"))["2"].why
    )


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("Priority", "jobs of higher priority are in front of it"),
        ("ReqNodeNotAvail,_UnavailableNodes:a[1-2]", "nodes that it needs are down or reserved"),
        ("Nodes_required_for_job_are_DOWN,_DRAINED", "nodes that it needs are down or reserved"),
        ("AssocGrpGRES", "a limit of its account or user holds it (AssocGrpGRES)"),
        ("SomethingNew7", "SomethingNew7"),
    ],
)
def test_what_slurm_says_is_a_claim_on_the_job(reason: str, said: str) -> None:
    claim = slurm_claim(replace(JOB, reason=reason, waited=30))
    assert claim.population == Population(1, -30, -30)
    check_words(render(claim))
    assert plain(render(claim)) == f"Slurm says: {said}"


def free_now(jobs: list[QueuedJob]) -> int:
    """The CPUs of both nodes that no running job holds."""
    return 8 - sum(job.cpus for job in jobs if job.state == RUNNING)


def holds(claim: Claim, jobs: list[QueuedJob], starting: int) -> bool:
    """Whether what is said to hold a job is so, as far as the queue alone tells.

    The places of claims are those of `jobs`, the running ones first. So many CPUs are of jobs that start at
    once, of which passes may look at some before this one.
    """
    own = jobs[claim.subject.place.row]
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    others = [jobs[each.place.row] for each in claim.about if each.role == "job"]
    # Who goes first waits, and is of no lower priority.
    if any(job.state == RUNNING or (job.priority or 0) < (own.priority or 0) for job in others):
        return False
    used = [job for job in jobs if job.state == RUNNING and job.account == "bio"]
    cpus = sum(job.cpus for job in used)
    # Jobs of the account that start in this second count for those that are looked at after them.
    most = cpus + starting
    match claim.relation:
        case HoldRelation.PROCESSORS_OF_PARTITION:
            least = own.cpus - free_now(jobs)
            return said["asked"] == own.cpus and max(least, 1) <= said["missing"] <= least + starting
        case HoldRelation.BEHIND_BY_PRIORITY:
            return [said["higher"], said["own"]] == [others[0].priority, own.priority]
        case HoldRelation.BEHIND | HoldRelation.PLANNED:
            return len(others) == 1 and others[0] is not own
        case HoldRelation.AMOUNT_OF_OWNER:
            return own.account == "bio" and said["most"] == 6 <= said["used"] and cpus <= said["used"] <= most
        case HoldRelation.AMOUNT_WITH_IT:
            over = said["used"] + own.cpus > said["most"] == 6
            return over and said["more"] == own.cpus and cpus <= said["used"] <= most
        case HoldRelation.JOBS_OF_OWNER:
            # Each job that starts in this second has a CPU at least.
            most = len(used) + starting
            return own.account == "bio" and said["most"] == 3 <= said["used"] <= most
        case HoldRelation.NOTHING:
            return own.cpus <= free_now(jobs)
        case HoldRelation.SCATTERED | HoldRelation.NODES:
            return own.nodes * 4 >= own.cpus  # tasks that a node has room for, and other jobs hold some
    return False


def random_queue(draw: random.Random) -> list[QueuedJob]:
    """Running jobs on either node, and waiting ones that ask for parts of a node or for both."""
    runs = [
        replace(
            RUNS,
            job_id=str(900 + number),
            node_list=f"a{1 + number % 2}",
            cpus=draw.randrange(1, 3),
            account=draw.choice(("astro", "bio")),
            limit=draw.randrange(900, 9000),
        )
        for number in range(draw.randrange(4))
    ]
    waits = []
    # Priorities are all different: the order of equal ones is another test's.
    for number, priority in enumerate(draw.sample(range(1, 5000), draw.randrange(1, 7))):
        cpus = draw.choice((1, 2, 4, 8))
        # Eight processors need both nodes.
        waits.append(
            replace(
                JOB,
                job_id=str(number + 1),
                account=draw.choice(("astro", "bio")),
                cpus=cpus,
                nodes=2 if cpus == 8 else 1,
                limit=draw.randrange(600, 9000),
                priority=float(priority),
            )
        )
    return [*runs, *waits]


def test_what_holds_jobs_of_random_queues_is_so(site: Site) -> None:
    told_kinds = set()
    for seed in range(60):
        jobs = random_queue(random.Random(seed))
        found = predict(site, jobs, replays=0).waiting
        starting = sum(each.job.cpus for each in found if each.reason and each.reason.kind is None)
        for each in found:
            if each.reason is None:  # it never starts
                continue
            claim = each.reason.claim
            assert jobs[claim.subject.place.row].job_id == each.job.job_id
            assert holds(claim, jobs, starting), (seed, claim, each.why)
            check_words(render(claim))
            told_kinds.add(claim.relation)
            for quantity in claim.quantities:  # and it would be refused with another number
                wrong = [
                    replace(own, value=own.value + 9) if own is quantity else own for own in claim.quantities
                ]
                assert not holds(replace(claim, quantities=tuple(wrong)), jobs, starting)
    assert told_kinds >= {
        HoldRelation.NOTHING,
        HoldRelation.PROCESSORS_OF_PARTITION,
        HoldRelation.BEHIND_BY_PRIORITY,
        HoldRelation.PLANNED,
        HoldRelation.AMOUNT_WITH_IT,
    }


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 20_000), st.integers(1, 4), st.sampled_from(("Priority", "Licenses", "None", "")))
def test_a_begin_time_holds_a_job_until_then(site: Site, begin: int, cpus: int, reason: str) -> None:
    """One node is free, so that nothing but the begin time of the job holds it."""
    job = replace(JOB, cpus=cpus, begin=begin, reason=reason)
    found = told(site, RUNS, job)["1"]
    assert found.reason is not None
    claim = found.reason.claim
    check_words(render(claim))
    if begin == 0:
        assert claim.relation is HoldRelation.NOTHING
        return
    assert claim.relation is HoldRelation.BEGINS_IN
    assert [quantity.value for quantity in claim.quantities] == [begin]
    assert found.planned is not None
    assert begin <= found.planned <= begin + 60  # two cycles of the backfiller
    said = slurm_claim(job)
    assert said.relation is HoldRelation.SLURM_SAYS
    check_words(render(said))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 4), min_size=1, max_size=2))
def test_processors_that_are_missing_are_those_that_run_on_both_nodes(site: Site, busy: list[int]) -> None:
    """A job that asks for all of both nodes, and names no partition."""
    runs = [
        replace(RUNS, job_id=f"{90 + k}", node_list=f"a{1 + k}", cpus=cpus) for k, cpus in enumerate(busy)
    ]
    found = told(site, *runs, replace(JOB, cpus=8, nodes=2, partition=""))["1"]
    assert found.reason is not None
    claim = found.reason.claim
    assert claim.relation is HoldRelation.PROCESSORS
    assert {quantity.name: quantity.value for quantity in claim.quantities} == {
        "asked": 8,
        "missing": sum(busy),
    }


@pytest.mark.parametrize("relation", HoldRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: HoldRelation) -> None:
    names = {"partition", "resource", "job", "reservation", "owner", "why", "said"}
    parts = {name for _, name, _, _ in Formatter().parse(HOLD_SENTENCES[relation]) if name}
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("jobs", 0)) for role in parts & names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.COUNT) for name in parts - names)
    subject = NamedThing("subject", "job 7", ClaimPlace("jobs", 0))
    spans = render(Claim(subject, relation, quantities, about, Population(1, 0, 0), (subject.place,)))
    assert spans
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
