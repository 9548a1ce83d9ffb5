"""What a twin comes to beside its verdict, in a sentence."""

from __future__ import annotations

from engine.words import format_seconds
from views.data.twin_look import TwinLook
from views.text.values import duration

_ORDER = {
    None: "",
    True: "; accounts wait in the same order",
    False: "; accounts wait in another order",
}


def facts_of(look: TwinLook) -> str:
    """How many starts agree, and rank correlation, makespan and utilization."""
    twin, whole = look.twin, look.twin.whole
    rho = "not known" if twin.correlation is None else f"{twin.correlation:.3f}"
    cycle, tenth = (f"{100 * share:.0f} %" for share in (whole.cycle, whole.tenth))
    recorded, simulated = map(duration, twin.makespan)
    used, would_use = (f"{100 * share:.1f} %" for share in look.utilization)
    return (
        f"{cycle} of the jobs start within a backfill cycle ({format_seconds(look.cycle)}) of their recorded "
        f"start, {tenth} within that or a tenth of the wait; half of the starts differ by "
        f"{duration(round(twin.start_difference))} or less; rank correlation of waits {rho}; makespan "
        f"{recorded} recorded, {simulated} simulated; utilization {used} recorded, {would_use} simulated"
        f"{_ORDER[twin.order_kept]}."
    )
