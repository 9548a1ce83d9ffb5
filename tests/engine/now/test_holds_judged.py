"""What holds jobs of drawn queues, before judges that count in the queue and the site's files alone."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim
from engine.claims.holds import HoldRelation
from engine.claims.refusals import RefusalRelation
from engine.claims.words import plain, render
from engine.logs.queue.state import RUNNING, WAITING, QueuedJob
from engine.now.prediction import Prediction, predict
from engine.now.queue_reasons import never_claim
from engine.now.queue_why import QueueNames, told_of_row
from engine.schedule.schedule import COLUMNS, Decision
from engine.schedule.site_limits import PARTS, SiteLimits
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.reservations import Reservation
from engine.slurm.site.site import Site
from tests.engine.verdict.drawn import check_words

CONF = """NodeName=a[1-2] CPUs=8 RealMemory=8000 Gres=gpu:4
GresTypes=gpu
PartitionName=batch Nodes=a[1-2]
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=30{parameters}
AccountingStorageEnforce=limits,safe
"""
JOB = QueuedJob("1", "ann", "astro", "batch", WAITING, "", 0, 0, 3600, 1, 1, 0, 0, False, "", "", 10.0)
RUNS = replace(JOB, state=RUNNING, elapsed=600, limit=7200)
CYCLES = 60  # of the backfiller, s: how long after a hold ends a plan may start a job
quick = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def site_of(folder: Path, parameters: str = "") -> Site:
    """Two nodes of 8 CPUs, 8,000 MiB and 4 GPUs."""
    (folder / "slurm.conf").write_text(CONF.format(parameters=parameters))
    return read_site_at(folder)


def told(site: Site, *jobs: QueuedJob) -> dict[str, Prediction]:
    """What is said of each waiting job, in words that were checked."""
    found = {each.job.job_id: each for each in predict(site, jobs, replays=0).waiting}
    for each in found.values():
        if each.reason is not None:
            check_words(render(each.reason.claim))
    return found


def claim_of(prediction: Prediction) -> Claim:
    assert prediction.reason is not None, prediction.why
    return prediction.reason.claim


def values(claim: Claim) -> dict[str, float]:
    """The quantities of a claim by name."""
    return {quantity.name: quantity.value for quantity in claim.quantities}


@quick
@given(*[st.integers(1, 8000)] * 3)
def test_ram_that_is_missing_is_what_the_nodes_lack_in_all(
    tmp_path: Path, first: int, second: int, asked: int
) -> None:
    """A job runs on each node, with so many MiB."""
    runs = [replace(RUNS, job_id=f"9{k}", node_list=f"a{k}", ram=ram) for k, ram in ((1, first), (2, second))]
    claim = claim_of(told(site_of(tmp_path), *runs, replace(JOB, ram=asked))["1"])
    free = [8000 - first, 8000 - second]
    if asked <= max(free):
        assert claim.relation is HoldRelation.NOTHING
        return
    if asked <= sum(free):  # of the machine as a whole there is enough
        assert claim.relation is HoldRelation.SCATTERED
        return
    assert claim.relation is HoldRelation.RAM
    assert values(claim) == {"missing": asked - sum(free)}


@quick
@given(st.integers(0, 4), st.integers(0, 4), st.integers(1, 4))
def test_gpus_that_are_missing_are_those_that_no_node_has_free(
    tmp_path: Path, first: int, second: int, asked: int
) -> None:
    runs = [
        replace(RUNS, job_id=f"9{k}", node_list=f"a{k}", gpus=gpus) for k, gpus in ((1, first), (2, second))
    ]
    claim = claim_of(told(site_of(tmp_path), *runs, replace(JOB, gpus=asked))["1"])
    if asked <= 4 - min(first, second):
        assert claim.relation is HoldRelation.NOTHING
        return
    free = 8 - first - second  # on both nodes
    if asked <= free:
        assert claim.relation is HoldRelation.SCATTERED
        return
    assert claim.relation is HoldRelation.RESOURCE
    assert values(claim) == {"missing": asked - free}
    assert [each.name for each in claim.about] == [f"GPU{'s' * (values(claim)['missing'] > 1)}"]


def date(second: int) -> str:
    """A date so many s after the clock of the site."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


