"""How often reasons of the model are those of a real Slurm.

`python -m tests.engine.now.reason_agreement DIR`, where DIR has the files of a site in `site`, its log
`sacct.txt.gz`, prints of its queue in `dumps`, and when these were made in `dump_times.json`.

Two answers are held against the Reason column of each print: that of `now`, which is given the queue without
the column, and that of the twin, which simulates the log and knows no queue. A job is left out where it does
not wait in the twin. Reasons agree if they are of the same kind.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from engine.logs.queue.state import WAITING, QueueState
from engine.now.queue_forecast import first_plan
from engine.now.queue_reasons import reason_word
from engine.now.site_queue import queue_at_site, queues_in
from engine.policy.policy import site_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.schedule.explain import reason_so_far
from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from engine.slurm.site.folder import read_site_at

Pair = tuple[str, str]  # the reason of Slurm, and the kind of the model's
NOTHING = "nothing holds it"

_ROOM = {"CPUS", "RAM", "RESOURCE", "NODES", "FRAGMENTED", "CLEANING"}
_LIMIT = {Decision.SITE_LIMIT.name}
_ALIKE = {
    "priority": {"PRIORITY", "RESERVATION", "UNTRIED"},
    "resources": _ROOM,
    "dependency": {"DEPENDENCY"},
    "begintime": {"BEGIN"},
    "jobheldadmin": {"HELD"},
    "jobhelduser": {"HELD"},
    "reqnodenotavail": {"CLOSED", "OUTSIDE"},
    "reservation": {"CLOSED", "OUTSIDE"},
    "jobarraytasklimit": _LIMIT,
}


def agree(pair: Pair) -> bool:
    """Whether both are of the same kind. Of what the backfiller has planned Slurm says Priority, too."""
    word, kind = pair
    return kind in (_LIMIT if word.startswith(("assoc", "qos")) else _ALIKE.get(word, set()))


def prints(folder: Path) -> Iterator[tuple[int, QueueState]]:
    """Each print of the queue with the time at which it was made, s since 1970."""
    for name, made in json.loads((folder / "dump_times.json").read_text("utf-8")).items():
        at = datetime.fromtimestamp(int(made), UTC).strftime("%Y-%m-%dT%H:%M:%S")
        (state,) = queues_in(folder / "dumps" / name / "squeue.json.gz", at, "UTC")
        yield int(made), state


def of_now(folder: Path) -> Iterator[Pair]:
    """Pairs of all waiting jobs of all prints."""
    site = read_site_at(folder / "site")
    for _, state in prints(folder):
        words = {job.job_id: reason_word(job) for job in state.jobs}
        silent = replace(state, jobs=tuple(replace(job, reason="") for job in state.jobs))
        for each in first_plan(queue_at_site(site, silent, zone="UTC")).forecast.waiting:
            kind = None if each.reason is None else each.reason.kind
            yield words[each.job.job_id], NOTHING if kind is None else kind.name


def of_twin(folder: Path) -> Iterator[Pair]:
    """Pairs of the jobs that wait both in a print and in the simulated schedule at its time."""
    read = read_log_as(folder / "sacct.txt.gz", Reading(machine=str(folder / "site" / "slurm.conf")))
    schedule = simulate(read.trace, read.cluster, site_policy(read_site_at(folder / "site")), log=True)
    rows = {str(number): row for row, number in enumerate(read.trace.job_id)}
    for made, state in prints(folder):
        for job in state.jobs:
            if job.state == WAITING and (row := rows.get(job.job_id)) is not None:
                kind = _kind_at(schedule, row, made - read.trace.zero)
                if kind:
                    yield reason_word(job), kind


def _kind_at(schedule: Schedule, job: int, time: int) -> str:
    """The kind of the reason of a job at a time, s; empty where it does not wait then."""
    if not schedule.submit[job] <= time < schedule.start[job]:
        return ""
    reason = reason_so_far(schedule, job, time)
    return NOTHING if reason is None or reason.kind is None else reason.kind.name


def table(pairs: list[Pair]) -> str:
    """A line for each reason of Slurm: how many agree, and the kinds of the model where they do not."""
    kinds, right = defaultdict[str, Counter[str]](Counter), Counter[str]()
    for word, kind in pairs:
        right[word] += agree((word, kind))
        kinds[word][kind] += not agree((word, kind))
    lines = [f"{sum(right.values())} of {len(pairs)} agree"]
    for word, other in sorted(kinds.items(), key=lambda item: -sum(item[1].values()) - right[item[0]]):
        texts = ", ".join(f"{count} {kind.lower()}" for kind, count in other.most_common() if count)
        lines.append(f"  {word}: {right[word]} of {right[word] + other.total()}; {texts or 'no other'}")
    return "\n".join(lines)


if __name__ == "__main__":
    for place in map(Path, sys.argv[1:]):
        print(f"{place.name}, now: {table(list(of_now(place)))}")
        print(f"{place.name}, twin: {table(list(of_twin(place)))}", flush=True)
