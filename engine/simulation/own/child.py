"""The process that simulates with a user's own code: it gets the state of a simulation, and runs it.

What it needs comes as a line of JSON, and as two files in memory that the program made: the state's arrays,
and room for the arrays that became longer. It answers with a line of JSON. What the code prints goes to
standard error. The process is a fork of `fork_server`. Nothing isolates the code from the rest of the
machine: it may do what its user may.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any, NoReturn, get_type_hints

import numpy as np
from numpy.typing import NDArray

from engine.compiler.priority import UncompiledError, priority_loop
from engine.compiler.ticks import count_ticks
from engine.errors import InputError
from engine.own.declare import Declaration
from engine.own.running import Covered, described
from engine.own.shared_arrays import (
    arrays_of,
    from_skeleton,
    load,
    mapped,
    places_from_json,
    store,
    with_arrays,
)
from engine.schedule.own_reasons import SaidRows
from engine.simulation.control import CANCEL, Control
from engine.simulation.estimator import Estimator
from engine.simulation.events import load_events, run_events
from engine.simulation.loop import NEEDS_ROOM
from engine.simulation.own.calls import Beat, Calls, Fault
from engine.simulation.own.own_decisions import BACKFILL, ORDER, PASS
from engine.simulation.own.own_simulation import LoggedColumns, OwnSimulation
from engine.simulation.own.profile import FutureRoom
from engine.simulation.scheduler import Scheduler
from engine.simulation.tables import with_larger_tables
from engine.system import limit_own_memory, new_memory

SECOND_RUN = 1_000
"""Ended jobs after which the second run stops, which finds code that does not decide alike twice."""


def main(connection: int, state_file: int, room_file: int) -> NoReturn:
    """Simulate what the connection asks for, answer there, and end the process."""
    program = socket.socket(fileno=connection)
    with program.makefile("rb") as lines:
        line = lines.readline()
    if not line:
        os._exit(0)  # the program has ended
    # The handles of the memory were inherited, so that their numbers are this process's own.
    asked = {**json.loads(line), "state_file": state_file, "room_file": room_file}
    with suppress(OSError):  # the program's folder is gone
        os.chdir(asked["folder"])
    os.dup2(2, 1)  # what the user's code prints
    # The limit comes before the user's code is loaded.
    limit_own_memory(int(asked["memory"]))
    # Whatever happens is told in words: the program has no other channel.
    try:
        replied = _simulated(asked)
    except Fault as fault:
        replied = {"fault": fault.text, "job": fault.job, "time": fault.time}
    except InputError as error:
        replied = {"fault": str(error), "job": -1, "time": None}
    except MemoryError:
        replied = {
            "fault": "it needs more memory than a process of own code may have",
            "job": -1,
            "time": None,
        }
    program.sendall((json.dumps(replied) + "\n").encode())
    with suppress(Exception):  # the code may have put something else in its place
        sys.stdout.flush()
    os._exit(0)  # whatever threads the code has left behind


def _simulated(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Run the simulation; the answer for the parent, also with the state at a fault in its course.

    Raises Fault for what is wrong before it begins, and InputError.
    """
    memory = mapped(asked["state_file"])
    arrays = load(memory, places_from_json(asked["places"]))
    s, estimator, columns, control, beat = from_skeleton(asked["state"], _classes(), arrays)
    # A compiled priority sees nothing but its job: it is not compiled a second time.
    again = asked["twice"] and any(kind != "priority" for _, kind, _ in asked["roles"].values())
    before = _copy(s, estimator) if again else None
    # For the whole life of the process: functions import when they are called, too.
    sys.meta_path.insert(0, Covered(str(asked["path"]), asked["modules"]))
    code = UserCode(asked, beat)
    calls = code.connect(s, estimator, columns, control)
    said = calls.said = SaidRows() if asked["reasons"] else None
    variant = load_events(s, estimator)
    began, counted = time.perf_counter(), count_ticks()
    while run_events(s, estimator, control, variant) == NEEDS_ROOM:
        s = calls.shown.s = with_larger_tables(s)
    took, seconds = count_ticks() - counted, time.perf_counter() - began
    fault = calls.fault
    if fault is None and "scheduler" in asked["roles"] and not control[CANCEL]:
        fault = _starved(asked["roles"]["scheduler"][0], calls.shown)
    if fault is None and before is not None and not control[CANCEL]:
        fault = _second_fault(code, before, columns, s.start)
    told: dict[str, Any] = (
        {} if fault is None else {"fault": fault.text, "job": fault.job, "time": fault.time}
    )
    if said is not None and len(said):
        told["said"] = said.message()
    places = _places(memory, (s, estimator), asked["room_file"])
    return {"seconds": seconds, "ticks": took, "arrays": places, **told}


