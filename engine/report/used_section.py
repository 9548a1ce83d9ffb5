"""The used part of requested resources."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.arrays import Mask
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.report.section import Compared, Section, Statement, TextTable
from engine.trace import MISSING, Trace
from engine.verdict.verdict import Teller
from engine.words import format_count

_TITLE = "Used against requested"
_MOST = 10
"""The most users in the table: those who left most unused."""


def used(compared: Compared) -> Section:
    """The use of requested time, RAM and processors by users, as recorded in the log."""
    trace, jobs = compared.trace, compared.base.jobs
    limited = np.ones(len(trace), np.bool_) if trace.limited is None else trace.limited
    there = jobs & limited & (trace.walltime != MISSING)
    schedule = compared.base.schedule
    teller = Teller.over("the log", compared.baseline, schedule, there)
    # A log whose limits are its runtimes has no requests: its reader put the runtimes there.
    if not there.any() or bool((trace.walltime == trace.runtime)[there].all()):
        return Section(_TITLE, [Statement((teller.claim(Relation.NO_WALLTIMES),), named=False)])
    asked = (trace.procs * trace.walltime)[there].astype(np.float64)
    ran = (trace.procs * trace.runtime)[there].astype(np.float64)
    codes = trace.user.codes[there]
    unused, reserved = (
        np.bincount(codes, seconds, len(trace.user.names)) for seconds in (asked - ran, asked)
    )
    counts = np.bincount(codes, minlength=len(trace.user.names))
    claims = [_reserved(teller, trace, there, 100 * float(ran.sum() / asked.sum()))]
    worst = [int(user) for user in np.argsort(-unused, kind="stable")[:_MOST] if unused[user] > 0]
    if worst:
        user = worst[0]
        claims.append(_most_unused(teller, trace, user, unused[user], reserved[user], int(counts[user])))
    claims += _measured(compared, trace, jobs)
    statements = [Statement((claim,), "scatter", named=False) for claim in claims]
    rows = [["User", "Jobs", "Requested, processor-h", "Used, processor-h", "Used, %"]]
    for user in worst:
        took = reserved[user] - unused[user]
        hours = (format_count(seconds / 3600) for seconds in (reserved[user], took))
        share = f"{100 * took / reserved[user]:.0f}"
        rows.append([trace.user.shown[user], format_count(int(counts[user])), *hours, share])
    caption = "The users who left most of what their walltimes asked for unused"
    return Section(_TITLE, statements, [TextTable("used", caption, rows)] if worst else [])


def _reserved(teller: Teller, trace: Trace, there: Mask, share: float) -> Claim:
    part = 100 * trace.runtime[there] / np.maximum(trace.walltime[there], 1)
    quantities = [
        ClaimQuantity("share", share, Unit.PERCENT),
        ClaimQuantity("median", float(np.median(part)), Unit.PERCENT),
    ]
    return teller.claim(Relation.RESERVED, quantities)


def _most_unused(teller: Teller, trace: Trace, user: int, unused: float, reserved: float, jobs: int) -> Claim:
    """The user, with the processor-seconds that were unused and reserved."""
    named = NamedThing("user", f"user {trace.user.shown[user]}", ClaimPlace("users", user))
    quantities = [
        ClaimQuantity("unused", unused / 3600, Unit.PROCESSOR_HOURS, named.place),
        ClaimQuantity("share", 100 * unused / reserved, Unit.PERCENT, named.place),
        ClaimQuantity("jobs", jobs, Unit.JOBS, named.place),
    ]
    return teller.claim(Relation.MOST_UNUSED, quantities, [named], [named.place])


def _measured(compared: Compared, trace: Trace, jobs: Mask) -> Iterator[Claim]:
    """The measured use of processors and RAM of the jobs whose use the log has."""

    def teller(known: Mask) -> Teller:
        return Teller.over("the log", compared.baseline, compared.base.schedule, known)

    if trace.cpu_used is not None and (known := jobs & (trace.cpu_used >= 0)).any():
        held = (trace.recorded_procs * trace.recorded_runtime)[known].sum(dtype=np.float64)
        if held > 0:
            yield _share(teller(known), Relation.BUSY, trace.cpu_used[known].sum() / held)
    if trace.ram_used is not None and (known := jobs & (trace.ram_used >= 0) & (trace.ram > 0)).any():
        # Where the request was taken from the use itself, comparing both says nothing.
        if trace.ram_of_use is not None:
            known &= ~trace.ram_of_use
        asked = float(trace.ram[known].sum())
        if asked > 0:
            yield _share(teller(known), Relation.RAM_USED, float(trace.ram_used[known].sum()) / asked)


def _share(teller: Teller, relation: Relation, part: float) -> Claim:
    return teller.claim(relation, [ClaimQuantity("share", 100 * float(part), Unit.PERCENT)])
