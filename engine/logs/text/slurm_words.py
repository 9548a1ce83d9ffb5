"""The words of Slurm's accounting: states, amounts of memory, trackable resources (TRES)."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.limits import MAX_TASK_RAM
from engine.slurm.values.amounts import amount_of, mebibytes
from engine.trace.sentinels import NO_VALUES
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
_MOST = 1e15
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
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
    text = text.strip()
    per = text[-1:] if text[-1:] in ("c", "n") else ""
    exact = mebibytes(text.removesuffix(per).removesuffix("B"))
    if exact is None or _is_unset(text):
        return 0, ""
    if _PER_CPU <= exact < 2 * _PER_CPU:
        exact, per = exact - _PER_CPU, "c"
    return min(-int(-exact // 1), MAX_TASK_RAM), per


def count_of(text: str) -> int:
    """A whole number, maybe of units of 1024 (`1.5K`), up to 10^15; MISSING for other texts and NO_VALUES."""
    number = amount_of(text)
    return MISSING if number is None or _is_unset(text) else int(min(number, _MOST))


def _is_unset(text: str) -> bool:
    """Whether the number of a text, without its unit, is one that Slurm writes for no value."""
    match = _NUMBER.match(text.strip())
    return match is not None and float(match[0]) in NO_VALUES


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
