"""The queue at one moment, in each of its prints."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.queue.state import HELD, RUNNING, WAITING, is_queue_print
from tests.engine.logs.queue.prints import (
    QSTAT,
    SACCT,
    SCONTROL,
    SQUEUE,
    SQUEUE_JSON,
    one_queue,
    qstat_as_json,
)


def test_scontrol_show_job() -> None:
    state = one_queue(SCONTROL)
    first, second, third = state.jobs
    assert (first.state, second.state, third.state) == (RUNNING, WAITING, HELD)
    assert (first.elapsed, first.limit, first.cpus, first.nodes) == (3600, 86_400, 24, 2)
    assert (first.ram, first.gpus, first.node_list, first.spread) == (24 * 1024, 2, "n[1-2]", False)
    assert (second.waited, second.limit, second.spread, second.features) == (1800, None, True, "big")
    assert (second.user, second.account, second.priority, second.node_list) == ("bob", "chem", 20.0, "")
    assert state.time == 1_767_265_200  # 11:00, by the clock of its dates
    assert state.notes == ()


def test_squeue_as_json() -> None:
    row, noise = SQUEUE_JSON["jobs"]
    endless = {**row, "job_id": 8, "time_limit": {"set": True, "infinite": True, "number": 0}}
    document = {**SQUEUE_JSON, "jobs": [row, endless, noise]}
    state = one_queue(json.dumps(document))
    assert [(job.job_id, job.limit, job.waited, job.ram) for job in state.jobs] == [
        ("7", 5400, 600, 2048),
        ("8", None, 600, 2048),
    ]
    assert state.time == 1600
    for odd in (-1, float("inf"), float("nan"), True, 4_294_967_294, 4_294_967_295):
        odd_row = {**row, "time_limit": odd, "submit_time": odd, "cpus": odd}
        (job,) = one_queue(json.dumps({**SQUEUE_JSON, "jobs": [odd_row]})).jobs
        assert (job.limit, job.waited) == (None, 0)
    assert state.notes == ("1 of 3 jobs could not be read",)


def test_squeue_as_a_table_and_with_marks() -> None:
    state = one_queue(SQUEUE)
    assert [(job.state, job.elapsed, job.cpus, job.reason) for job in state.jobs] == [
        (RUNNING, 93_784, 2, ""),
        (HELD, 0, 1, "Dependency"),
    ]
    assert "no CPUs" in state.notes[0]
    marked = "JOBID|PARTITION|USER|STATE|TIME|TIME_LIMIT|CPUS|NODES|REASON|PRIORITY\n"
    state = one_queue(marked + "7|batch|ann|PENDING|0:00|30:00|8|1|Priority|0.5\nbroken|line\n")
    assert [(job.limit, job.cpus, job.priority) for job in state.jobs] == [(1800, 8, 0.5)]
    assert state.notes == ("1 of 2 jobs could not be read",)


LONG = """\
Fri Nov 27 12:01:28 2026
             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)
                21     batch a (b) c       u1  PENDING       0:00      5:00      1 (Priority)
                22     batch    wrap       u1  PENDING       0:00      5:00      1 (Nodes required are DOWN)
                 8     batch    wrap       u2  RUNNING       1:00      5:00      1 c001
