"""Claims on the waits of groups: at the limits of drawn sites, held, and by what drawn logs tell."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.waits import GroupRelation
from engine.claims.words import plain, render
from engine.machine.cluster import Cluster
from engine.metrics.waits import waits_of
from engine.metrics.waits_words import waits_claims
from engine.policy.policy import parse_policy, site_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.trace import Names, Trace
from tests.engine.verdict.drawn import check_words, logs
from tests.engine.verdict.grouping import WORDS, is_judged, judge_group
from tests.engine.verdict.seen import Seen
from tests.traces import make_trace

CONF = """NodeName=a[1-4] CPUs={cpus} RealMemory=1000 Gres=gpu:{cpus}
GresTypes=gpu
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PartitionName=batch Nodes=ALL
PriorityType=priority/basic
AccountingStorageEnforce=limits
"""

LIMITS = {
    "maxjobs": ("ann", "maxjobs", "{}"),
    "grpjobs": ("", "grpjobs", "{}"),
    "cpus": ("", "grptres", "cpu={}"),
    "gpus": ("", "grptres", "gres/gpu={}"),
    "minutes": ("", "grptresrunmins", "cpu={}0"),
}
"""Whose limit it is, its key, and its value."""


def check_groups(schedule: Schedule, by: tuple[str, ...]) -> None:
    """What is said of groups holds, but not with another number."""
    jobs = np.flatnonzero(schedule.ran & (schedule.start >= schedule.submit)).tolist()
    own = Seen(schedule, [[schedule.cluster.cpus]], jobs)
    for claim in waits_claims(schedule, waits_of(schedule, by)):
        if not is_judged(claim, own):
            continue
        assert judge_group(claim, own), (plain(render(claim)), schedule.start - schedule.submit)
        check_words(render(claim))
        for quantity in claim.quantities:
            more = quantity.value + 1 if quantity.name != "share" else 1.2 * quantity.value + 70
            wrong = [replace(each, value=more) if each is quantity else each for each in claim.quantities]
            assert not judge_group(replace(claim, quantities=tuple(wrong)), own), quantity


@pytest.mark.parametrize("limit", LIMITS)
@settings(max_examples=8, deadline=None, phases=(Phase.generate,))
@given(st.integers(1, 4), st.booleans(), st.integers(0, 9999), st.booleans())
def test_what_groups_of_a_site_wait_for_holds(
    tmp_path_factory: pytest.TempPathFactory, limit: str, most: int, ample: bool, seed: int, held: bool
) -> None:
    """Users of an account with a limit, on a machine that has room for all, or not."""
    folder, draw, jobs = tmp_path_factory.mktemp("site"), np.random.default_rng(seed), 10
    (folder / "slurm.conf").write_text(CONF.format(cpus=16 if ample else 3))
    user, key, value = LIMITS[limit]
    limited = ((key, value.format(most + 2)),)
    site = replace(
        read_site_at(folder),
        associations=(
            Association("physics", "", "root", 1.0, () if user else limited),
            *(
                Association("physics", name, "physics", 1.0, limited if name == user else ())
                for name in ("ann", "bob")
            ),
        ),
    )
    runtime = draw.integers(60, 600, jobs)
    trace = make_trace(
        np.cumsum(draw.integers(0, 60, jobs)),
        runtime,
        draw.integers(1, 4, jobs),
        gpus=[1] * jobs,
        walltime=runtime + draw.integers(0, 300, jobs),
        user=[("ann", "bob")[code] for code in draw.integers(0, 2, jobs)],
        group=["physics"] * jobs,
        queue=["batch"] * jobs,
        cluster=Cluster.pool(64),
    )
    if held:
        trace = replace(trace, held=np.where(draw.random(jobs) < 0.5, 900, 0))
    schedule = simulate(trace, site.conf.machine, site_policy(site), log=True)
    for by in ("user", "account"):
        check_groups(schedule, (by,))


def test_each_limit_of_a_site_is_told_with_what_it_limits(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF.format(cpus=16))
    told = {}
    for limit, (user, key, value) in LIMITS.items():
        site = replace(
            read_site_at(tmp_path),
            associations=(
                Association("physics", "", "root", 1.0, () if user else ((key, value.format(1)),)),
                Association("physics", "ann", "physics", 1.0, ((key, value.format(1)),) if user else ()),
            ),
        )
        trace = make_trace(
            [0, 1],
            [400, 400],
            1,
            gpus=[1, 1],
            user=["ann"] * 2,
            group=["physics"] * 2,
            cluster=Cluster.pool(64),
        )
        schedule = simulate(trace, site.conf.machine, site_policy(site), log=True)
        (claim,) = waits_claims(schedule, waits_of(schedule, ("account",)))
        told[limit] = plain(render(claim)).partition("at the limit of ")[2]
    assert told == {
        "maxjobs": "1 job of user ann of account physics",
        "grpjobs": "1 job of account physics",
        "cpus": "1 CPU of account physics",
        "gpus": "1 GPU of account physics",
        "minutes": "10 CPU minutes of account physics",
    }


@settings(max_examples=60, deadline=None, phases=(Phase.generate,))
@given(logs(), st.integers(0, 9999), st.booleans(), st.booleans(), st.booleans())
def test_what_groups_of_a_log_wait_for_holds(
    trace: Trace, seed: int, with_holds: bool, with_followers: bool, with_reasons: bool
) -> None:
    if not trace.has_recorded_schedule:
        return
    draw, jobs = np.random.default_rng(seed), len(trace)
    if with_holds:
        trace = replace(trace, held=np.where(draw.random(jobs) < 0.5, trace.wait // 2, 0))
    if with_followers:
        before = np.maximum(np.arange(jobs) - draw.integers(1, 4, jobs), 0) + 1
        trace = replace(trace, preceding=np.where(draw.random(jobs) < 0.5, before, -1))
        trace = replace(trace, preceding=np.where(trace.preceding > np.arange(jobs), -1, trace.preceding))
    if with_reasons:
        codes = draw.integers(0, len(WORDS), jobs).astype(np.int32)
        trace = replace(trace, reason=Names(codes, tuple(WORDS)))
    schedule = simulate(trace, trace.cluster, parse_policy("recorded"))
    for by in ("user", "partition"):
        check_groups(schedule, (by,))


@pytest.mark.parametrize(
    ("held", "follows", "relation"),
    [
        (90, False, GroupRelation.HELD),
        (0, True, GroupRelation.DEPENDENCIES),
        (0, False, GroupRelation.NOT_KNOWN),
    ],
)
def test_a_log_tells_of_holds_and_followers_and_else_nothing_is_known(
    held: int, follows: bool, relation: GroupRelation
) -> None:
    """The second job waits for 100 s beside half of the machine, of which the first takes 95 s."""
    trace = make_trace([0, 0], [95, 10], [2, 2], wait=[0, 100], cluster=Cluster.pool(4))
    trace = replace(trace, held=np.array([0, held]), preceding=np.array([-1, 1 if follows else -1]))
    schedule = simulate(trace, trace.cluster, parse_policy("recorded"))
    (claim, *_) = waits_claims(schedule, waits_of(schedule, ("user",)))
    assert claim.relation is relation
    check_groups(schedule, ("user",))


def test_jobs_without_an_account_are_called_so() -> None:
    people = {"user": ["a b"] * 2, "group": ["-1"] * 2}
    trace = make_trace([0, 0], [95, 10], [2, 2], wait=[0, 100], **people, cluster=Cluster.pool(4))
    schedule = simulate(trace, trace.cluster, parse_policy("recorded"))
    check_groups(schedule, ("account",))
    (claim, *_) = waits_claims(schedule, waits_of(schedule, ("account", "user")))
    assert plain(render(claim)).startswith("no account and user a b waits 1 min 40 s in all, ")