@quick
@given(st.integers(0, 9000), st.integers(60, 9000), st.integers(60, 9000))
def test_nodes_are_kept_where_the_reservation_begins_before_the_job_must_end(
    tmp_path: Path, begin: int, length: int, limit: int
) -> None:
    """One node is busy, and the other one is reserved."""
    limit -= limit % 60
    busy = replace(RUNS, job_id="9", node_list="a1", cpus=8)
    kept = Reservation("maint", date(begin), date(begin + length), ("a2",))
    site = replace(site_of(tmp_path), clock=0, reservations=(kept,))
    claim = claim_of(told(site, busy, replace(JOB, limit=limit))["1"])
    if begin > limit:
        assert claim.relation is HoldRelation.NOTHING
    elif begin < limit:  # a job that would end in the second in which nodes are closed may go either way
        assert claim.relation is HoldRelation.KEPT
        assert [each.name for each in claim.about] == ["maint"]


@quick
@given(st.integers(0, 9000), st.integers(60, 9000))
def test_a_job_waits_for_its_own_reservation_until_that_begins(
    tmp_path: Path, begin: int, length: int
) -> None:
    own = Reservation("maint", date(begin), date(begin + length), ("a1", "a2"))
    site = replace(site_of(tmp_path), clock=0, reservations=(own,))
    found = told(site, replace(JOB, reservation="maint", limit=60))["1"]
    claim = claim_of(found)
    if begin == 0:
        assert claim.relation is HoldRelation.NOTHING
        return
    assert claim.relation in (HoldRelation.NOT_BEGUN, HoldRelation.NOT_OPEN)
    assert [each.name for each in claim.about] == ["maint"]
    assert found.planned is None or begin <= found.planned <= begin + CYCLES


@quick
@given(st.integers(1, 4), st.integers(2, 6))
def test_a_job_is_not_reached_where_as_many_go_first_as_are_tried(
    tmp_path: Path, most: int, many: int
) -> None:
    """Every job asks for both nodes, while one of them is busy, so that none starts."""
    site = site_of(tmp_path, f",bf_max_job_test={most},default_queue_depth=1")
    busy = replace(RUNS, job_id="9", node_list="a1", cpus=8)
    wide = [
        replace(JOB, job_id=f"{k + 10}", cpus=16, nodes=2, priority=float(100 - k), user=f"u{k}")
        for k in range(many)
    ]
    narrow = replace(JOB, job_id="5", priority=1.0)
    found = told(site, busy, *wide, narrow)["5"]
    claim = claim_of(found)
    if many >= most and claim.relation is not HoldRelation.NOTHING:
        assert claim.relation in (HoldRelation.NOT_REACHED, HoldRelation.BEHIND_BY_PRIORITY)
    if claim.relation is HoldRelation.NOT_REACHED:
        assert many >= most
        assert "bf_max_job_test" in plain(render(claim)) or "default_queue_depth" in plain(render(claim))


@quick
@given(st.integers(1, 7000), st.sampled_from(("afterok", "afterany")), st.booleans())
def test_a_job_waits_for_the_one_that_it_names_and_starts_after_that(
    tmp_path: Path, elapsed: int, kind: str, there: bool
) -> None:
    first = replace(RUNS, job_id="77", node_list="a1", elapsed=elapsed)
    waits = replace(JOB, dependency=f"{kind}:77(unfulfilled)", reason="Dependency")
    found = told(site_of(tmp_path), *([first] if there else []), waits)["1"]
    if not there:
        assert "77" in found.why
        assert found.planned is None
        return
    claim = claim_of(found)
    assert claim.relation is HoldRelation.DEPENDENCY
    assert "job 77" in plain(render(claim))
    assert found.planned is not None
    assert 7200 - elapsed <= found.planned <= max(7200 - elapsed, 60) + CYCLES


