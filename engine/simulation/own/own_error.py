"""A simulation that code of a user's own has stopped by what it did wrong."""

from __future__ import annotations

from engine.own.code import CodeFaultError
from engine.schedule.schedule import Schedule


class StoppedError(CodeFaultError):
    """What the code did wrong; `schedule` has what had started before that, all other jobs as not run."""

    def __init__(self, fault: CodeFaultError, schedule: Schedule) -> None:
        super().__init__(str(fault), fault.job, fault.time)
        self.schedule = schedule