"""
WIDE = """\
JOBID     ARRAY_JOB_ID  ARRAY_TASK_ID PARTITION STATE     SUBMIT_TIME          TIME_LIMITMIN_MEMORYREASON NAME
21        21            N/A           batch     PENDING   2026-11-27T12:01:20  5:00      500M      None   a  b
30        30            3-4           batch     PENDING   2026-11-27T12:01:20  5:00      500M      Resour say
"""
ALL = """\
JOBID|NAME|TIME_LIMIT|PRIORITY|JOBID|CPUS|NODES|PRIORITY|ARRAY_TASK_ID|ARRAY_JOB_ID|NODELIST(REASON)|ST|PARTITION
5_[3]|a|b|5:00|0.0002|5|4|1|10438|3|5|(Priority)|PD|batch
6+1|c|5:00|0.0002|7|4|1|10425|N/A|6|(Priority)|PD|batch
"""


def test_squeue_prints_wider_tables_with_any_names_of_jobs() -> None:
    state = one_queue(LONG)
    assert [(job.job_id, job.user, job.limit, job.reason) for job in state.jobs] == [
        ("21", "u1", 300, "Priority"),
        ("22", "u1", 300, "Nodes required are DOWN"),
        ("8", "u2", 300, ""),
    ]
    assert state.time == state.clock == round(datetime(2026, 11, 27, 12, 1, 28, tzinfo=UTC).timestamp())
    assert [(job.job_id, job.limit, job.reason) for job in one_queue(WIDE, 0).jobs] == [
        ("21", 300, "None"),
        ("30_3", 300, "Resour"),
        ("30_4", 300, "Resour"),
    ]
    assert [(job.job_id, job.priority, job.cpus) for job in one_queue(ALL).jobs] == [
        ("5_3", 10438.0, 4),
        ("6+1", 10425.0, 4),
    ]


def test_two_blanks_between_columns_are_no_widths() -> None:
    text = "JOBID  PARTITION  STATE  TIME_LIMIT\n123456789  b  PENDING  5:00\n7  batch  PENDING  6:00\n"
    assert [(job.job_id, job.limit) for job in one_queue(text).jobs] == [
        ("123456789", 300),
        ("7", 360),
    ]


@pytest.mark.parametrize("text", [SQUEUE, LONG, SCONTROL, QSTAT, json.dumps(SQUEUE_JSON)])
def test_a_greeting_of_a_shell_is_passed_over(text: str) -> None:
    state, greeted = one_queue(text, 9), one_queue(f"Welcome!\n\n--- \n{text}", 9)
    assert greeted.jobs == state.jobs
    assert (greeted.time, greeted.clock) == (state.time, state.clock)
    assert greeted.notes == (*state.notes, "3 lines beside the queue passed over")


def test_what_is_behind_a_document_is_passed_over() -> None:
    state = one_queue(f"{json.dumps(SQUEUE_JSON)}\nlogout\n")
    assert state.jobs == one_queue(json.dumps(SQUEUE_JSON)).jobs
    assert state.notes[-1] == "1 line beside the queue passed over"


@pytest.mark.parametrize("text", ["", "hello", "{", "{}", '{"jobs": 3}'])
def test_what_is_no_queue_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        one_queue(text)


@given(st.text(), st.sampled_from(["JobId=", "JOBID PARTITION\n", "JOBID|PARTITION|ST\n", '{"jobs": [']))
def test_noise_is_refused_or_counted(text: str, begin: str) -> None:
    state = None
    with suppress(InputError):
        state = one_queue(begin + text)
    assert state is None or all(job.nodes >= 1 and job.cpus >= 1 for job in state.jobs)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n", True),
        ("JOBID|PARTITION|STATE|TIME\n1|batch|RUNNING|1:00\n", True),
        (LONG, True),
        ("JobId=7 JobName=x UserId=ann(1) JobState=PENDING\n", True),
        ('{"meta": {}, "jobs": [{"job_state": ["RUNNING"]}]}', True),
        ("JobID|JobName|Partition|State|Start|End\n", False),  # a log of sacct
        ("JOBID|PARTITION|STATE|START|END\n", False),
        ("JobId=7 UserId=ann(1) GroupId=x(1) Name=a JobState=COMPLETED Partition=b\n", False),  # of jobcomp
        ('{"jobs": [{"state": {"current": "COMPLETED"}}]}', False),
        ("; Version: 2.2\n", False),
        ("", False),
    ],
)
def test_a_print_is_known_by_its_first_bytes(tmp_path: Path, text: str, known: bool) -> None:
    path = tmp_path / "queue"
    path.write_text(text)
    assert is_queue_print(path) == known
    assert not is_queue_print(tmp_path / "none")
    assert not is_queue_print(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_no_print_and_nothing_waits_for_its_writer(tmp_path: Path) -> None:
    """A window that looked into one stood still for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert not is_queue_print(tmp_path / "pipe")