@quick
@given(st.integers(1, 900), st.integers(1, 4), st.integers(1, 60))
def test_what_an_owner_s_jobs_may_still_take_holds_those_that_take_more(
    tmp_path: Path, most: int, cpus: int, minutes: int
) -> None:
    """An account of a running job with 110 min left on 2 CPUs."""
    limits = (("grptresrunmins", f"cpu={most}"),)
    site = replace(site_of(tmp_path), associations=(Association("astro", "", "root", 1.0, limits),))
    first = replace(RUNS, job_id="9", node_list="a1", cpus=2)
    found = told(site, first, replace(JOB, cpus=cpus, limit=60 * minutes))["1"]
    own, others = cpus * minutes, 2 * 110
    if found.reason is None:  # alone it takes more than all of them may
        assert own > most
        return
    claim = found.reason.claim
    if own + others > most:
        assert claim.relation is HoldRelation.AHEAD
        assert values(claim) == {"most": most}
        assert claim.about[0].name == "account astro"
    else:
        assert claim.relation is HoldRelation.NOTHING


def never(claim: Claim, site: Site, job: QueuedJob, most: int) -> bool:
    """Whether a job of the site of two nodes never starts, as is said: by nodes that are up, or a limit."""
    # A job in a reservation has its nodes; all others have both.
    there = {node for reservation in site.reservations for node in reservation.nodes}
    nodes = (there if job.reservation else {"a1", "a2"}) - set(site.conf.down)
    # Counted by hand: nodes that are up, and processors of each.
    fits = job.nodes <= len(nodes) and -(-job.cpus // job.nodes) <= 8
    exceeds = job.cpus * (job.limit or 0) > 60 * most
    kinds = {
        (False, False): RefusalRelation.FITS_NOWHERE,
        (False, True): RefusalRelation.FITS_NOWHERE_NOW,
        (True, False): RefusalRelation.FITS_NOT_IN_RESERVATION,
        (True, True): RefusalRelation.FITS_NOT_IN_RESERVATION_NOW,
    }
    kind = kinds[bool(job.reservation), bool(site.conf.down)]
    return claim.relation is kind and (exceeds or not fits)


@quick
@given(
    st.integers(1, 2),
    st.integers(1, 8),
    st.sampled_from(((), ("a1",), ("a1", "a2"))),
    st.sampled_from(((), ("a1",), ("a1", "a2"))),
    st.integers(30, 2000),
)
def test_a_job_that_never_starts_fits_nowhere_or_exceeds_a_limit(
    tmp_path: Path, nodes: int, each: int, down: tuple[str, ...], kept: tuple[str, ...], most: int
) -> None:
    """Of an hour, on nodes of which some are down, in a reservation of some or without one."""
    site = site_of(tmp_path)
    limits = (("maxtresminsperjob", f"cpu={most}"),)
    site = replace(
        site,
        conf=replace(site.conf, down=down),
        clock=0,
        reservations=(Reservation("course", date(0), date(10**6), kept),) if kept else (),
        associations=(
            Association("astro", "", "root", 1.0, limits),
            Association("astro", "ann", "astro", 1.0),
        ),
    )
    job = replace(JOB, nodes=nodes, cpus=nodes * each, reservation="course" if kept else "")
    found = told(site, job)["1"]
    claim = never_claim(site, job)
    assert claim is not None
    check_words(render(claim))
    assert never(claim, site, job, most) == (found.planned is None)
    if found.planned is None:
        assert found.why == plain(render(claim))


@quick
@given(st.integers(1, 12), st.integers(1, 12))
def test_a_part_of_a_job_waits_for_one_that_never_starts(tmp_path: Path, first: int, second: int) -> None:
    parts = [replace(JOB, job_id=f"7+{k}", together="7", cpus=cpus) for k, cpus in enumerate((first, second))]
    found = told(site_of(tmp_path), *parts)
    assert (found["7+0"].planned is None) == (first > 8 or second > 8)
    said = "it starts together with job 7+{}, which never starts"
    for own, other, cpus, others in ((0, 1, first, second), (1, 0, second, first)):
        assert (found[f"7+{own}"].why == said.format(other)) == (cpus <= 8 < others)
    claim = never_claim(site_of(tmp_path), parts[0], "7+1")
    assert claim is not None
    assert (claim.relation is RefusalRelation.PART_NEVER_STARTS) == (first <= 8)


ALONE = {
    Decision.CLEANING: HoldRelation.CLEANING,
    Decision.UNTOLD: HoldRelation.NOT_KNOWN,
    Decision.FRAGMENTED: HoldRelation.SCATTERED,
}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((*ALONE, Decision.CLOSED, Decision.BEGIN, Decision.SITE_LIMIT, Decision.RESOURCE)),
    st.integers(1, 10_000),
    st.booleans(),
)
def test_a_row_of_the_plan_is_told_as_it_stands_there(kind: Decision, amount: int, named: bool) -> None:
    """Also those rows that a plan of a queue seldom has: nodes are away, or what was used is spent."""
    job = replace(JOB, reservation="maint" if named else "")
    limits = SiteLimits(
        owner=("account astro",), scope=(("group", "astro", ""),), resource=("cpus", "ram"),
        most_jobs=np.array([9]), most=np.array([[9, 9]]),
        most_spent=np.array([[float(amount), 5.0]]), most_ahead=np.array([[7.0, 7.0]]),
        offset=np.array([0, 1]), bound=np.array([0]), holds=np.ones(1, np.bool_), total=np.array([[1, 1]]),
    )  # fmt: skip
    names = QueueNames([job], ("cpus", "ram"), limits, ("maint" if named else "",))
    value = {Decision.SITE_LIMIT: 1 + 2, Decision.RESOURCE: 1 + COLUMNS * amount}.get(kind, 0)
    assert value < PARTS or kind is Decision.RESOURCE
    reason = told_of_row(names, 0, kind, value, np.zeros(1, np.bool_))
    claim = reason.claim
    check_words(render(claim))
    assert reason.kind is kind
    match kind:
        case Decision.CLOSED:
            assert claim.relation is (HoldRelation.KEPT if named else HoldRelation.AWAY)
        case Decision.BEGIN:
            assert claim.relation is (HoldRelation.NOT_BEGUN if named else HoldRelation.BEGINS_LATER)
        case Decision.SITE_LIMIT:
            assert claim.relation is HoldRelation.SPENT
            assert values(claim) == {"most": amount}
        case Decision.RESOURCE:
            assert claim.relation is HoldRelation.RAM
            assert values(claim) == {"missing": amount}
        case _:
            assert (claim.relation, values(claim)) == (ALONE[kind], {})