def _starved(name: str, shown: OwnSimulation) -> Fault | None:
    """The fault of a scheduler that has ended with a job waiting which fits; None where no such job waits."""
    low, high = shown.s.queue.bounds.tolist()
    waiting, room = shown.s.queue.jobs[low:high].tolist(), FutureRoom(shown)
    # What has no room for good, as on nodes that stay down, waits through no fault of the code.
    job = next((job for job in waiting if room.fits_now(job)), None)
    if job is None:
        return None
    others = f", nor {len(waiting) - 1:,} others that wait" if len(waiting) > 1 else ""
    return Fault(f"{name} never starts it{others}: nothing runs any more", job, shown.now)


def _places(memory: NDArray[np.uint8], nest: Any, room: int) -> list[Any]:
    """Where each array of the nest lies: in the memory that the parent filled (0), or in the new one (1)."""
    # Arrays that lie in the shared memory are named by their offset alone: the parent sees what was written
    # into them.
    first = int(memory.__array_interface__["data"][0])
    arrays = list(arrays_of(nest))
    offsets = [int(array.__array_interface__["data"][0]) - first for array in arrays]
    ours = [array.nbytes > 0 and 0 <= at < len(memory) for array, at in zip(arrays, offsets, strict=True)]
    # Arrays that the simulation made anew (larger tables) lie outside and are copied behind the others.
    new = iter(store(room, [array for array, shared in zip(arrays, ours, strict=True) if not shared]))
    return [
        [0, at, array.dtype.str, array.shape, array.flags.writeable] if shared else [1, *next(new)]
        for array, at, shared in zip(arrays, offsets, ours, strict=True)
    ]


def _second_fault(
    code: UserCode, before: tuple[Any, Any], columns: LoggedColumns, start: NDArray[np.int64]
) -> Fault | None:
    """Simulate the first jobs once more, with the code loaded anew; the fault where a start differs.

    Raises Fault where the code does not load a second time.
    """
    s, estimator = before
    # All is built once more from the state before the first run, with the user's module loaded anew, so that
    # nothing the first run left in its variables helps the second.
    control = Control().array
    calls = UserCode(code.asked, code.beat).connect(s, estimator, columns, control)
    calls.stop_at = SECOND_RUN
    variant = load_events(s, estimator)
    while run_events(s, estimator, control, variant) == NEEDS_ROOM:
        s = calls.shown.s = with_larger_tables(s)
    if calls.fault is not None:
        return calls.fault
    # Only jobs that the second run started are compared: it ends early.
    reached = s.start >= 0
    differs = np.flatnonzero(reached & (s.start != start))
    if len(differs):
        # The earliest difference is named: later ones may follow from it.
        job = int(differs[np.argmin(np.minimum(s.start[differs], start[differs]))])
        text = (
            f"a second run starts it at {s.start[job]} s, the first did at {start[job]} s: the code does not "
        )
        first = int(min(s.start[job], start[job]))
        return Fault(f"{text}decide alike twice (fix the seed of its random numbers)", job, first)
    return None


def _copy(s: Scheduler, estimator: Estimator) -> tuple[Scheduler, Estimator]:
    """A copy that shares no memory with the state; arrays that overlap do so in the copy."""
    arrays = list(arrays_of((s, estimator)))
    handle = new_memory()
    places = store(handle, arrays)
    copied: tuple[Scheduler, Estimator] = with_arrays((s, estimator), load(mapped(handle), places))
    os.close(handle)
    return copied


