"""The words of Slurm's accounting: states, amounts of memory, trackable resources (TRES)."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.limits import MAX_TASK_RAM
from engine.trace.no_value import NO_VALUES
from engine.trace.status import CANCELLED, COMPLETED, FAILED
from engine.trace.trace import MISSING

UNKNOWN = -2
"""Stands for a state that Slurm does not have."""

REQUEUED = frozenset(("REQUEUED", "RQ", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"))
"""States of a run after which the job went back to the queue."""

_STATES = {
    **dict.fromkeys(("COMPLETED", "CD"), COMPLETED),
    **dict.fromkeys(("CANCELLED", "CA", "REVOKED", "RV"), CANCELLED),
    **dict.fromkeys(("FAILED", "F", "TIMEOUT", "TO", "NODE_FAIL", "NF", "PREEMPTED", "PR"), FAILED),
    **dict.fromkeys(("OUT_OF_MEMORY", "OOM", "BOOT_FAIL", "BF", "DEADLINE", "DL"), FAILED),
    **dict.fromkeys(("LAUNCH_FAILED", "RECONFIG_FAIL", "STOPPED"), FAILED),
    **dict.fromkeys(("RUNNING", "R", "PENDING", "PD", "SUSPENDED", "S", "REQUEUED", "RQ"), MISSING),
    **dict.fromkeys(("COMPLETING", "CG", "CONFIGURING", "CF", "RESIZING", "RS"), MISSING),
    **dict.fromkeys(("REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "STAGE_OUT", "SIGNALING"), MISSING),
}
_MIB = {"K": 2.0**-10, "": 1.0, "M": 1.0, "G": 2.0**10, "T": 2.0**20, "P": 2.0**30}
_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([KMGTP]?)B?([cn]?)", re.ASCII)
_COUNT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([KMG]?)", re.ASCII)
_THOUSANDS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MOST = 1e15
_TASK_BITS = re.compile(r"0x([0-9A-Fa-f]{1,65536})(%\d{1,9})?", re.ASCII)
_PER_CPU = 1 << 31  # a flag that some versions leave in amounts per CPU


def status_of(state: str) -> int:
    """The status for a state: `CANCELLED by 330719` has ended, `RUNNING` has none, `FOO` is unknown."""
    return _STATES.get(state_word(state), UNKNOWN)


def state_word(state: str) -> str:
    """The state without the user who caused it: `CANCELLED`."""
    words = state.split(None, 1)
    return words[0].rstrip("+").upper() if words else ""


def mebibytes_of(text: str) -> tuple[int, str]:
    """MiB of `62.50G` or `3000Mc`, rounded up, and the unit: `c` per CPU, `n` per node, empty for the job.

    0 if invalid or one of NO_VALUES. Slurm marks amounts per CPU with the flag 2^31.
    """
    match = _MEMORY.fullmatch(text.strip())
    if match is None:
        return 0, ""
    amount, unit, per = match.groups()
    if float(amount) in NO_VALUES:
        return 0, ""
    exact = float(amount) * _MIB[unit]
    if _PER_CPU <= exact < 2 * _PER_CPU:
        exact, per = exact - _PER_CPU, "c"
    return min(-int(-exact // 1), MAX_TASK_RAM), per


def count_of(text: str) -> int:
    """A whole number, maybe of units of 1024 (`1.5K`), up to 10^15; MISSING for other texts and NO_VALUES."""
    match = _COUNT.fullmatch(text.strip())
    if match is None or float(match[1]) in NO_VALUES:
        return MISSING
    return int(min(float(match[1]) * _THOUSANDS[match[2]], _MOST))


def tres_amount(text: str, name: str) -> str:
    """The amount of a resource in `cpu=8,mem=24000M,node=1` or `CPU=8`; empty if absent."""
    for part in text.split(","):
        key, _, value = part.partition("=")
        if key.strip().lower() == name:
            return value.strip()
    return ""


def format_tasks(text: str) -> str:
    """The waiting tasks of an array as sacct prints them, `[1-3,7]` or `[1-9:2]`; other texts unchanged.

    The database, and `sacct --json` with it, hold bits in hexadecimal digits: `0x8E` are 1 to 3 and 7.
    """
    match = _TASK_BITS.fullmatch(text)
    if match is None:
        return text if text.startswith("[") else f"[{text}]"
    bits = bin(int(match[1], 16))[:1:-1]
    ranges = [(ones.start(), ones.end() - 1) for ones in re.finditer("1+", bits)]
    tasks = [low for low, _ in ranges]
    steps = {later - low for low, later in pairwise(tasks)}
    if len(tasks) > 2 and len(steps) == 1 and all(low == high for low, high in ranges):
        indices = f"{tasks[0]}-{tasks[-1]}:{steps.pop()}"
    else:
        indices = ",".join(f"{low}-{high}" if high > low else str(low) for low, high in ranges)
    return f"[{indices}{match[2] or ''}]"
