"""Memory that is not a consumable resource (`CR_Core`, `CR_CPU`): Slurm does not allocate it.

Then AllocTRES has no memory, and ReqMem of jobs that requested none is the memory of a whole node.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints, Mask
from engine.slurm.values.tres import tres_amount
from engine.trace.names import Names
from engine.trace.records import note_lines
from engine.trace.trace import MISSING, Note

_SHARE = 0.5  # an amount that this share of these jobs has is Slurm's default and not a request


def limiting_ram(
    allocated: Names, ram: Ints, nodes: Ints, line: Ints
) -> tuple[Ints, Mask | None, tuple[Note, ...]]:
    """RAM that jobs requested, MiB or MISSING, and True if it limits them; None if it limits all.

    `allocated` is AllocTRES, `ram` what is read as the request of each whole job, `nodes` how many it was
    given; all shape (n,). A job that was given CPUs and no memory is not limited by memory. Where most such
    jobs (at least two) have one amount, that is the memory of a node, which they did not ask for.
    """
    # AllocTRES with CPUs and without memory: memory is no consumable resource of this site.
    silent = (bool(tres_amount(text, "cpu")) and not tres_amount(text, "mem") for text in allocated.names)
    without = np.array([*silent, False])[allocated.codes]
    if not without.any():
        return ram, None, ()
    amounts, count = np.unique(ram[without & (ram > 0)], return_counts=True)
    whole = np.zeros(len(ram), np.bool_)
    # The same amount for most of them is no coincidence: Slurm writes the memory of a node there.
    if len(amounts) and count.max() >= max(2, _SHARE * count.sum()):
        amount = amounts[count.argmax()]
        # On several nodes it is that of all of them.
        whole = without & ((ram == amount) | ((nodes > 1) & (ram == amount * nodes)))
    text = "were given CPUs and no memory, which is not a consumable resource there: RAM does not limit them"
    unasked = "have the memory of a whole node for ReqMem, as Slurm writes where none is asked for"
    return (
        np.where(whole, MISSING, ram),
        ~without,
        (
            note_lines("ram_not_consumed", f"jobs that {text}", without, line),
            note_lines("ram_unasked", f"jobs that {unasked}: that RAM counts as missing", whole, line),
        ),
    )
