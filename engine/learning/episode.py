"""One episode: a part of a log that is simulated step by step, each step the choice of the next job.

The compiled event loop runs until the pass has to choose, and returns; the next step has it make another
pass in the same second, which goes on from there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np

from engine.compiler.callback import CALLED
from engine.learning.learned_pass import ASKS, decisions
from engine.machine.cluster import Cluster
from engine.own.code import own_code
from engine.own.file import Declared, OwnFile
from engine.policy.own_policy import with_own_keys
from engine.policy.policy import Policy, parse_policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.control import CANCEL, Control
from engine.simulation.events import packed_events, variant_of
from engine.simulation.loop import NEEDS_ROOM
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.own.own_decisions import ENDS, PASS, RESERVES, TIME
from engine.simulation.own.own_simulation import OwnSimulation
from engine.simulation.own.process import job_columns
from engine.simulation.own.visible_state import PassState
from engine.simulation.recorded_run import one_pool
from engine.simulation.tables import with_larger_tables
from engine.trace import Trace

_NAME = "environment"


def _policy() -> Policy:
    """The policy of an episode, in which a scheduler decides that is in no file."""
    file = OwnFile(Path(f"{_NAME}.py"), "", "", (Declared(_NAME, "scheduler", 1, ()),))
    role = {"scheduler": _NAME}
    return with_own_keys(parse_policy("easy"), own_code(file, role, {}), role)


POLICY = _policy()


class Episode:
    """A trace on a pool, which stands where the next job is to be chosen of the first `jobs` that wait.

    With `backfill` other jobs start beside a chosen one that does not fit yet, where they do not delay it.
    """

    def __init__(self, trace: Trace, cluster: Cluster, jobs: int, backfill: bool) -> None:
        self.trace, self.cluster, self._how = trace, cluster, (jobs, backfill)
        scheduler, self._estimator = make_scheduler(trace, cluster, POLICY, False)
        names = {"user": trace.user.names, "queue": trace.queue.names, "group": trace.group.names}
        self._shown = OwnSimulation(scheduler, job_columns(trace), names, [])
        self.state = PassState(self._shown)
        self._control = Control().array
        self._deciding: Generator[Any, int | None, None] | None = None
        self._place: int | None = None
        self._fault: BaseException | None = None
        self.asks = False
        self._called = CALLED(self._ask)  # kept: its address is in use
        scheduler.asked[PASS] = int(ctypes.cast(self._called, ctypes.c_void_p).value or 0)
        self._variant = variant_of(scheduler, self._estimator)
        self._run = packed_events(scheduler, self._estimator, self._variant)
        self._go_on()

    def choose(self, place: int) -> None:
        """Choose the job in this place, and go on to the next choice; `asks` is False after the last."""
        self._place = place
        # The pass that asked has ended: another pass in this second goes on with the choice.
        self._shown.s.loop.next_pass[0] = self._shown.now
        self._go_on()

    def schedule(self) -> Schedule:
        """The schedule, once it is over."""
        s = self._shown.s
        ran = s.start != NOT_RUN
        return Schedule(
            trace=self.trace,
            cluster=self.cluster,
            policy=POLICY,
            start=s.start,
            end=np.where(ran, s.start + s.work.runtime, NOT_RUN),
            procs=self.trace.procs,
            pieces=one_pool(self.trace, self.trace.procs, ran),
            passes=int(s.loop.passes[0]),
        )

    def _go_on(self) -> None:
        self.asks = False
        self._control[CANCEL] = 0
        while self._run(self._control) == NEEDS_ROOM:
            larger = self._shown.s = with_larger_tables(self._shown.s)
            self._run = packed_events(larger, self._estimator, self._variant)
        if self._fault is not None:
            raise self._fault

    def _ask(self, now: int, became: int) -> int:
        """What the event loop calls in a pass: the next job, or the end of the pass. Nothing is raised."""
        try:
            self._shown.now = now
            if became:
                raise RuntimeError(f"a job that fits was not started at {now} s")
            if self._deciding is None:
                self._deciding = decisions(self.state, *self._how)
            place, self._place = self._place, None
            answer = next(self._deciding) if place is None else self._deciding.send(place)
            if answer is ASKS:
                self.asks = True
                self._control[CANCEL] = 1  # the event loop returns after this second
                return ENDS
            if isinstance(answer, tuple):
                job, self._shown.s.asked[TIME] = answer
                return RESERVES - int(job)
            return int(answer)
        except StopIteration:
            self._deciding = None
        except BaseException as error:  # nothing passes compiled code
            self._fault, self._control[CANCEL] = error, 1
        return ENDS
