"""The hours of a simulation: caps on power by the clock, and dear hours in which jobs wait."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.machine.power import power_of
from engine.policy.formula_variables import named_jobs
from engine.policy.policy import Policy
from engine.simulation.hours import NO_HOURS, KnownHours
from engine.simulation.power_cap import Capped
from engine.trace import Trace

Mask = NDArray[np.bool_]


def make_hours(trace: Trace, policy: Policy, under: Capped) -> KnownHours:
    """The hours of a policy on a trace. Raises InputError where it asks for prices that are not known."""
    hours = NO_HOURS._replace(cap_time=under.time, cap_room=under.room) if len(under.time) else NO_HOURS
    if policy.price_below is None:
        return hours
    if policy.own is not None:
        raise InputError(
            f"{policy.spelling}: code of your own does not know of prices, and keeps no price_below"
        )
    model = power_of(trace.cluster)
    if model is None or model.price is None:
        raise InputError("price_below needs prices of energy: a table [price] in the file that --power names")
    price = model.price
    # A price that is not known is not waited for: nobody knows that it is dear.
    dear = price.value > policy.price_below
    changed = dear != np.append(False, dear[:-1])
    waits = named_jobs(policy, trace)
    return hours._replace(
        price_time=price.time[changed],
        dear=dear[changed].astype(np.int64),
        patience=np.where(waits, policy.price_wait, 0).astype(np.int64),
    )