def test_sacct_tells_what_waits_and_runs_beside_what_ended() -> None:
    head = (
        "JobID|User|Account|Partition|State|Submit|Start|Elapsed|Timelimit|ReqCPUS|NNodes|NodeList|Reason|"
        "Priority"
    )
    state = one_queue(
        f"{head}\n"
        "7|ann|phys|batch|RUNNING|2026-01-01T09:00:00|2026-01-01T10:00:00|01:00:00|1-00:00:00|24|2|n[1-2]|None|40\n"
        "7.batch|ann|phys||RUNNING|2026-01-01T10:00:00|2026-01-01T10:00:00|01:00:00||12|1|n1||\n"
        "6|ann|phys|batch|COMPLETED|2026-01-01T09:00:00|2026-01-01T09:00:01|00:10:00|01:00:00|1|1|n1|None|40\n"
        "8|bob|chem|batch|PENDING|2026-01-01T10:30:00|Unknown|00:00:00|02:00:00|12|1|None assigned|"
        "Resources|20\n"
    )
    first, second = state.jobs
    assert state.time == _unix("2026-01-01T11:00:00")
    assert (first.job_id, first.state, first.elapsed, first.waited) == ("7", RUNNING, 3600, 7200)
    assert (first.cpus, first.nodes, first.node_list, first.limit) == (24, 2, "n[1-2]", 86_400)
    assert (second.job_id, second.state, second.waited, second.reason) == ("8", WAITING, 1800, "Resources")
    assert (second.cpus, second.node_list, second.priority) == (12, "", 20.0)


def _unix(date: str) -> int:
    return round(datetime.fromisoformat(f"{date}+00:00").timestamp())


def test_sacct_with_jobs_that_wait_and_run() -> None:
    state = one_queue(SACCT, 5)
    first, second, third = state.jobs
    assert (first.state, second.state, third.state) == (RUNNING, WAITING, HELD)
    assert (first.elapsed, first.limit, first.cpus, first.nodes) == (3600, 86_400, 24, 2)
    assert (first.ram, first.node_list, first.spread, second.spread) == (24 * 1024, "n[1-2]", False, True)
    assert (second.waited, second.limit, second.node_list, second.priority) == (1800, None, "", 20.0)
    assert state.time == 1_767_265_200
    assert state.notes == ("1 of 5 jobs could not be read",)


def test_qstat_and_its_json_say_the_same() -> None:
    now = 1_767_265_200
    state = one_queue(QSTAT, now)
    first, second, third = state.jobs
    assert (first.state, second.state, third.state) == (RUNNING, WAITING, HELD)
    assert (first.user, first.account, first.partition) == ("ann", "phys", "batch")
    assert (first.elapsed, first.limit, first.cpus, first.nodes) == (3600, 86_400, 24, 2)
    assert (first.ram, first.node_list, first.spread) == (24 * 1024, "n1,n2", False)
    assert (second.waited, second.limit, second.cpus, second.gpus, second.job_id) == (1800, 7200, 4, 2, "8")
    assert second.reason == "Not Running: Insufficient amount of resource: ncpus"
    assert state.notes == ("1 of 5 jobs could not be read",)
    assert one_queue(qstat_as_json(now)) == replace(state, dated=True)


def test_a_time_of_printing_that_is_none_is_not_read() -> None:
    for odd in (-1, float("inf"), float("nan"), True, 1 << 60):
        assert one_queue(json.dumps({"timestamp": odd, "Jobs": {}}), 7).time == 7


_TABLE = "JOBID PARTITION USER ST TIME TIME_LIMIT CPUS NODES NODELIST(REASON)\n"


def test_counts_have_units_of_1024() -> None:
    (job,) = one_queue(f"{_TABLE}7 batch ann PD 0:00 1:00:00 8K 2K (Priority)\n").jobs
    assert (job.cpus, job.nodes) == (8192, 2048)


def test_prints_tell_ranges_of_nodes_from_tasks_alone() -> None:
    line = "JobId=7 JobState=PENDING Partition=batch NumNodes={} NumCPUs=8 NtasksPerN:B:S:C=0:0:*:*"
    asked = [one_queue(f"{line.format(text)} JobName=x").jobs[0] for text in ("2-4", "2-2", "2")]
    assert [(job.nodes, job.most_nodes, job.spread) for job in asked] == [
        (2, 4, False),
        (2, 2, False),
        (2, 0, True),
    ]