def _classes() -> dict[str, type]:
    """The classes of named tuples that a simulation's state is made of, by name."""
    classes: dict[str, type] = {}
    # The classes of state are found by their types' hints, so that a new part of the state needs no entry
    # here.
    todo: list[type] = [Scheduler, Estimator, LoggedColumns, Beat]
    while todo:
        kind = todo.pop()
        if kind.__name__ in classes:
            continue
        classes[kind.__name__] = kind
        hints = get_type_hints(kind)
        todo += [hint for hint in hints.values() if isinstance(hint, type) and hasattr(hint, "_fields")]
    return classes


class UserCode:
    """The user's file, run as a module of its name, and what of it decides in this simulation."""

    def __init__(self, asked: Mapping[str, Any], beat: Beat) -> None:
        self.asked, self.beat = asked, beat
        self.path = str(asked["path"])
        self.module = self._run()

    def _run(self) -> ModuleType:
        """Run the file. Raises Fault."""
        module = ModuleType(self.asked["module"])
        module.__file__ = self.path
        sys.modules[module.__name__] = module
        for name in self.asked["modules"]:
            sys.modules.pop(name, None)
        self.beat.calls[0] += 1
        try:
            exec(compile(self.asked["text"], self.path, "exec"), module.__dict__)
        except BaseException as error:  # also SystemExit
            raise Fault(described(error, "reading the file", self.path)) from None
        finally:
            self.beat.calls[0] += 1
        return module

    def connect(self, s: Scheduler, estimator: Estimator, columns: LoggedColumns, control: Any) -> Calls:
        """Have the state ask this code. Raises Fault."""
        shown = OwnSimulation(s, columns, self.asked["names"], self.asked["resources"])
        calls = Calls(shown, self.path, self.beat, control)
        for role, (name, kind, values) in self.asked["roles"].items():
            # A decorated function is a declaration that holds the function.
            made = getattr(self.module, name, None)
            function = made.function if isinstance(made, Declaration) else made
            if not callable(function):
                raise Fault(f"{name} is not there once the file has run")
            if role in ("order", "backfill"):
                # Each asked function leaves its address in the state: the kernel calls it there.
                queue = s.queue if role == "order" else s.backfill_queue
                s.asked[ORDER if role == "order" else BACKFILL] = self._order(
                    calls, name, kind, function, queue, values
                )
            elif role == "estimate":
                with_beat = self._made(name, function, values)
                estimator.predictor.asked[:] = calls.predictor(name, with_beat)
            else:
                s.asked[PASS] = calls.scheduler(name, function, values)
        return calls

    def _order(
        self, calls: Calls, name: str, kind: str, function: Any, queue: Any, values: Mapping[str, float]
    ) -> int:
        # An order gets the whole queue as Python; a priority of one job is compiled into a loop over the
        # queue.
        if kind == "order":
            return calls.order(name, function, queue, values)
        shown = calls.shown
        # The loop reads the arrays of the state in place, so they must outlive it: `kept` holds them.
        work, columns = shown.s.work, shown.columns
        asked_for = work.submit, work.walltime, work.estimate, shown.procs
        told = columns.ram, columns.user, columns.queue, columns.group
        waiting = queue.jobs, queue.bounds, queue.key
        try:
            address, made = priority_loop(function, values, waiting, (*asked_for, *told), self.beat.calls)
        except UncompiledError as error:
            raise Fault(f"{name} cannot be compiled ({error}); as an order it runs as Python") from None
        calls.kept += [made, waiting, asked_for, told]
        return address

    def _made(self, name: str, kind: Any, values: Mapping[str, float]) -> Any:
        """An object of a predictor's class. Raises Fault."""
        self.beat.calls[0] += 1
        try:
            return kind(**values)
        except BaseException as error:
            raise Fault(described(error, name, self.path)) from None
        finally:
            self.beat.calls[0] += 1
