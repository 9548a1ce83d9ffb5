"""The queue at one moment, as batch systems print it."""

import json
from typing import Any

from engine.logs.queue.clusters import PrintTime, read_queues
from engine.logs.queue.state import QueueState

SCONTROL = """\
JobId=7 JobName=a b UserId=ann(1001) Account=phys Priority=40 JobState=RUNNING Reason=None RunTime=01:00:00 \
TimeLimit=1-00:00:00 SubmitTime=2026-01-01T09:00:00 StartTime=2026-01-01T10:00:00 Partition=batch \
NodeList=n[1-2] NumNodes=2 NumCPUs=24 NtasksPerN:B:S:C=12:0:*:* \
TRES=cpu=24,mem=48G,node=2,gres/gpu=4 Features=(null)
JobId=8 JobName=x UserId=bob(1002) Account=chem Priority=20 JobState=PENDING Reason=Resources \
RunTime=00:00:00 \
TimeLimit=UNLIMITED SubmitTime=2026-01-01T10:30:00 StartTime=Unknown Partition=batch NodeList=(null) \
NumNodes=3 NumCPUs=30 NtasksPerN:B:S:C=0:0:*:* TRES=cpu=30,node=3 Features=big
JobId=9 UserId=bob(1002) JobState=PENDING Reason=JobHeldUser NumNodes=1 NumCPUs=1
JobId=10 UserId=bob(1002) JobState=COMPLETED Reason=None NumNodes=1 NumCPUs=1
"""

SQUEUE_JSON: dict[str, Any] = {
    "last_update": {"set": True, "number": 1600},
    "jobs": [
        {
            "job_id": 7,
            "job_state": ["PENDING"],
            "user_name": "ann",
            "partition": "batch",
            "state_reason": "Priority",
            "submit_time": {"set": True, "infinite": False, "number": 1000},
            "time_limit": {"set": True, "infinite": False, "number": 90},
            "cpus": {"set": True, "infinite": False, "number": 4},
            "node_count": {"set": True, "infinite": False, "number": 1},
            "priority": {"set": True, "infinite": False, "number": 12},
            "tres_req_str": "cpu=4,mem=2G,node=1",
        },
        "noise",
    ],
}

SQUEUE = """\
             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
                 7     batch    train      ann  R 1-02:03:04      2 n[1-2]
                 8     batch    train      ann PD       0:00      1 (Dependency)
"""

SACCT = "\n".join(
    (
        "JobID|User|Account|Partition|State|Submit|Start|Elapsed|Timelimit|ReqCPUS|ReqNodes|NodeList|ReqTRES|"
        "Priority|Reason|SubmitLine",
        "7|ann|phys|batch|RUNNING|2026-01-01T09:00:00|2026-01-01T10:00:00|01:00:00|1-00:00:00|24|2|n[1-2]|"
        "cpu=24,mem=48G,node=2|40|None|sbatch -N 2 x",
        "7.batch||phys||RUNNING|2026-01-01T10:00:00|2026-01-01T10:00:00|01:00:00||12|1|n1||||",
        "8|bob|chem|batch|PENDING|2026-01-01T10:30:00|Unknown|00:00:00|UNLIMITED|30|3|None assigned|"
        "cpu=30,node=3|20|Resources|sbatch -n 30",
        "9|bob|chem|batch|PENDING|2026-01-01T10:30:00|Unknown|00:00:00|01:00:00|1|1|None assigned|cpu=1|20|"
        "Dependency|",
        "10|bob|chem|batch|COMPLETED|2026-01-01T08:30:00|2026-01-01T09:30:00|00:10:00|01:00:00|1|1|n3|cpu=1|"
        "20|None|",
        "11|broken",
    )
)

QSTAT = """\
Job Id: 7.server
    Job_Name = a
    Job_Owner = ann@login
    resources_used.walltime = 01:00:00
    job_state = R
    queue = batch
    exec_host = n1/0*12+n2/0*1
\t2
    Resource_List.select = 2:ncpus=12:mem=24gb
    Resource_List.walltime = 24:00:00
    qtime = Thu Jan  1 09:00:00 2026
    project = phys

Job Id: 8.server
    Job_Owner = bob@login
    job_state = Q
    queue = batch
    Resource_List.ncpus = 4
    Resource_List.ngpus = 2
    Resource_List.walltime = 02:00:00
    qtime = Thu Jan  1 10:30:00 2026
    comment = Not Running: Insufficient amount of resource: ncpus

Job Id: 9.server
    Job_Owner = bob@login
    job_state = H
    queue = batch

Job Id: 10.server
    job_state = F
Job Id: 11.server
"""


def qstat_as_json(now: int) -> str:
    """The jobs of QSTAT as `qstat -f -F json` prints them."""
    jobs: dict[str, dict[str, object]] = {}
    for block in QSTAT.replace("\n\t", "").split("Job Id: ")[1:]:
        name, *lines = block.strip().split("\n")
        fields = jobs.setdefault(name, {})
        for line in lines:
            key, _, value = line.strip().partition(" = ")
            # `Resource_List.ncpus` is a value within `Resource_List`; all others stand by themselves.
            outer, dot, inner = key.partition(".")
            if dot:
                nested = fields.setdefault(outer, {})
                assert isinstance(nested, dict)
                nested[inner] = value
            else:
                fields[key] = value
    return json.dumps({"timestamp": now, "Jobs": jobs})


def one_queue(text: str, time: int | None = None) -> QueueState:
    """The only queue of a print, made at `time` where it does not say when."""
    (state,) = read_queues(text, None if time is None else PrintTime(time))
    return state
