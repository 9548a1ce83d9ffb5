"""Damaged logs, plain and packed."""

from __future__ import annotations

import random
from pathlib import Path

from engine.trace.read import read_trace
from tests.engine.trace.logs import line
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of

_SWF = (
    "; Version: 2.2\n; UnixStartTime: 843000000\n; TimeZoneString: Europe/Prague\n; MaxProcs: 64\n"
    + "".join(
        line(job=k, submit=60 * k, runtime=30 * k % 97, procs=1 + k % 9, user=k % 4, ram=1024) + "\n"
        for k in range(1, 20)
    )
).encode()


def try_swf(chance: random.Random, folder: Path) -> str:
    path = folder / "log.swf"
    path.write_bytes(mutate(chance, [_SWF]))
    return outcome_of(lambda: read_trace(path), str(path))
