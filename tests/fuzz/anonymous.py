"""Damaged logs under other names: whatever is read of a log is read of what is written of it."""

import random
from pathlib import Path

from engine.anonymous.export import anonymize
from engine.errors import InputError
from engine.logs.read import read_records
from tests.fuzz import traces
from tests.fuzz.mutate import mutate
from tests.fuzz.outcome import outcome_of

_LOGS = (
    traces.try_pbs,
    traces.try_sge,
    traces.try_lsf,
    traces.try_jobcomp,
    traces.try_sacct_json,
    traces.try_slurm,
)
_KEPT = ("submit", "wait", "runtime", "walltime", "procs", "allocated", "ram", "status", "gpus", "nodes")
"""Columns that are the same under other names."""


def prepare() -> None:
    """As for the readers; it is run by hand, since a case takes as long as those of two of them."""
    traces.prepare()


def try_anonymous(chance: random.Random, folder: Path) -> str:
    """A log of any batch system, damaged, as it is and under other names."""
    kind = chance.choice(_LOGS)
    log = folder / "log"
    log.write_bytes(mutate(chance, kind.texts, kind.words))

    def look() -> None:
        old = read_records(log)
        new = anonymize(log, [], None, folder / "out", None).log
        if not (old.submit > 0).any():  # what has no dates is no dump of sacct
            raise InputError(f"{log}: no job was submitted")
        found = read_records(new)
        for name in _KEPT:
            before, after = getattr(old, name), getattr(found, name)
            assert (before is None) == (after is None), name
            assert before is None or before.tolist() == after.tolist(), name

    return outcome_of(look, str(folder))
