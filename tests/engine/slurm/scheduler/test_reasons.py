"""Reasons of waits under a site's own Slurm: a site for each kind, computed by hand; and drawn ones."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.site_reasons import false_site_reasons
from engine.metrics.waits import waits_of
from engine.metrics.waits_words import waits_sentence
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from engine.schedule.site_reasons import HeldSpans, describe_site_reason
from engine.schedule.wait_pieces import wait_pieces
from engine.simulation.run import simulate
from engine.slurm.scheduler.loop import run_site
from engine.slurm.site.folder import read_site_at
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from tests.engine.slurm.scheduler.drawn_sites import drawn_site
from tests.engine.slurm.scheduler.random_site import random_run

CONF = """NodeName=a[1-4] CPUs=4 RealMemory=8000 {node}
{lines}
AccountingStorageEnforce=limits
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
PartitionName=batch Nodes=a[1-4] {keys}
PartitionName=short Nodes=a[1-4] PriorityTier=9
SchedulerParameters=bf_interval=60,bf_resolution=1{parameters}
"""
BASIC = "PriorityType=priority/basic"
DUMP = """Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
Account - 'astro':Fairshare=1{account}
Parent - 'astro'
User - 'ann':Fairshare=1
User - 'bob':Fairshare=1
"""


def _row(number: int, submit: int, cpus: int, runtime: int = 600, **fields: object) -> str:
    """A job of `ann` in account `astro`, with a time limit of its runtime."""
    usual = {
        "User": "ann", "Account": "astro", "Partition": "batch", "QOS": "normal",
        "Timelimit": f"00:{runtime // 60:02d}:00", "NNodes": -(-cpus // 4), "NodeList": "a[1-4]",
    }  # fmt: skip
    return job(
        **{
            "JobID": number, "Submit": clock(submit), "Eligible": clock(submit), "Start": clock(submit),
            "End": clock(submit + runtime), "NCPUS": cpus, "ReqCPUS": cpus, **usual, **fields,
        }
    )  # fmt: skip


def _schedule(
    folder: Path,
    rows: list[str],
    *,
    lines: str = BASIC,
    keys: str = "",
    parameters: str = "",
    header: str = HEADER,
    node: str = "",
    completion: int = 0,
    **files: str,
) -> Schedule:
    """The jobs under a site of four nodes of four CPUs, with its log; each further file by its name.

    Nodes are cleaned up for `completion` s after each job.
    """
    site = folder / "site"
    site.mkdir()
    (site / "slurm.conf").write_text(CONF.format(lines=lines, keys=keys, parameters=parameters, node=node))
    for name, text in files.items():
        (site / name).write_text(text)
    log = folder / "log"
    log.write_text("\n".join((header, *rows, "")))
    read = read_log_as(log, Reading(machine=str(site / "slurm.conf")))
    own = replace(read_site_at(site), completion=completion)
    return simulate(read.trace, read.cluster, site_policy(own), log=True)


def _told(schedule: Schedule, number: int) -> list[tuple[Decision | None, str]]:
    """The reasons of a job, by its number in the log, in order of first appearance."""
    explanation = explain(schedule, number - 1)
    intervals = explanation.intervals
    # They tile the wait.
    assert [each.end for each in intervals] == [
        *(each.begin for each in intervals[1:]),
        *[int(schedule.start[number - 1])][: len(intervals)],
    ]
    assert not intervals or intervals[0].begin == explanation.submit
    return [(cause.kind, cause.text) for cause in explanation.summary if cause.kind is not None]


def test_the_first_job_lacks_processors_and_the_next_is_behind_it(tmp_path: Path) -> None:
    rows = [_row(1, 0, 12), _row(2, 5, 16), _row(3, 6, 8)]
    schedule = _schedule(tmp_path, rows)
    (kind, text), *_ = _told(schedule, 2)
    assert (kind, text) == (Decision.CPUS, "short of processors (12 of its 16 missing at first)")
    assert _told(schedule, 3)[0] == (Decision.PRIORITY, "behind job 2 of ann, which goes first")


def test_a_job_that_has_room_is_kept_back_by_the_plan_of_the_first(tmp_path: Path) -> None:
    """Job 3 fits on the node beside job 1 but would still run when job 2 is to start."""
    schedule = _schedule(tmp_path, [_row(1, 0, 12), _row(2, 5, 16), _row(3, 6, 4, 1200)])
    assert (Decision.RESERVATION, "kept free for job 2 of ann") in _told(schedule, 3)


def test_priorities_of_both_are_told_by_their_factors(tmp_path: Path) -> None:
    lines = "PriorityWeightQOS=1000\nPriorityWeightJobSize=400"
    rows = [_row(1, 0, 12), _row(2, 5, 16, 60), _row(3, 6, 16, 60, QOS="high"), _row(4, 7, 8)]
    schedule = _schedule(tmp_path, rows, lines=lines, **{"qos.txt": "Name|Priority\nnormal|0\nhigh|9\n"})
    assert _told(schedule, 4)[0] == (
        Decision.PRIORITY,
        "behind job 3 of ann by priority (1\u202f400 against 150: job size 400 against 150, "
        "QOS 1\u202f000 against 0), and 1 other job",
    )


def test_the_job_that_one_is_behind_changes_as_it_starts(tmp_path: Path) -> None:
    rows = [_row(1, 0, 16), _row(2, 5, 16), _row(3, 6, 16), _row(4, 7, 16)]
    schedule = _schedule(tmp_path, rows)
    assert _told(schedule, 4)[0] == (
        Decision.PRIORITY,
        "behind job 3 of ann, which goes first, and 1 other job",
    )
    heads = schedule.log.heads(0)
    assert heads.job.tolist() == [1, 2, 3]
    assert heads.time.tolist()[1:] == schedule.start[1:3].tolist()


@pytest.mark.parametrize(
    ("line", "memory", "text"),
    [
        ("sbatch a", "7000M", "short of RAM (1000 MiB missing at first)"),
        ("sbatch --exclusive -N 3 a", "10M", "short of nodes with enough free on each (3 missing)"),
    ],
)
def test_what_is_short_is_named(tmp_path: Path, line: str, memory: str, text: str) -> None:
    """Jobs 1 to 4 hold a CPU and 6,500 MB of each node for 600 s: 1,500 MB are left on each."""
    rows = [_row(k, 0, 1, ReqMem="6500M") + "|sbatch a" for k in range(1, 5)]
    rows.append(_row(5, 5, 1 if memory != "10M" else 12, ReqMem=memory) + f"|{line}")
    schedule = _schedule(tmp_path, rows, header=f"{HEADER}|SubmitLine")
    assert _told(schedule, 5)[0][1] == text


def test_a_further_resource_that_is_short_is_named(tmp_path: Path) -> None:
    """Four jobs hold both GPUs of each node."""
    tres = {"ReqTRES": "cpu=1,gres/gpu=2", "AllocTRES": "cpu=1,gres/gpu=2"}
    rows = [_row(k, 0 if k < 5 else 5, 1, **tres) for k in range(1, 6)]
    schedule = _schedule(tmp_path, rows, lines=f"{BASIC}\nGresTypes=gpu", node="Gres=gpu:2")
    assert _told(schedule, 5) == [(Decision.RESOURCE, "short of GPUs (2 of its 2 missing at first)")]


def test_room_that_is_scattered_is_told_as_such(tmp_path: Path) -> None:
    """Three processors are free on each node, and the job asks for four of a single node."""
    rows = [_row(k, 0, 1, ReqMem="6500M") + "|sbatch a" for k in range(1, 5)]
    rows.append(_row(5, 5, 4, ReqMem="10M") + "|sbatch -N 1 -n 4 a")
    schedule = _schedule(tmp_path, rows, header=f"{HEADER}|SubmitLine")
    assert [kind for kind, _ in _told(schedule, 5)] == [Decision.FRAGMENTED]


def test_nodes_that_are_cleaned_up_are_told(tmp_path: Path) -> None:
    """For half a minute after the end of job 1 its nodes are not clean."""
    schedule = _schedule(tmp_path, [_row(1, 0, 16), _row(2, 5, 16)], completion=30)
    assert (Decision.CLEANING, "while nodes were still cleaned up after other jobs") in _told(schedule, 2)
    assert schedule.start[1] >= schedule.end[0] + 30


def test_a_hold_and_a_dependency_are_told(tmp_path: Path) -> None:
    """Job 2 was held until 300 s, and job 3 follows job 1, which ends at 600 s."""
    header = f"{HEADER}|Reason|SubmitLine"
    rows = [
        _row(1, 0, 4) + "|None|sbatch a",
        _row(2, 5, 4, Eligible=clock(300), Start=clock(300), End=clock(900)) + "|JobHeldUser|sbatch a",
        _row(3, 6, 4, Eligible=clock(601), Start=clock(601), End=clock(1201))
        + "|Dependency|sbatch --dependency=afterok:1 a",
    ]
    schedule = _schedule(tmp_path, rows, header=header)
    (kind, text), *_ = _told(schedule, 2)
    assert kind is Decision.HELD
    assert text.startswith("held by its user or an admin, until 2020-01-01 12:05:00")
    assert _told(schedule, 3)[0] == (Decision.DEPENDENCY, "until job 1 of ann ended, on which it depends")


def test_limits_are_told_with_owner_and_use(tmp_path: Path) -> None:
    dump = DUMP.format(account=":GrpTRES=cpu=8")
    schedule = _schedule(tmp_path, [_row(1, 0, 8), _row(2, 5, 4), _row(3, 6, 4)], dump=dump)
    assert _told(schedule, 2) == [(Decision.SITE_LIMIT, "held by a limit: account astro uses 8 of 8 CPUs")]


def test_limits_of_jobs_are_told(tmp_path: Path) -> None:
    files = {"qos.txt": "Name|Priority|MaxJobsPU\nnormal|0|1\n"}
    schedule = _schedule(tmp_path, [_row(1, 0, 4), _row(2, 5, 4)], dump=DUMP.format(account=""), **files)
    assert _told(schedule, 2) == [
        (Decision.SITE_LIMIT, "held by a limit: user ann in QOS normal runs 1 of 1 job")
    ]


def test_a_reservation_in_the_way_is_named(tmp_path: Path) -> None:
    reservation = (
        f"ReservationName=course StartTime={clock(300)} EndTime={clock(3000)} Duration=00:45:00\n"
        "   Nodes=a[1-4] NodeCnt=4 CoreCnt=16 Users=ann State=INACTIVE\n"
    )
    rows = [_row(1, 0, 4), _row(2, 5, 4) + "|course"]
    rows[0] += "|"
    files = {"reservation.txt": reservation}
    schedule = _schedule(tmp_path, rows, header=f"{HEADER}|Reservation", **files)
    assert _told(schedule, 1) == [(Decision.CLOSED, "because nodes were kept for the reservation course")]
    assert _told(schedule, 2) == [(Decision.OUTSIDE, "for the time of its reservation course")]


def test_reservations_in_the_way_together_are_listed(tmp_path: Path) -> None:
    schedule = replace(_schedule(tmp_path, [_row(1, 0, 4)]), closed_by=("course", "tutorial", "course", ""))
    text = describe_site_reason(schedule, 0, Decision.CLOSED, HeldSpans(dict.fromkeys(range(4), 5), {}))
    assert text == "because nodes were kept for the reservations course and tutorial and nodes were away"
    text = describe_site_reason(schedule, 0, Decision.OUTSIDE, HeldSpans({0: 5, 1: 5}, {}))
    assert text == "for the time of its reservations course and tutorial"


def test_jobs_that_no_pass_reaches_are_told_so(tmp_path: Path) -> None:
    rows = [_row(1, 0, 12), *(_row(k, 5, 16) for k in range(2, 6)), _row(6, 6, 4, 60)]
    schedule = _schedule(tmp_path, rows, parameters=",bf_max_job_test=2")
    kinds = _told(schedule, 6)
    assert (
        Decision.UNTRIED,
        "not reached: as many jobs went first as the backfiller tries (bf_max_job_test)",
    ) in kinds


WIDE = [(12, 600), (16, 600), (4, 1200)]
"""Processors and runtimes: of three nodes for the first job, all for the second, one for the last."""


@pytest.mark.parametrize(
    ("parameters", "jobs", "text"),
    [
        (",bf_max_job_user=1", WIDE, "the backfiller tries of a user (bf_max_job_user)"),
        (",bf_max_job_part=1", WIDE, "the backfiller tries of a partition (bf_max_job_part)"),
        (
            ",bf_max_job_user_part=1",
            WIDE,
            "the backfiller tries of a user in a partition (bf_max_job_user_part)",
        ),
        (
            ",default_queue_depth=0",
            [(4, 600), (4, 600), (4, 600)],
            "a short pass of the main scheduler tries (default_queue_depth)",
        ),
        (
            ",partition_job_depth=1",
            [(4, 600), (4, 600), (4, 600)],
            "a pass of the main scheduler tries of a partition (partition_job_depth)",
        ),
        (
            ",bf_max_job_start=1",
            [(12, 600), (16, 600), (1, 60), (1, 60)],
            "the backfiller starts in a cycle (bf_max_job_start)",
        ),
        (
            ",sched_max_job_start=1",
            [(4, 600), (4, 600), (4, 600)],
            "a pass of the main scheduler starts (sched_max_job_start)",
        ),
    ],
)
def test_the_limit_that_keeps_a_job_from_being_reached_is_named(
    parameters: str, jobs: list[tuple[int, int]], text: str, tmp_path: Path
) -> None:
    """The last of the jobs is not reached."""
    rows = [_row(k, 5 * (k > 1), *each) for k, each in enumerate(jobs, 1)]
    schedule = _schedule(tmp_path, rows, parameters=f",defer{parameters}")
    told = f"not reached: as many jobs went first as {text}"
    assert (Decision.UNTRIED, told) in _told(schedule, len(jobs))


@pytest.mark.parametrize(
    ("option", "account", "reached"),
    [
        ("bf_max_job_assoc=1", "astro", False),
        ("bf_max_job_assoc=1", "bio", True),
        ("bf_max_job_user=1", "bio", False),
        ("bf_max_job_assoc=2,bf_max_job_user=1", "bio", True),  # slurmctld drops the limit per user then
    ],
)
def test_jobs_are_counted_by_association_or_by_user(
    option: str, account: str, reached: bool, tmp_path: Path
) -> None:
    """Job 2 waits for all nodes, and job 3 has room beside it, but would run for too long."""
    rows = [_row(1, 0, 12), _row(2, 5, 16), _row(3, 5, 4, 1200, Account=account)]
    dump = DUMP.format(account="").replace(
        "Parent - 'astro'", "Account - 'bio':Fairshare=1\nParent - 'astro'"
    )
    dump += "Parent - 'bio'\nUser - 'ann':Fairshare=1\n"
    schedule = _schedule(tmp_path, rows, parameters=f",defer,{option}", dump=dump)
    told = "of an association (bf_max_job_assoc)" if "assoc=1" in option else "of a user (bf_max_job_user)"
    untried = Decision.UNTRIED, f"not reached: as many jobs went first as the backfiller tries {told}"
    assert (untried in _told(schedule, 3)) == (not reached)
    assert ((Decision.RESERVATION, "kept free for job 2 of ann") in _told(schedule, 3)) == reached


def test_without_associations_no_job_counts_towards_a_limit_per_association(tmp_path: Path) -> None:
    rows = [_row(k, 5 * (k > 1), *each) for k, each in enumerate(WIDE, 1)]
    schedule = _schedule(tmp_path, rows, parameters=",defer,bf_max_job_assoc=1")
    assert (Decision.RESERVATION, "kept free for job 2 of ann") in _told(schedule, 3)


def test_the_depth_of_a_partition_counts_its_own_jobs(tmp_path: Path) -> None:
    """Of two partitions each has one job tried in a pass: jobs 2 and 4 of three with room."""
    rows = [_row(1, 0, 4), _row(2, 5, 4), _row(3, 5, 4), _row(4, 5, 4, Partition="short")]
    schedule = _schedule(tmp_path, rows, parameters=",defer,bf_interval=-1,partition_job_depth=1")
    assert schedule.start[3] == schedule.start[1] < schedule.start[2]


def test_passes_keep_the_least_interval_between_them(tmp_path: Path) -> None:
    """Job 2 has room at once, and nothing but a pass of the main scheduler starts it."""
    starts = {}
    for seconds in (0, 20):
        folder = tmp_path / str(seconds)
        folder.mkdir()
        parameters = f",bf_interval=-1,sched_min_interval={seconds}000000"
        starts[seconds] = _schedule(folder, [_row(1, 0, 4), _row(2, 5, 4)], parameters=parameters).start
    assert starts[0][0] == starts[20][0]
    assert starts[0][1] - starts[0][0] < 10
    assert 20 <= starts[20][1] - starts[20][0] <= 21


def test_a_job_without_a_plan_inside_the_window_is_told_so(tmp_path: Path) -> None:
    """Jobs 2 and 3 would start at 600 s or later, and plans begin in the next five minutes alone: a long job
    starts before them.
    """
    rows = [_row(1, 0, 12), _row(2, 5, 16), _row(3, 6, 16), _row(4, 7, 4, 1200)]
    schedule = _schedule(tmp_path, rows, parameters=",bf_window=5")
    told = "not reached: it would start later than plans may begin (bf_window)"
    assert (Decision.UNTRIED, told) in _told(schedule, 3)


def test_a_begin_time_is_told(tmp_path: Path) -> None:
    rows = [_row(1, 0, 4), _row(2, 5, 4, Eligible=clock(300), Start=clock(300), End=clock(900))]
    schedule = _schedule(tmp_path, rows)
    assert [kind for kind, _ in _told(schedule, 2)] == [Decision.BEGIN]


def test_a_lower_partition_waits_for_the_head_of_a_higher_one(tmp_path: Path) -> None:
    rows = [_row(1, 0, 12), _row(2, 5, 16, Partition="short"), _row(3, 6, 4, 1200)]
    schedule = _schedule(tmp_path, rows)
    assert _told(schedule, 3)[0][0] in (Decision.PRIORITY, Decision.RESERVATION)
    assert "job 2 of ann" in _told(schedule, 3)[0][1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1 << 30))
def test_a_log_changes_no_start(seed: int) -> None:
    plain, logged = (random_run(seed, log=each) for each in (False, True))
    if plain is not None and logged is not None:
        for run in (plain, logged):
            run_site(run, np.zeros(2, np.int64))
        assert (plain.state.start == logged.state.start).all()
        assert (plain.state.by == logged.state.by).all()
        assert not len(plain.notes.log.rows[0])


@pytest.mark.parametrize("begin", [0, 5000])
def test_drawn_sites_start_alike_with_a_log_whose_reasons_tile_the_waits(begin: int, tmp_path: Path) -> None:
    for seed in range(begin, begin + 8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        log = drawn_site(seed).write(folder)
        read = read_log_as(log, Reading(machine=str(folder / "site" / "slurm.conf")))
        policy = site_policy(read_site_at(folder / "site"))
        plain, logged = (simulate(read.trace, read.cluster, policy, log=each) for each in (False, True))
        assert (plain.start == logged.start).all()
        assert (plain.end == logged.end).all()
        pieces = wait_pieces(logged)
        waits = np.bincount(pieces.job, pieces.seconds, len(read.trace)).astype(np.int64)
        assert (waits == np.where(logged.ran, logged.start - logged.submit, 0)).all()
        # Whom a job is behind waits, too, when that is told.
        for row in np.flatnonzero(logged.log.kind == Decision.PRIORITY).tolist():
            other = int(logged.log.value[row])
            assert logged.start[other] >= logged.log.time[row] or not logged.ran[other]


def test_a_task_of_an_array_waits_for_the_time_that_the_log_gives(tmp_path: Path) -> None:
    """Which tasks run by then is another matter in the simulated schedule."""
    header, line = f"{HEADER}|SubmitLine", "|sbatch -n 4 --array=1-2%1 a"
    rows = [_row(1, 0, 4) + "|sbatch -n 4 a"]
    for k, turn in ((1, 95), (2, 695)):
        times = {"Eligible": clock(turn), "Start": clock(turn), "End": clock(turn + 600)}
        rows.append(_row(2, 5, 4, JobID=f"2_{k}", **times) + line)
    schedule = _schedule(tmp_path, rows, header=header)
    (kind, text), *_ = _told(schedule, 3)
    assert kind is Decision.BEGIN
    assert text.endswith(": a begin time, a hold or the limit of its array")


def test_a_task_of_an_array_waits_for_its_turn_while_as_many_of_its_tasks_run_as_may(tmp_path: Path) -> None:
    """The log lets the second task start long after the first one ends in the simulation."""
    header, line = f"{HEADER}|SubmitLine", "|sbatch -n 4 --array=1-3%1 a"
    rows = []
    for k, turn in ((1, 0), (2, 900), (3, 1500)):
        times = {"Eligible": clock(turn), "Start": clock(turn), "End": clock(turn + 600)}
        rows.append(_row(2, 0, 4, JobID=f"2_{k}", **times) + line)
    schedule = _schedule(tmp_path, rows, header=header)
    first, end, second = int(schedule.start[0]), int(schedule.end[0]), int(schedule.start[1])
    told = [[(each.begin, each.kind) for each in explain(schedule, job).intervals] for job in (1, 2)]
    before_turn = [(first, Decision.SITE_LIMIT), (end, Decision.BEGIN)]
    assert told[0][:2] == before_turn
    assert told[1][:3] == [*before_turn, (second, Decision.SITE_LIMIT)]
    assert "array 2 runs 1 of 1 job" in explain(schedule, 2).summary[0].text
    model = schedule.policy.site
    assert model is not None
    assert not false_site_reasons(schedule, model)


def test_the_limit_that_makes_up_most_waiting_at_limits_is_named(tmp_path: Path) -> None:
    """Job 3 waits for its account's CPUs until job 1 ends, and the second task of the array for the first."""
    header, array = f"{HEADER}|SubmitLine", "|sbatch -n 1 --array=1-2%1 a"
    rows = [
        _row(1, 0, 4) + "|sbatch -n 4 a",
        *(_row(2, 0, 1, 60, JobID=f"2_{k}") + array for k in (1, 2)),
        _row(3, 5, 4) + "|sbatch -n 4 a",
    ]
    dump = DUMP.format(account=":GrpTRES='cpu=6'")
    schedule = _schedule(tmp_path, rows, header=header, dump=dump)
    waits = (schedule.start - schedule.submit).tolist()
    assert min(waits[2:]) > 0
    sentence = waits_sentence(schedule, waits_of(schedule, ("account",)))
    share = f"{100 * waits[3] / sum(waits):.0f} %"
    assert sentence.endswith(f"; {share} of this is at the limit of 6 CPUs of account astro.")
