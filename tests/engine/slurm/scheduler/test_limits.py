"""Limits of associations, qualities of service and partitions, and reservations, by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.metrics.twin import twin_of
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.limits import JobKind
from engine.slurm.scheduler.node_counts import node_counts
from engine.slurm.scheduler.submit_limits import beyond_submitted
from engine.slurm.site.associations import Association
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import lines_left_out
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = """NodeName=a[1-4] CPUs=4
PartitionName=batch Nodes=a[1-4] MaxTime=2:00:00 {keys}
PriorityType=priority/basic
SchedulerParameters=bf_interval=60,bf_resolution=1
AccountingStorageEnforce={enforced}
"""
DUMP = """Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'physics':Fairshare=1{account}
Parent - 'physics'
User - 'ann':Fairshare=1{ann}
User - 'bob':Fairshare=1
"""
QOS = "Name|Priority|GrpTRES|GrpJobs|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU\n"


def _starts(
    folder: Path,
    users: str,
    *,
    limit: str = "01:00:00",
    keys: str = "",
    qualities: str = "",
    enforced: str = "limits",
    conf: str = CONF,
    **files: str,
) -> Schedule:
    """Jobs of a whole node and 600 s, one a second, of these users; each file of the site by its name.

    `qualities` has a letter for the quality of service of each job, normal if there is none.
    """
    site = folder / "site"
    site.mkdir()
    (site / "slurm.conf").write_text(conf.format(keys=keys, enforced=enforced))
    for name, text in files.items():
        (site / name).write_text(text)
    # By the log each job started at once: a limit shows in the simulated starts only.
    rows = [
        job(
            JobID=k,
            User={"a": "ann", "b": "bob", "?": ""}[user],
            Account="physics",
            Partition="batch",
            QOS={"n": "normal", "h": "high"}[quality],
            Submit=clock(k),
            Start=clock(k),
            End=clock(k + 600),
            Timelimit=limit,
            NCPUS=4,
            ReqCPUS=4,
            NNodes=1,
            NodeList="a1",
        )
        for k, (user, quality) in enumerate(zip(users, qualities or "n" * len(users), strict=True))
    ]
    log = folder / "log"
    log.write_text("\n".join((HEADER, *rows, "")))
    read = read_log_as(log, Reading(machine=str(site / "slurm.conf")))
    return simulate(read.trace, read.cluster, site_policy(read_site_at(site)))


def _rounds(schedule: Schedule) -> list[int]:
    """In which round of 600 s each job starts."""
    start = schedule.start - schedule.trace.submit[0]
    return [int(round_) for round_ in np.where(schedule.ran, start // 600, -1)]


def _dump(account: str = "", ann: str = "") -> str:
    return DUMP.format(account=account, ann=ann)


def test_without_limits_all_start_at_once(tmp_path: Path) -> None:
    assert _rounds(_starts(tmp_path, "aaab", dump=_dump())) == [0, 0, 0, 0]


def test_jobs_beyond_the_limit_of_their_user_wait_and_let_others_pass(tmp_path: Path) -> None:
    assert _rounds(_starts(tmp_path, "aaab", dump=_dump(ann=":MaxJobs=1"))) == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("enforced", "held"), [("", False), ("associations,qos", False), ("safe", True), ("all", True)]
)
def test_limits_hold_jobs_back_where_slurmctld_enforces_them(
    tmp_path: Path, enforced: str, held: bool
) -> None:
    qos = f"{QOS}normal|0|||||1| \n"
    found = _starts(tmp_path, "aab", enforced=enforced, dump=_dump(ann=":MaxJobs=1"), qos=qos)
    assert _rounds(found) == ([0, 1, 0] if held else [0, 0, 0])
    assert found.policy.site is not None
    said = "AccountingStorageEnforce without limits: those of associations and QOS hold back no job"
    assert (said in lines_left_out(found.policy.site)) != held


def test_limits_that_are_given_without_a_word_on_enforcing_hold_and_it_is_said(tmp_path: Path) -> None:
    found = _starts(tmp_path, "aab", conf=CONF.rpartition("Accounting")[0], dump=_dump(ann=":MaxJobs=1"))
    assert _rounds(found) == [0, 1, 0]
    assert found.policy.site is not None
    (said,) = (line for line in lines_left_out(found.policy.site) if "AccountingStorageEnforce" in line)
    assert "obeyed all the same" in said


def test_users_without_a_limit_have_that_of_their_account(tmp_path: Path) -> None:
    assert _rounds(_starts(tmp_path, "aabb", dump=_dump(account=":MaxJobs=1"))) == [0, 1, 0, 1]


def test_a_group_limit_counts_all_users_of_an_account(tmp_path: Path) -> None:
    assert _rounds(_starts(tmp_path, "aabb", dump=_dump(account=":GrpTRES=cpu=11"))) == [0, 0, 1, 1]


def test_a_job_without_a_user_is_under_the_limits_of_all_accounts_above_it(tmp_path: Path) -> None:
    dump = _dump().replace(
        "Account - 'physics'", "Account - 'science':GrpTRES=cpu=4\nParent - 'science'\nAccount - 'physics'"
    )
    for name, users in (("known", "ab"), ("unknown", "??")):
        folder = tmp_path / name
        folder.mkdir()
        assert _rounds(_starts(folder, users, dump=dump)) == [0, 1]


def test_jobs_with_a_limit_of_their_quality_count_towards_that_of_their_account(tmp_path: Path) -> None:
    files = {"dump": _dump(account=":GrpJobs=1"), "qos": f"{QOS}normal|0|||||| \nhigh|0||9||||\n"}
    assert _rounds(_starts(tmp_path, "aaa", qualities="hhn", **files)) == [0, 0, 1]


def test_a_limit_of_the_partitions_quality_goes_before_that_of_the_job(tmp_path: Path) -> None:
    qos = f"{QOS}part|0||2|||3|\nhigh|0||1|||1|\n"
    assert _rounds(_starts(tmp_path, "aaa", qualities="hhh", keys="QOS=part", qos=qos)) == [0, 0, 1]


def test_group_limits_of_nodes_and_of_billing(tmp_path: Path) -> None:
    assert _rounds(_starts(tmp_path, "aabb", dump=_dump(account=":GrpTRES=node=3"))) == [0, 0, 0, 1]
    by_cpus, by_weight = tmp_path / "cpus", tmp_path / "weight"
    by_cpus.mkdir()
    by_weight.mkdir()
    dump = _dump(account=":GrpTRES=billing=12")
    assert _rounds(_starts(by_cpus, "aabb", dump=dump)) == [0, 0, 0, 1]  # of four CPUs each
    found = _starts(by_weight, "aabb", dump=dump, keys="TRESBillingWeights=CPU=1.5,Mem=1G")
    assert _rounds(found) == [0, 0, 1, 1]
    twin = twin_of(found, 60)
    assert twin is not None
    assert not any("billing" in text for text, _ in twin.unlike)


def test_limits_of_a_quality_of_service_go_before_those_of_associations(tmp_path: Path) -> None:
    qos = QOS + "normal|0||||cpu=8||\n"
    assert _rounds(_starts(tmp_path, "aaab", dump=_dump(), qos=qos)) == [0, 0, 1, 0]
    other = tmp_path / "other"
    other.mkdir()
    qos = QOS + "normal|0||3||||\n"
    found = _starts(other, "aabb", dump=_dump(account=":GrpJobs=1"), qos=qos)
    assert _rounds(found) == [0, 0, 0, 1]


def test_the_quality_of_service_of_a_partition_limits_all_its_jobs(tmp_path: Path) -> None:
    qos = QOS + "normal|0||||||\npart|0||2||||\n"
    assert _rounds(_starts(tmp_path, "abab", keys="QOS=part", qos=qos)) == [0, 0, 1, 1]


def test_jobs_that_ask_for_more_than_any_may_never_start_and_are_counted(tmp_path: Path) -> None:
    found = _starts(tmp_path, "ab", limit="03:00:00")
    assert _rounds(found) == [-1, -1]
    other = tmp_path / "other"
    other.mkdir()
    qos = QOS + "normal|0|||00:30:00|||\n"
    assert _rounds(_starts(other, "ab", qos=qos)) == [-1, -1]


def test_what_is_not_simulated_is_reported_with_the_number_of_its_jobs(tmp_path: Path) -> None:
    qos = QOS + "normal|0||||||1\n"
    twin = twin_of(_starts(tmp_path, "aab", dump=_dump(ann=":MaxTRESPerNode=cpu=4"), qos=qos), 60)
    assert twin is not None
    not_simulated = dict(twin.unlike)
    assert not_simulated["were submitted beyond a limit of submitted jobs, which is not simulated"] == 1
    assert not_simulated["are under limits of resources on a node, which are not simulated"] == 2


def test_jobs_beyond_a_limit_of_submitted_jobs_are_counted_at_their_submissions(tmp_path: Path) -> None:
    """Ann's third job comes while two of hers are there, her fourth when one has ended or none has."""
    (tmp_path / "slurm.conf").write_text(CONF.format(keys="", enforced="limits"))
    plain = read_site_at(tmp_path)
    kinds = [JobKind("physics", user, "", "batch") for user in ("ann", "ann", "bob", "ann", "ann")]
    submit, end = np.array([0, 1, 2, 3, 50]), np.array([50, 80, 90, 100, 110])

    def beyond(user: str, key: str, most: str, later: int = 0) -> int:
        limited = Association("physics", user, "root", 1.0, ((key, most),))
        return beyond_submitted(replace(plain, associations=(limited,)), kinds, submit, end + later)

    assert [beyond("ann", "maxsubmitjobs", most) for most in "1234"] == [3, 2, 0, 0]
    assert beyond("ann", "maxsubmitjobs", "3", later=1) == 1
    assert beyond("bob", "maxsubmitjobs", "1") == 0
    assert [beyond("", "grpsubmitjobs", most) for most in "345"] == [2, 0, 0]
    assert beyond("", "grpsubmitjobs", "4", later=1) == 1
    qos = replace(plain, qos_limits=(("", {"maxsubmitpu": "1"}),))
    assert beyond_submitted(qos, kinds, submit, end) == 3


