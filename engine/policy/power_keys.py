"""The keys of policies about power: caps on it, and jobs that wait for cheap energy."""

from __future__ import annotations

from engine.errors import InputError
from engine.limits import MAX_SPAN
from engine.machine.power import SERIES, PowerCap
from engine.policy import unused
from engine.policy.key import Key, Range
from engine.policy.names import KeyGroup
from engine.score.parse import Formula, parse_score
from engine.spelling import DAY, HOUR, format_real, nearest

NAMES = ("walltime", "procs", "nodes", "ram", "gpus")
"""What a formula that names jobs can ask for: what is known of a job at its submission, and stays."""

ALL_JOBS = "all"


def read_named_jobs(text: str) -> Formula | None:
    """The formula of the jobs that wait for cheap energy; None for all jobs. Raises InputError."""
    if text == ALL_JOBS:
        return None
    formula = parse_score(text, "price_jobs")
    for name in sorted(formula.names - set(NAMES)):
        raise InputError(
            f"price_jobs {text!r}: {name} is not known at the submission of a job, or changes"
            f"{nearest(name, NAMES)}"
        )
    return formula


def _write_named_jobs(formula: Formula | None) -> str:
    return ALL_JOBS if formula is None else str(formula)


def _write_cap(cap: PowerCap) -> str:
    return "none" if cap is None else cap if isinstance(cap, str) else format_real(cap)


POWER_CAP = Key(
    KeyGroup.LIMITS,
    "most power of the machine in kW, which --power tells: a job starts, and is reserved, only where the "
    "power of all nodes stays at or below it to the end of the job's estimate. With series it changes by the "
    "clock, as the table [cap] of --power says. Jobs that it never admits are refused",
    words=(SERIES,),
    range=Range("real", 0.001, 10**6, 1000),
    optional=True,
    write=_write_cap,
    needs="the power of the machine",
)

POWER_OFF = Key(
    KeyGroup.PLACEMENT,
    "nodes that were idle for this long are switched off. A job that takes such nodes starts when they have "
    "booted, by boot_s of --power, and blocks them meanwhile; nodes that are on are taken first. Needs depth "
    "stop, 0 or 1 and placement=first, without power_cap",
    range=Range("duration", 1, MAX_SPAN, HOUR, 60),
    optional=True,
    needs="nodes, and their power",
)

PRICE_BELOW = Key(
    KeyGroup.LIMITS,
    "jobs that price_jobs names start only while energy costs at most this, by the prices of --power, or "
    "once they have waited for price_wait. Until then other jobs pass them",
    range=Range("real", 0, 10**6, 1, 0.01),
    optional=True,
    needs="prices of energy",
    unused=(unused.no_passes,),
    single=True,
)

PRICE_JOBS = Key(
    KeyGroup.LIMITS,
    "jobs that wait for cheap energy: all, or those for which a formula is not 0, in double quotes if it "
    f"contains a comma. Variables: {', '.join(NAMES)}; operators and functions as of score",
    words=(ALL_JOBS,),
    syntax="procs <= 8 and walltime > 3600",
    formula=True,
    read=read_named_jobs,
    write=_write_named_jobs,
    unused=(unused.no_price_below,),
)

PRICE_WAIT = Key(
    KeyGroup.LIMITS,
    "how long a job waits for cheap energy at most, from its submission",
    range=Range("duration", 0, MAX_SPAN, 7 * DAY, HOUR),
    unused=(unused.no_price_below,),
)