@quick
@given(*[st.lists(st.integers(1, 4), max_size=4)] * 2, st.integers(1, 8), st.booleans(), st.integers(1, 4))
def test_more_than_is_allowed_is_used_by_jobs_that_another_limit_holds(
    tmp_path: Path, usual: list[int], scav: list[int], most: int, of_jobs: bool, asked: int
) -> None:
    """An account with a limit, and a quality of service with a limit of the same kind, of its own."""
    key, text = ("grpjobs", f"{most}") if of_jobs else ("grptres", f"cpu={most}")
    site = replace(
        site_of(tmp_path),
        associations=(Association("astro", "", "root", 1.0, ((key, text),)),),
        qos=(("normal", 0.0), ("scav", 0.0)),
        qos_limits=(("normal", {}), ("scav", {key: "99" if of_jobs else "cpu=99"})),
    )
    runs = [
        replace(RUNS, job_id=f"{90 + k}", node_list=f"a{1 + k % 2}", cpus=cpus, qos=qos)
        for k, (cpus, qos) in enumerate([(c, "normal") for c in usual] + [(c, "scav") for c in scav])
    ]
    found = told(site, *runs, replace(JOB, cpus=asked, qos="normal"))["1"]
    used = [len(own) if of_jobs else sum(own) for own in (usual, scav)]
    more = 1 if of_jobs else asked
    if more > most:  # it never starts
        return
    claim = claim_of(found)
    if sum(used) + more <= most:
        assert claim.relation not in (HoldRelation.JOBS_PASSED, HoldRelation.AMOUNT_PASSED)
    elif sum(used) > most and scav:
        assert claim.relation is (HoldRelation.JOBS_PASSED if of_jobs else HoldRelation.AMOUNT_PASSED)
        assert values(claim) == {"used": sum(used), "most": most, "passed": used[1]}
        assert [each.name for each in claim.about if each.role == "quality"] == ["QOS scav"]
    else:
        assert values(claim)["used"] == sum(used)
