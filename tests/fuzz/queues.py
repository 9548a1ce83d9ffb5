"""Damaged prints of the queue at one moment."""

import json
import random
from pathlib import Path

from engine.logs.queue.clusters import PrintTime, read_queues_at
from engine.logs.queue.state import HELD, RUNNING, WAITING, is_queue_print
from tests.engine.logs.queue import prints as queues
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of

_PRINTS = (json.dumps(queues.SQUEUE_JSON), queues.qstat_as_json(1_767_265_200), queues.QSTAT, queues.SQUEUE,
           queues.SCONTROL, queues.SACCT,
           f"CLUSTER: a\n{queues.SQUEUE}\nCLUSTER: b\n{queues.SQUEUE}")  # fmt: skip
_SAMPLES = tuple(text.encode() for text in _PRINTS)
_WORDS = ("null", "[]", "{}", "NaN", "Infinity", "UNLIMITED", "99999-99:99:99", "n[1-9999999]", "|", "=", "(")


def try_queue(chance: random.Random, folder: Path) -> str:
    """A damaged print; what is read of it are jobs that a forecast can begin with."""
    path = folder / "queue"
    path.write_bytes(mutate(chance, _SAMPLES, _WORDS))
    is_queue_print(path)
    return outcome_of(lambda: _look_at(path), str(path))


def _look_at(path: Path) -> None:
    for job in (job for state in read_queues_at(path, PrintTime(1)) for job in state.jobs):
        assert job.state in (RUNNING, WAITING, HELD)
        assert job.job_id
        assert min(job.cpus, job.nodes) >= 1
        assert min(job.elapsed, job.waited, job.ram, job.gpus) >= 0
        assert job.limit is None or job.limit >= 0
