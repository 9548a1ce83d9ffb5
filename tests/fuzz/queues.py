"""Damaged prints of the queue at one moment."""

from __future__ import annotations

import random
from pathlib import Path

from engine.trace.queue_state import HELD, RUNNING, WAITING, is_queue_print, read_queue_at
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of

_SAMPLES = (
    b"""{"last_update": {"set": true, "number": 1767265200}, "jobs": [
{"job_id": 7, "job_state": ["RUNNING"], "user_name": "ann", "account": "phys", "partition": "batch",
 "start_time": {"number": 1767261600, "set": true, "infinite": false}, "submit_time": 1767258000,
 "time_limit": {"number": 1440, "set": true}, "tres_req_str": "cpu=24,mem=48G,node=2", "nodes": "n[1-2]",
 "cpus": 24, "node_count": {"number": 2, "set": true}, "priority": {"number": 40, "set": true}},
{"job_id": 8, "job_state": "PENDING", "user_name": "bob", "state_reason": "Dependency", "time_limit": 60}]}
""",
    b"""{"timestamp": 1767265200, "pbs_version": "22", "Jobs": {"7.server": {"job_state": "R",
"Job_Owner": "ann@login", "queue": "batch", "exec_host": "n1/0*12+n2/0*1", "project": "phys",
"Resource_List": {"ncpus": 24, "nodect": 2, "select": "2:ncpus=12:mem=24gb", "walltime": "24:00:00"},
"resources_used": {"walltime": "01:00:00"}, "qtime": "Thu Jan  1 09:00:00 2026"}}}
""",
    b"""Job Id: 7.server
    Job_Owner = ann@login
    resources_used.walltime = 01:00:00
    job_state = R
    queue = batch
    exec_host = n1/0*12+n2/0*1
\t2
    Resource_List.select = 2:ncpus=12:mem=24gb
    Resource_List.walltime = 24:00:00
    qtime = Thu Jan  1 09:00:00 2026

Job Id: 8.server
    job_state = Q
    queue = batch
    Resource_List.ncpus = 4
    Resource_List.ngpus = 2
""",
    b"""JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)
7 batch run ann R 1:00:00 2 n[1-2]
8 batch run bob PD 0:00 3 (Resources)
""",
    b"""JobId=7 JobName=run UserId=ann(1) JobState=RUNNING RunTime=01:00:00 TimeLimit=1-00:00:00 \
SubmitTime=2026-01-01T09:00:00 StartTime=2026-01-01T10:00:00 NumNodes=2 NumCPUs=24 NodeList=n[1-2]
JobId=8 JobName=run UserId=bob(2) JobState=PENDING Reason=Resources TimeLimit=UNLIMITED NumNodes=3-3
""",
    b"""JobID|User|Partition|State|Submit|Start|Elapsed|Timelimit|ReqCPUS|ReqNodes|NodeList|ReqTRES
7|ann|batch|RUNNING|2026-01-01T09:00:00|2026-01-01T10:00:00|01:00:00|1-00:00:00|24|2|n[1-2]|cpu=24,mem=48G
8|bob|batch|PENDING|2026-01-01T10:30:00|Unknown|00:00:00|UNLIMITED|30|3|None assigned|cpu=30,node=3
""",
)
_WORDS = ("null", "[]", "{}", "NaN", "Infinity", "UNLIMITED", "99999-99:99:99", "n[1-9999999]", "|", "=", "(")


def try_queue(chance: random.Random, folder: Path) -> str:
    """A damaged print; what is read of it are jobs that a forecast can begin with."""
    path = folder / "queue"
    path.write_bytes(mutate(chance, _SAMPLES, _WORDS))
    is_queue_print(path)
    return outcome_of(lambda: _look_at(path), str(path))


def _look_at(path: Path) -> None:
    state = read_queue_at(path)
    for job in state.jobs:
        assert job.state in (RUNNING, WAITING, HELD)
        assert job.job_id
        assert min(job.cpus, job.nodes) >= 1
        assert min(job.elapsed, job.waited, job.ram, job.gpus) >= 0
        assert job.limit is None or job.limit >= 0
