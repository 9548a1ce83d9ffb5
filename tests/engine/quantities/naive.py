"""The slow twin of the table of quantities: one job at a time, by the definitions, in exact fractions."""

from fractions import Fraction

import numpy as np

from engine.schedule.schedule import Decision, Schedule
from engine.trace import Trace


def said_of(schedule: Schedule, eet: list[int], before: Schedule, job: int) -> dict[str, object]:
    """What the definitions say of a job; None: nothing."""
    trace = schedule.trace
    asked, length = int(trace.procs[job]), int(trace.runtime[job])
    runs, cancelled = schedule.stopped, schedule.cancelled_for
    # -1 names no job: there the run ended with its node; others gave way to the job of that number.
    stops = [by for own, by in zip(runs.job.tolist(), runs.by.tolist(), strict=True) if own == job]
    of_trace: dict[str, object] = {
        "job": trace.job_id[job],
        "user": trace.user.names[trace.user.codes[job]],
        "group": trace.group.names[trace.group.codes[job]],
        "queue": trace.queue.names[trace.queue.codes[job]],
        "status": "completed" if trace.status[job] == 1 else "failed",
        "procs": asked,
        "qos": "" if trace.qos is None else trace.qos.names[trace.qos.codes[job]],
        "node": "",
        "reason": "",
        "reservation": "",
        "priority": None,
        "gpus": None if trace.gpus is None or trace.gpus[job] < 0 else int(trace.gpus[job]),
        "ram": int(trace.ram[job]) if trace.ram[job] >= 0 else None,
        "walltime": int(trace.walltime[job]),
        "runtime": length,
        "area": asked * length,
        "submit": int(trace.submit[job]),
        "held_procs": int(schedule.procs[job]),
        "held_time": length,
        "stopped": stops.count(-1),
        "preempted": len(stops) - stops.count(-1) + (cancelled is not None and cancelled[job] >= 0),
    }
    return of_trace | _of_use(trace, job) | _of_run(schedule, eet[job], before, job)


def _of_use(trace: Trace, job: int) -> dict[str, object]:
    """What a job used, and in % of what it had."""

    def texts(column: np.ndarray | None) -> Fraction | None:
        return None if column is None or column[job] < 0 else Fraction(float(column[job]))

    def percent(part: Fraction | None, whole: int) -> Fraction | None:
        return None if part is None or whole <= 0 else 100 * part / whole

    cpu, ram, gpu = texts(trace.cpu_used), texts(trace.ram_used), texts(trace.gpu_used)
    had = int(trace.recorded_procs[job]) * int(trace.recorded_runtime[job])
    gpus = 0 if trace.gpus is None else int(trace.gpus[job])
    bound = trace.ram_used_bound is not None and bool(trace.ram_used_bound[job])
    of_use = trace.ram_of_use is not None and bool(trace.ram_of_use[job])
    limited = trace.limited is None or bool(trace.limited[job])
    return {
        "cpu_used": cpu,
        "cpu_efficiency": percent(cpu, had),
        "ram_used": ram,
        "ram_basis": "" if ram is None else "bound" if bound else "measured",
        "ram_efficiency": percent(ram, 0 if of_use else int(trace.ram[job])),
        "task_ram": texts(trace.task_ram),
        "task_ram_mean": texts(trace.task_ram_mean),
        "gpu_used": gpu,
        "gpu_efficiency": percent(gpu, gpus),
        "gpu_ram_used": texts(trace.gpu_ram_used),
        "walltime_used": percent(Fraction(int(trace.recorded_runtime[job])), int(trace.walltime[job]))
        if limited
        else None,
        "energy": texts(trace.energy),
        **dict.fromkeys(("run_energy", "energy_cost", "carbon")),  # of power, `naive_power` says what it is
    }


def _of_run(schedule: Schedule, eet: int, before: Schedule, job: int) -> dict[str, object]:
    trace, start, end = schedule.trace, int(schedule.start[job]), int(schedule.end[job])
    names = (
        *("start", "end", "wait", "response", "slowdown", "bounded_slowdown", "work", "tardiness"),
        *("violated", "veet", "wt", "nuwt", "estimate_ratio", "change", "unfair_delay", "backfilled"),
        *("passed", "past", "fair_slowdown"),
        *("worth", "value", "value_lost", "payment", "prediction_error"),
    )
    if start < 0:
        return dict.fromkeys(names) | {"past": ""}
    submit, ran, procs = int(trace.submit[job]), end - start, int(schedule.procs[job])
    late = max(end - eet, 0)
    assert schedule.estimate is not None
    assert schedule.fair_start is not None
    estimate, fair, earlier = (int(c[job]) for c in (schedule.estimate, schedule.fair_start, before.start))
    # A job that was stopped has several starts: its first is what predictions and fair starts are compared
    # with.
    stopped = schedule.stopped
    stops = [int(s) for j, s in zip(stopped.job, stopped.start, strict=True) if j == job]
    first = min([start, *stops])
    columns = (schedule.log.time, schedule.log.job, schedule.log.kind, schedule.log.value)
    own = [(at, kind, value) for at, of, kind, value in zip(*columns, strict=True) if of == job]
    # Of several promises the first is the prediction.
    lines = [int(value) for at, kind, value in own if kind == Decision.RESERVED and at <= first]
    passed = [value for at, kind, value in own if kind == Decision.BACKFILLED and at == start]
    # A backfilled job went past the blocked one that the log names, and past those behind it that start
    # later.
    behind = [k for k in range(passed[-1] + 1, job) if schedule.start[k] > start] if passed else []
    worth = max(100.0, np.random.default_rng(1).normal(5000, 2000, len(trace)).tolist()[job])
    left = max(Fraction(0), 1 - Fraction(end - submit - ran, 5 * ran))
    return {
        "worth": worth,
        "value": Fraction(worth) * left,
        "value_lost": Fraction(worth) * (1 - left),
        "payment": max(price for price in (100, 3400, 6700) if price <= worth),
        "start": start,
        "end": end,
        "wait": start - submit,
        "response": end - submit,
        "slowdown": Fraction(end - submit, max(ran, 1)),
        "bounded_slowdown": max(Fraction(1), Fraction(end - submit, max(ran, 10))),
        "work": procs * ran,
        "tardiness": late,
        "violated": int(end > eet),
        "veet": 100 if end > eet else 0,
        "wt": procs * late,
        "fair_slowdown": Fraction(end - submit, max(eet - submit, 1)),
        "nuwt": Fraction(start - submit, max(procs * ran, 1)),
        "estimate_ratio": Fraction(max(estimate, 1), max(ran, 1)),
        "change": start - earlier if earlier >= 0 else None,
        "prediction_error": first - lines[0] if lines else 0 if first == submit else None,
        "unfair_delay": first - fair if fair >= 0 else None,
        "backfilled": sum(kind == Decision.BACKFILLED for _, kind, _ in own),
        "passed": bool(passed) + len(behind),
        "past": str(trace.job_id[passed[-1]]) if passed else "",
    }
