"""The slow twin of power and energy: each node in each second, by the definitions, in exact fractions."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from engine.schedule.schedule import Schedule


class Watts(NamedTuple):
    """The power of a node, W."""

    idle: int
    core: int
    gpu: int
    off: int
    boot: int = 0


class Run(NamedTuple):
    """A run of a job: the cores and GPUs that it holds of each node."""

    job: int
    start: int
    end: int
    nodes: Mapping[int, tuple[int, int]]


def runs_of(schedule: Schedule) -> list[Run]:
    """The runs that completed jobs, and those that failures stopped."""
    found = []
    for pieces, jobs, starts, ends in (
        (schedule.pieces, range(len(schedule.start)), schedule.start, schedule.end),
        (schedule.stopped.pieces, schedule.stopped.job, schedule.stopped.start, schedule.stopped.end),
    ):
        for k, job in enumerate(jobs):
            # A job may have several pieces on a node, which are one holding.
            held: dict[int, tuple[int, int]] = {}
            for row in range(pieces.offset[k], pieces.offset[k + 1]):
                cores, gpus = held.get(int(pieces["node"][row]), (0, 0))
                more = int(pieces["gpu"][row]) if "gpu" in pieces.columns else 0
                held[int(pieces["node"][row])] = cores + int(pieces["cpus"][row]), gpus + more
            if starts[k] >= 0:
                found.append(Run(int(job), int(starts[k]), int(ends[k]), held))
    return found


PARTS = ("jobs", "idle", "idle_cores", "off", "boot")


def switched(schedule: Schedule, node: int, second: int, boot_s: int) -> str:
    """Whether a node is "off" or in its "boot" in a second, by a policy that switches nodes; else "on"."""
    after, took = schedule.policy.power_off, schedule.took
    if after is None or took is None:
        return "on"
    holds = []
    for job in range(len(schedule.start)):
        rows = slice(schedule.pieces.offset[job], schedule.pieces.offset[job + 1])
        if schedule.start[job] >= 0 and node in schedule.pieces["node"][rows].tolist():
            holds.append((int(took[job]), int(schedule.end[job])))

    def off_at(moment: int) -> bool:
        # Off where nobody has had it for so long.
        held = any(begin < moment <= end for begin, end in holds)
        left = max([int(schedule.submit.min()), *(end for _, end in holds if end <= moment)])
        return not held and moment - left >= after

    if any(begin <= second < begin + boot_s and off_at(begin) for begin, _ in holds):
        return "boot"
    held = any(begin <= second < end for begin, end in holds)
    return "off" if not held and off_at(second) else "on"


def active_watts(schedule: Schedule, run: Run, cores: list[int], watts: list[Watts]) -> Fraction:
    """What a run takes above its idle share: as the log tells it of whole nodes, or else by its cores."""
    trace = schedule.trace
    if trace.energy is not None and trace.energy[run.job] >= 0:
        rows = slice(schedule.pieces.offset[run.job], schedule.pieces.offset[run.job + 1])
        places = set(schedule.pieces["node"][rows].tolist())  # of the run that completed it, if any did
        if trace.recorded_nodes is not None:
            rows = slice(trace.recorded_nodes.offset[run.job], trace.recorded_nodes.offset[run.job + 1])
            places = set(trace.recorded_nodes["node"][rows].tolist())
        mean = Fraction(int(trace.energy[run.job]), int(trace.recorded_runtime[run.job]))
        return max(mean - sum(watts[node].idle for node in places), Fraction(0))
    return Fraction(
        sum(held * watts[node].core + gpus * watts[node].gpu for node, (held, gpus) in run.nodes.items())
    )


def energy(
    schedule: Schedule, cores: list[int], watts: list[Watts], begin: int, end: int, boot_s: int = 0
) -> dict[str, Fraction]:
    """The parts of the energy in J, the largest power in W, and the energy of each job, from second to
    second.
    """
    parts = dict.fromkeys((*PARTS, "peak"), Fraction(0))
    own = {f"job {job}": Fraction(0) for job in range(len(schedule.start))}
    runs, outages = runs_of(schedule), schedule.outages
    active = [active_watts(schedule, run, cores, watts) for run in runs]
    # Fractions and single seconds: nothing is rounded, and each second is charged to exactly one part.
    for second in range(begin, end):
        before = sum(parts[name] for name in PARTS)
        there = [k for k, run in enumerate(runs) if run.start <= second < run.end]
        down = {
            int(node)
            for node, first, last in zip(outages.node, outages.start, outages.end, strict=True)
            if first <= second < last
        }
        for k in there:
            # A job pays for its own watts and for its part of the idle watts of its nodes.
            share = active[k] + sum(
                Fraction(held * watts[node].idle, cores[node]) for node, (held, _) in runs[k].nodes.items()
            )
            parts["jobs"] += share
            own[f"job {runs[k].job}"] += share
        for node in range(len(cores)):
            held = sum(runs[k].nodes.get(node, (0, 0))[0] for k in there)
            # A node that is down takes its own watts, one in use leaves its idle cores, any other is idle.
            state = switched(schedule, node, second, boot_s)
            if state == "boot":
                parts["boot"] += watts[node].boot
            elif node in down or state == "off":
                parts["off"] += watts[node].off
            elif any(node in runs[k].nodes for k in there):
                parts["idle_cores"] += Fraction((cores[node] - held) * watts[node].idle, cores[node])
            else:
                parts["idle"] += watts[node].idle
        now = sum(parts[name] for name in PARTS) - before
        parts["peak"] = max(parts["peak"], Fraction(now))
    return parts | own
