"""The limits of a site's files on a schedule: each that is broken is found, and none that holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.report import AuditReport
from engine.audit.table import table_of
from engine.policy.policy import site_policy
from engine.simulation.run import simulate
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.site.associations import Association
from engine.slurm.site.site import Site
from engine.trace import Trace
from tests.engine.audit.tables import found, make_table
from tests.traces import make_names, make_schedule, make_trace

CONF = """NodeName=a[1-2] CPUs=4
PartitionName=batch Nodes=a[1-2]
PartitionName=short Nodes=a2 {keys}
PriorityType=priority/basic
SchedulerParameters=bf_interval=5,bf_resolution=1,batch_sched_delay=1
AccountingStorageEnforce=limits
"""
TREE = {"phys": "root", "astro": "phys", "bio": "root"}
Limits = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Row:
    """A job of a small log: 2 CPUs for 100 s unless it says otherwise."""

    start: int = 0
    runtime: int = 100
    cpus: int = 2
    user: str = "ann"
    account: str = "astro"
    qos: str = "high"
    partition: str = "batch"


def site_of(folder: Path, qos: Limits, accounts: Limits, partition_qos: str = "") -> Site:
    """A site with limits by quality of service and by account; `short` has a quality of its own."""
    path = folder / "slurm.conf"
    path.write_text(CONF.format(keys=f"QOS={partition_qos}" if partition_qos else ""))
    tree = tuple(
        Association(name, "", parent, 1.0, tuple(accounts.get(name, {}).items()))
        for name, parent in TREE.items()
    )
    return Site(path, read_slurm_conf(path), tree, qos_limits=tuple(qos.items()))


def trace_of(rows: Sequence[Row], submit: Sequence[int]) -> Trace:
    """The log of these jobs."""
    trace = make_trace(
        submit,
        [row.runtime for row in rows],
        [row.cpus for row in rows],
        walltime=[2 * row.runtime for row in rows],
        user=[row.user for row in rows],
        group=[row.account for row in rows],
        queue=[row.partition for row in rows],
    )
    return replace(trace, qos=make_names([row.qos for row in rows]))


def audited(site: Site, rows: Sequence[Row]) -> AuditReport:
    """What an audit says of these jobs at their starts."""
    rows = sorted(rows, key=lambda row: row.start)
    trace = trace_of(rows, [row.start for row in rows])
    return audit(make_table(trace, [row.start for row in rows]), trace.cluster, site_policy(site))


LIMITS: Mapping[str, tuple[Limits, Limits, str, str]] = {
    "GrpJobs of a QOS": ({"high": {"grpjobs": "1"}}, {}, "limit_QOS high_jobs", "QOS high: 2 of 1 jobs"),
    "GrpTRES of a QOS": (
        {"high": {"grptres": "mem=8G,cpu=3"}},
        {},
        "limit_QOS high_processors",
        "QOS high: 4 of 3 processors",
    ),
    "MaxJobsPU": (
        {"high": {"maxjobspu": "1"}},
        {},
        "limit_user in QOS high_jobs",
        "user in QOS high ann: 2 of 1 jobs",
    ),
    "MaxTRESPU": (
        {"high": {"maxtrespu": "cpu=3"}},
        {},
        "limit_user in QOS high_processors",
        "user in QOS high ann: 4 of 3 processors",
    ),
    "GrpJobs of an account above": (
        {},
        {"phys": {"grpjobs": "1"}},
        "limit_account phys_jobs",
        "account phys: 2 of 1 jobs",
    ),
    "GrpTRES of an account": (
        {},
        {"astro": {"grptres": "cpu=3"}},
        "limit_account astro_processors",
        "account astro: 4 of 3 processors",
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_broken_from_the_second_job_that_starts_too_early(tmp_path: Path, name: str) -> None:
    qos, accounts, kind, text = LIMITS[name]
    site = site_of(tmp_path, qos, accounts)
    assert found(audited(site, [Row(0), Row(100)])) == {}
    report = audited(site, [Row(0), Row(90)])
    assert found(report) == {kind: 1}
    (case,) = report.findings[0].cases
    assert (case.text, case.time) == (f"{text}, for 10 s", 90.0)


@pytest.mark.parametrize("other", ["qos", "user", "account"])
@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_binds_its_own_jobs_alone(tmp_path: Path, name: str, other: str) -> None:
    qos, accounts, kind, _ = LIMITS[name]
    concerned = {"qos": not qos, "user": "user" not in kind, "account": "account" not in kind}
    strange = {"qos": Row(90, qos="normal"), "user": Row(90, user="bob"), "account": Row(90, account="bio")}
    report = audited(site_of(tmp_path, qos, accounts), [Row(0), strange[other]])
    assert bool(found(report)) == concerned[other]


def test_the_limit_of_a_quality_goes_before_that_of_the_account_whose_count_it_adds_to(
    tmp_path: Path,
) -> None:
    site = site_of(tmp_path, {"high": {"grpjobs": "9"}, "low": {}}, {"astro": {"grpjobs": "1"}})
    free = [Row(0), Row(10), Row(20)]
    assert found(audited(site, free)) == {}
    report = audited(site, [*free, Row(50, qos="low")])
    assert found(report) == {"limit_account astro_jobs": 1}
    assert report.findings[0].cases[0].time == 50.0
    assert found(audited(site, [*free, Row(120, qos="low")])) == {}


def test_the_quality_of_the_partition_goes_before_that_of_the_job(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"part": {"grpjobs": "2"}, "high": {"grpjobs": "1"}}, {}, "part")
    rows = [Row(0, cpus=1, partition="short"), Row(10, cpus=1, partition="short")]
    assert found(audited(site, rows)) == {}
    assert found(audited(site, [*rows, Row(20, cpus=1, partition="short")])) == {"limit_QOS part_jobs": 1}
    assert found(audited(site, [*rows, Row(20, cpus=1)])) == {"limit_QOS high_jobs": 1}


def test_a_limit_of_the_partition_and_of_the_job_holds_back_the_jobs_of_both(tmp_path: Path) -> None:
    site = site_of(tmp_path, {"high": {"maxtrespu": "cpu=3"}}, {}, "high")
    by_partition = [Row(0, cpus=1, partition="short", qos="low") for _ in range(3)]
    assert found(audited(site, by_partition)) == {}
    report = audited(site, [*by_partition, *(Row(0, cpus=1) for _ in range(3))])
    assert found(report) == {"limit_user in QOS high_processors": 1}


def test_jobs_on_nodes_that_their_partition_does_not_have(tmp_path: Path) -> None:
    site = site_of(tmp_path, {}, {})
    machine = site.machine
    assert machine is not None
    trace = replace(trace_of([Row(partition="short"), Row(partition="batch")], [0, 0]), cluster=machine)
    schedule = make_schedule(trace, [0, 200])  # all on node a1
    report = audit(table_of(schedule), machine, site_policy(site))
    assert found(report) == {"partition_nodes": 1}
    assert "1 node not of partition short" in report.findings[0].cases[0].text
    elsewhere = replace(schedule.pieces, columns={**schedule.pieces.columns, "node": np.array([1, 0])})
    moved = replace(schedule, pieces=elsewhere)
    assert found(audit(table_of(moved), machine, site_policy(site))) == {}


# A slow twin: what broke, by the definition.


def naive_broken(rows: Sequence[Row], qos: Limits, accounts: Limits, partition_qos: str) -> set[str]:
    """The kinds of limits of which some job started while the others left it no room."""
    kinds = set()
    for name, key, unit, most, mates in naive_limits(rows, qos, accounts):
        for job in rows:
            if not holds(job, name, key, qos, accounts, partition_qos):
                continue
            # Who counts at a start: all that run then, and of those that start in the same second only
            # limited ones.
            running = [
                other
                for other in mates(job, partition_qos)
                if other.start <= job.start < other.start + other.runtime
                and (other.start < job.start or holds(other, name, key, qos, accounts, partition_qos))
            ]
            if sum(1 if unit == "jobs" else other.cpus for other in running) > most:
                who = f"user in QOS {name}" if key.endswith("pu") else name
                kinds.add(f"limit_{who}_{unit}".replace(f"limit_{name}_", f"limit_{label(name, qos)}_"))
    return kinds


def label(name: str, qos: Limits) -> str:
    return f"QOS {name}" if name in qos else f"account {name}"


def naive_limits(
    rows: Sequence[Row], qos: Limits, accounts: Limits
) -> Iterator[tuple[str, str, str, int, Callable[[Row, str], list[Row]]]]:
    """Name, key, unit and number of each limit, and a function: the jobs that count with a given one."""
    for name, keys in (*qos.items(), *accounts.items()):
        for key, text in keys.items():
            unit = "processors" if "tres" in key else "jobs"

            def mates(job: Row, part: str, name: str = name, key: str = key) -> list[Row]:
                if key.endswith("pu"):
                    return [o for o in rows if o.user == job.user and name in qualities(o, part)]
                if name in qos:
                    return [o for o in rows if name in qualities(o, part)]
                return [o for o in rows if name in line(o.account)]

            yield name, key, unit, int(text.removeprefix("cpu=")), mates


def qualities(job: Row, partition_qos: str) -> list[str]:
    return list(dict.fromkeys([partition_qos, job.qos] if job.partition == "short" else [job.qos]))


def line(account: str) -> list[str]:
    return [] if account == "root" else [account, *line(TREE[account])]


def holds(job: Row, name: str, key: str, qos: Limits, accounts: Limits, partition_qos: str) -> bool:
    """Whether a limit holds back a job: of several qualities the first that has it, else every account."""
    own = qualities(job, partition_qos)
    first = next((quality for quality in own if key in qos.get(quality, {})), None)
    if name in qos:
        return first == name
    return first is None and name in line(job.account)


rows_drawn = st.lists(
    st.builds(
        Row,
        start=st.integers(0, 12),
        runtime=st.integers(1, 9),
        cpus=st.sampled_from([1, 2, 3]),
        user=st.sampled_from(["ann", "bob"]),
        account=st.sampled_from(list(TREE)),
        qos=st.sampled_from(["high", "low"]),
        partition=st.sampled_from(["batch", "short"]),
    ),
    min_size=2,
    max_size=9,
)
_counts, _cpus = st.sampled_from(["1", "2", "3"]), st.sampled_from(["cpu=3", "cpu=4", "cpu=6"])
_of_group = st.fixed_dictionaries({}, optional={"grpjobs": _counts, "grptres": _cpus})
_of_quality = st.fixed_dictionaries(
    {}, optional={"grpjobs": _counts, "grptres": _cpus, "maxjobspu": _counts, "maxtrespu": _cpus}
)
limits_drawn = st.fixed_dictionaries(dict.fromkeys(("high", "low", "part"), _of_quality))
accounts_drawn = st.fixed_dictionaries(dict.fromkeys(TREE, _of_group))
part_drawn = st.sampled_from(["", "part", "high"])


@settings(max_examples=80, deadline=None)
@given(rows_drawn, limits_drawn, accounts_drawn, part_drawn)
def test_exactly_the_broken_limits_are_found(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], qos: Limits, accounts: Limits, part: str
) -> None:
    site = site_of(tmp_path_factory.mktemp("s"), qos, accounts, part)
    kinds = {kind for kind in found(audited(site, rows)) if kind.startswith("limit_")}
    assert kinds == naive_broken(rows, qos, accounts, part)


@settings(max_examples=30, deadline=None)
@given(rows_drawn, limits_drawn, accounts_drawn, part_drawn)
def test_what_the_site_s_own_slurm_does_breaks_nothing(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], qos: Limits, accounts: Limits, part: str
) -> None:
    site = site_of(tmp_path_factory.mktemp("s"), qos, accounts, part)
    machine = site.machine
    assert machine is not None
    rows = sorted(rows, key=lambda row: row.start)
    trace = replace(trace_of(rows, [row.start for row in rows]), cluster=machine)
    schedule = simulate(trace, machine, site_policy(site))
    assert found(audit(table_of(schedule), machine, site_policy(site))) == {}
