"""The keys of the workbench's work, and which of it can be done before all kernels are compiled."""

from __future__ import annotations

from collections.abc import Hashable

from engine.study import Study

OPENING = "opening"
LOADING = "loading"
JUDGING = "judging"
MEASURING = "measuring"


def run_key(run_id: int) -> tuple[str, int]:
    """The key of the simulation of a run."""
    return "run", run_id


def simulates(key: Hashable, study: Study | None) -> bool:
    """Whether work needs more kernels than reading a log and showing what it recorded."""
    recorded = [run_key(run.id) for run in study.runs if run.policy.recorded] if study is not None else []
    return key not in (OPENING, JUDGING, MEASURING, *recorded)