def test_partitions_bound_the_nodes_of_their_jobs(tmp_path: Path) -> None:
    """Jobs that ask for nodes outside of MinNodes to MaxNodes never start; tasks alone are spread so far."""
    (tmp_path / "slurm.conf").write_text(CONF.format(keys="MinNodes=2 MaxNodes=3", enforced="limits"))
    site, kinds = read_site_at(tmp_path), [JobKind("", "", "", "batch")] * 5
    least, most = np.array([1, 2, 4, 0, 1]), np.array([1, 2, 5, 0, 9])
    counts = node_counts(site, ("batch",), np.zeros(5, np.int64), kinds, least, most)
    assert counts.never.tolist() == [True, False, True, False, False]
    assert counts.nodes[[1, 3, 4]].tolist() == [[2, 2, 2], [2, 2, 3], [2, 3, 3]]
    found = _starts(tmp_path, "ab", keys="MinNodes=2")
    assert np.diff(found.pieces.offset).tolist() == [2, 2]


def test_reserved_nodes_are_closed_for_jobs_that_would_run_into_the_reservation(tmp_path: Path) -> None:
    """Three nodes are reserved from 1,000 to 2,000 s: jobs of an hour by their limits end after that."""
    text = (
        f"ReservationName=maint StartTime={clock(1000)} EndTime={clock(2000)} Duration=00:16:40\n"
        "   Nodes=a[2-4] NodeCnt=3 Features=(null) Flags=MAINT,SPEC_NODES\n   Users=root State=INACTIVE\n\n"
        f"ReservationName=cores StartTime={clock(0)} EndTime={clock(9)} Nodes=(null)\n"
    )
    found = _starts(tmp_path, "aaaa", reservation=text)
    start = found.start - found.trace.submit[0]
    assert start[0] < 60
    assert start[1] >= 600  # on the node that is not reserved, behind the first
    assert sorted(start[2:] >= 1200) == [True, True]
    site = read_site_at(tmp_path / "site")
    assert [reservation.name for reservation in site.reservations] == ["maint"]
    assert any("reservation cores" in note for note in site.notes)
