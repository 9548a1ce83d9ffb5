"""The models of synthetic logs by name, and a log of one of them, or like a log that is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.spelling import nearest
from engine.trace.generate.campus import campus_log
from engine.trace.generate.campus_model import EXAMPLE_SEED
from engine.trace.generate.fit import fit_model
from engine.trace.generate.generated_log import GeneratedLog
from engine.trace.generate.sessions import SessionModel, session_log
from engine.trace.trace import Trace

LUBLIN, CAMPUS = "lublin", "campus"

MODELS = {
    LUBLIN: SessionModel(),
    "bursty": SessionModel(session=40.0, at_once=2, haste=0.1, load=0.7),
    "saturated": SessionModel(load=1.1),
}
"""Models by name. Where the load is over 1 the queue grows to the end."""


def generated(
    model: str,
    like: Trace | None,
    seed: int | None,
    *,
    jobs: int | None = None,
    load: float | None = None,
    users: int | None = None,
    cluster: Cluster | None = None,
) -> GeneratedLog:
    """A synthetic log of a model (lublin, if none is named), or like a trace; None: as the model has it.

    Raises InputError.
    """
    options = {"jobs": jobs, "load": load, "users": users, "cluster": cluster}
    chosen: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if like is not None:
        if model:
            raise InputError("a model and a log to be like exclude each other")
        return session_log(seed or 0, replace(fit_model(like), **chosen))
    if model == CAMPUS:
        if chosen:
            raise InputError(f"the model {CAMPUS} takes a seed only: jobs and machine belong together")
        return campus_log(EXAMPLE_SEED if seed is None else seed)
    if model and model not in MODELS:
        known = (*MODELS, CAMPUS)
        hint = nearest(model, known) or f"; there are {', '.join(known)}"
        raise InputError(f"there is no model {model!r}{hint}")
    return session_log(seed or 0, replace(MODELS[model or LUBLIN], **chosen))
