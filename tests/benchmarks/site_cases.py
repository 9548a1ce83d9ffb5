"""Fixed queues and logs of a site that speed is measured on: 1,000 nodes of 64 CPUs."""

from pathlib import Path

import numpy as np

from engine.logs.queue.state import RUNNING, WAITING, QueuedJob

NODES, CPUS = 1_000, 64
_WIDTHS = [*[1] * 15, 2, 4, 8, 16, 64]
_HOURS = np.array([1, 1, 2, 4, 8, 12, 24, 48])

CONF = f"""NodeName=n[1-{NODES}] CPUs={CPUS} RealMemory=256000
PartitionName=batch Nodes=n[1-{NODES}] Default=YES
PartitionName=short Nodes=n[1-{NODES}] PriorityTier=2
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=30,bf_max_job_test=500,bf_continue,bf_window=2880
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightFairshare=100000
PriorityWeightAge=1000
PriorityWeightJobSize=100
"""


def busy_queue(waiting: int, seed: int = 1) -> list[QueuedJob]:
    """A machine that is full, and so many jobs that wait: one in four wants several whole nodes."""
    random = np.random.default_rng(seed)
    jobs, node = [], 0
    # First the machine is filled with running jobs, node by node.
    while node < NODES:
        wide = min(int(random.choice(_WIDTHS)), NODES - node)
        limit = int(random.choice(_HOURS)) * 3600
        names = f"n[{node + 1}-{node + wide}]"
        ran = int(random.integers(0, limit))
        cpus = CPUS if wide > 1 else int(random.choice([16, 32, 64]))
        jobs.append(_job(len(jobs), RUNNING, wide, cpus, limit, ran, names, None))
        node += wide
    # Then so many wait; a wide job takes whole nodes.
    for _ in range(waiting):
        wide = int(random.choice(_WIDTHS))
        cpus = CPUS if wide > 1 else int(random.choice([1, 4, 8, 16, 32, 64]))
        limit = int(random.choice(_HOURS)) * 3600
        jobs.append(_job(len(jobs), WAITING, wide, cpus, limit, 0, "", float(random.integers(1, 10**6))))
    return jobs


def _job(
    number: int, state: str, nodes: int, cpus: int, limit: int, ran: int, names: str, priority: float | None
) -> QueuedJob:
    return QueuedJob(
        str(number), f"u{number % 60}", f"a{number % 7}", "batch", state, "Priority", ran, 0, limit,
        nodes * cpus, nodes, 0, 0, False, names, "", priority,
    )  # fmt: skip


def write_month(
    path: Path, jobs: int = 100_000, days: float = 30.0, load: float = 0.9, seed: int = 1
) -> None:
    """A log (SWF) of so many jobs that ask for a share `load` of this machine, by day for more."""
    random = np.random.default_rng(seed)
    wide = random.choice([1, 1, 1, 1, 1, 2, 4, 8, 16], jobs)
    cpus = np.where(wide > 1, wide * CPUS, random.choice([1, 2, 4, 8, 16, 32, 64], jobs))
    hour = random.random(jobs) * days * 24
    hour = np.where(random.random(jobs) < 0.5, hour // 24 * 24 + 8 + hour % 10, hour)  # by day, more
    submit = np.sort((hour * 3600).astype(np.int64))
    limit = random.choice(_HOURS, jobs) * 3600
    part = random.beta(0.7, 1.5, jobs)
    drawn = (cpus * part * limit).sum() / (NODES * CPUS * days * 86_400)
    runtime = np.maximum((part * limit * load / drawn).astype(np.int64), 10)
    limit = np.maximum(limit, -(-runtime // 3600) * 3600)
    user, queue = random.zipf(1.5, jobs) % 200 + 1, np.where(limit <= 7200, 2, 1)
    lines = [f"; MaxNodes: {NODES}", f"; MaxProcs: {NODES * CPUS}", "; Queue: 1 batch", "; Queue: 2 short"]
    lines += [
        f"{k + 1} {submit[k]} -1 {runtime[k]} {cpus[k]} -1 -1 {cpus[k]} {limit[k]} -1 1 "
        f"{user[k]} {user[k] % 11 + 1} -1 {queue[k]} -1 -1 -1"
        for k in range(jobs)
    ]
    path.write_text("\n".join(lines) + "\n")
