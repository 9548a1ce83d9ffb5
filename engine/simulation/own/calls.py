"""The functions that a kernel calls for a user's own code: they show it arrays, and check what it returns."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.callback import CALLED
from engine.own.running import described
from engine.schedule.own_reasons import SaidRows
from engine.simulation.control import CANCEL, ENDED
from engine.simulation.own.own_decisions import ENDS, FINE, LIMITED, RESERVES, TIME, WAKES
from engine.simulation.own.own_simulation import OwnSimulation
from engine.simulation.own.visible_state import JobArrays, Machine, OneJob, PassState, waiting_in
from engine.simulation.queue import Queue

Ints = NDArray[np.int64]

_NO_JOB = -1

MOST_IDLE_CALLS = 1_000_000
"""So often a scheduler may ask in vain to be called again while nothing runs and nobody is to come: polling
each second that is eleven days."""


class Fault(Exception):  # noqa: N818 - what a user's code did wrong, told as a sentence
    """What was wrong with a call: in words, with the job (its number, or -1) and the instant, s."""

    def __init__(self, text: str, job: int = _NO_JOB, time: int | None = None) -> None:
        super().__init__(text)
        self.text, self.job, self.time = text, job, time


class Beat(NamedTuple):
    """What the parent watches: how often code of the user's was entered and left, and when it was entered."""

    calls: Ints  # (1,) odd while the code runs
    now: Ints  # (1,) s, the instant of the simulation at the last call


class _Entered:
    """A call of the user's code: watched, and with its errors kept as a fault.

    One serves all calls of a function, since calls do not nest.
    """

    __slots__ = ("_calls", "_count", "_instant", "_name", "job", "now")

    def __init__(self, calls: Calls, name: str) -> None:
        self._calls, self._name = calls, name
        self.now, self.job = 0, _NO_JOB
        # Views of the memory: a number of an array takes three times as long to write.
        self._count, self._instant = calls.beat.calls.data, calls.beat.now.data

    def at(self, now: int, job: int = _NO_JOB) -> _Entered:
        """The next call, at an instant, s, about a job."""
        self.now, self.job = now, job
        return self

    def __enter__(self) -> None:
        self._instant[0] = self.now
        self._count[0] += 1

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._count[0] += 1
        if error is None:
            return True
        if isinstance(error, Fault):
            self._calls.fail(error)
        else:  # also SystemExit and KeyboardInterrupt: nothing passes compiled code
            self._calls.fail(Fault(described(error, self._name, self._calls.path), self.job, self.now))
        return True


class Calls:
    """The user's functions as kernels call them. After the first fault the simulation is cancelled.

    A call that fails cannot raise through compiled code: the fault is kept, and told when the kernel returns.
    """

    def __init__(self, shown: OwnSimulation, path: str, beat: Beat, control: Ints) -> None:
        self.shown, self.path, self.beat, self.control = shown, path, beat, control
        self.fault: Fault | None = None
        self.said: SaidRows | None = None  # None: reasons of a scheduler are not kept
        self.stop_at: int | None = None  # ended jobs at which a second run stops
        self.kept: list[Any] = []  # what has its address in use

    def address(self, function: Callable[[int, int], int]) -> int:
        """The address by which a kernel calls a function, which is kept alive."""
        made = CALLED(function)
        self.kept.append(made)
        return int(ctypes.cast(made, ctypes.c_void_p).value or 0)

    def fail(self, fault: Fault) -> None:
        """Keep the first fault, and end the simulation."""
        if self.fault is None:
            self.fault = fault
        self.control[CANCEL] = 1

    def order(
        self, name: str, function: Callable[..., Any], queue: Queue, values: Mapping[str, float]
    ) -> int:
        """The address of an order's function for a queue."""
        shown, machine, entered = self.shown, Machine(self.shown), _Entered(self, name)

        def ask(now: int, _: int) -> int:
            # The kernel goes on until it sees that it is cancelled: the user's code is not entered again.
            if self.fault is not None:
                return 0
            shown.now = now
            jobs = waiting_in(shown, queue)
            with entered.at(now):
                # The queue is sorted by ascending key, and the user's highest score goes first.
                queue.key[jobs.index] = -scores(name, function(jobs, now, machine, **values), jobs, now)
            # The second run, which only compares decisions, needs no more than its first jobs.
            if self.stop_at is not None and self.control[ENDED] >= self.stop_at:
                self.control[CANCEL] = 1
            return 0

        return self.address(ask)

    def predictor(self, name: str, made: Any) -> tuple[int, int]:
        """The addresses of a predictor's two functions."""
        shown = self.shown
        predicts, learns = (_Entered(self, f"{name}.{method}") for method in ("predict", "learn"))

        def predict(job: int, walltime: int) -> int:
            if self.fault is not None:
                return walltime
            now = int(shown.s.work.submit[job])
            shown.now = now
            with predicts.at(now, job):
                return seconds(name, made.predict(OneJob(shown, job)), job, now, walltime)
            return walltime  # after a fault

        def learn(job: int, runtime: int) -> int:
            # The kernel goes on until it sees that it is cancelled: the user's code is not entered again.
            if self.fault is not None:
                return 0
            # The kernel teaches at the end of a job, whose second the call does not carry.
            now = int(shown.s.start[job] + shown.s.work.runtime[job])
            shown.now = now
            with learns.at(now, job):
                made.learn(OneJob(shown, job), runtime)
            if self.stop_at is not None and self.control[ENDED] >= self.stop_at:
                self.control[CANCEL] = 1
            return 0

        return self.address(predict), self.address(learn)

    def scheduler(self, name: str, function: Callable[..., Any], values: Mapping[str, float]) -> int:
        """The address of a scheduler's function, called once for each thing that it yields."""
        shown, state = self.shown, PassState(self.shown)
        under_way: list[Iterator[Any]] = []
        last, idle = [_NO_JOB], [0]
        others, entered = _OtherNodes(shown), _Entered(self, name)

        def ask(now: int, became: int) -> int:
            named = others.show()  # before the code sees what is free, and before anything else is placed
            if self.fault is not None:
                return ENDS
            shown.now = now
            # Errors of the user's code end in the block: nothing may pass through the kernel.
            with entered.at(now, last[0]):
                # What became of the last answer is told now, at the line of code that gave it.
                if became != FINE:
                    raise Fault(f"{name} starts it, {_why_not(became, named)}", last[0], now)
                # A pass is a generator that lives over several calls: it goes on where it had yielded.
                if not under_way:
                    passes = function(state, **values)
                    if not inspect.isgenerator(passes):
                        raise Fault(f"{name} yields nothing: write `yield job` for each start", _NO_JOB, now)
                    under_way.append(passes)
                # Reasons need no decision of the kernel, so the loop goes on to the next answer.
                for answer in under_way[0]:
                    if self._is_reason(name, answer, now):
                        continue
                    code, last[0], nodes = self._answer(name, answer, now)
                    # Time would go on for ever: no end and no submission is to come.
                    idle[0] = idle[0] + 1 if code == WAKES and self._is_idle else 0
                    if idle[0] > MOST_IDLE_CALLS:
                        times = f"{MOST_IDLE_CALLS:,} times"
                        raise Fault(
                            f"{name} asks {times} to be called again, and starts nobody", _NO_JOB, now
                        )
                    others.hide(nodes)
                    return code
                # The generator has ended, and with it the pass.
                under_way.clear()
                last[0] = _NO_JOB
            if self.stop_at is not None and self.control[ENDED] >= self.stop_at:
                self.control[CANCEL] = 1
            return ENDS

        return self.address(ask)

    @property
    def _is_idle(self) -> bool:
        """Whether nothing runs, and all jobs have been submitted."""
        s = self.shown.s
        return not s.run.running[0] and int(s.loop.submitted[0]) >= len(s.start)

    def _is_reason(self, name: str, answer: Any, now: int) -> bool:
        """Whether a scheduler yielded a job with why it waits, which is kept. Raises Fault."""
        # A pair with a text is a reason; all other answers are read by the caller.
        if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], str)):
            return False
        job, text = answer
        if not isinstance(job, int | np.integer) or isinstance(job, bool):
            what = f"{name} gives a reason for {str(job)[:80]!r}, which is no job's number"
            raise Fault(what, _NO_JOB, now)
        self._check_waits(f"{name} gives a reason for it", int(job), now)
        if self.said is not None:
            self.said.add(now, int(job), text)
        return True

    def _check_waits(self, does: str, job: int, now: int) -> None:
        """Raise Fault, in words after what the code `does`, where a job does not wait."""
        s = self.shown.s
        low, high = s.queue.bounds.tolist()
        if (s.queue.jobs[low:high] == job).any():
            return
        known = 0 <= job < len(s.start)
        started = known and s.start[job] >= 0
        why = "it has started before" if started else "it does not wait" if known else f"{job} is no job"
        raise Fault(f"{does}, but {why}", job if known else _NO_JOB, now)

    def _answer(self, name: str, answer: Any, now: int) -> tuple[int, int, Ints | None]:
        """The code of what a scheduler yielded, its job, and the nodes that it names. Raises Fault."""
        job, time = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, None)
        # One form for each decision: a job starts, a job on these nodes, a job at a later time, or nobody
        # until a time.
        s, nodes = self.shown.s, None
        if isinstance(time, list | tuple | range | np.ndarray):
            time, nodes = None, _nodes(name, time, len(s.machine.free), now)
        # A reservation or a call in the past would stop the clock: the pass would be asked again at once.
        if time is not None:
            if not isinstance(time, int | np.integer) or time <= now:
                raise Fault(f"{name} names {time!r}, which is no later second", _NO_JOB, now)
            s.asked[TIME] = time
            if job is None:
                return WAKES, _NO_JOB, None
        if not isinstance(job, int | np.integer) or isinstance(job, bool):
            text = f"{name} yields {str(answer)[:80]!r}: yield a job's number to start it, (job, nodes) to "
            more = "start it on these, (job, time) to reserve for it, (job, 'why') to say why it waits, "
            raise Fault(f"{text}{more}(None, time) to be called again", _NO_JOB, now)
        self._check_waits(f"{name} starts it", int(job), now)
        # A reservation is told from a start by its sign: the kernel receives one number.
        return (int(job) if time is None else RESERVES - int(job)), int(job), nodes


class _OtherNodes:
    """Nodes on which the job that is started next must not be placed: to the kernel they seem full."""

    def __init__(self, shown: OwnSimulation) -> None:
        self._shown = shown
        self._named: Ints | None = None
        self._hidden: tuple[Ints, Ints] | None = None  # the nodes, and what is free on them

    def hide(self, named: Ints | None) -> None:
        """Leave the named nodes to the next placement alone; None: all."""
        self._named = named
        if named is None:
            return
        free = self._shown.s.machine.free
        rest = np.setdiff1d(np.arange(len(free)), named)
        self._hidden = rest, free[rest]
        # Below 0: a task that asks for nothing of a resource would fit where 0 of it are free.
        free[rest] = -1

    def show(self) -> Ints | None:
        """Undo that; the nodes that were named."""
        if self._hidden is not None:
            nodes, free = self._hidden
            self._shown.s.machine.free[nodes] = free
            self._hidden = None
        return self._named


def _nodes(name: str, given: Any, count: int, now: int) -> Ints:
    """The numbers of nodes that a scheduler names for a start, ascending. Raises Fault."""
    if count == 1:
        raise Fault(f"{name} names nodes, but the machine is one pool of processors", _NO_JOB, now)
    # Lists of unequal length, or of objects, do not make an array: they are answered as what is no number.
    try:
        nodes = np.array(given)
    except ValueError:
        nodes = np.zeros(0)
    if nodes.ndim != 1 or nodes.dtype.kind not in "iu" or not len(nodes):
        raise Fault(f"{name} names {str(given)[:80]}, which are no numbers of nodes", _NO_JOB, now)
    if nodes.min() < 0 or nodes.max() >= count:
        wrong = int(nodes.max()) if nodes.max() >= count else int(nodes.min())
        raise Fault(f"{name} names node {wrong}, but nodes are 0 to {count - 1}", _NO_JOB, now)
    return np.unique(nodes).astype(np.int64)


_MOST_NAMED = 10


def _why_not(became: int, named: Ints | None) -> str:
    """The rule that forbids a start."""
    if became == LIMITED:
        return "but a limit of its user or queue forbids that"
    if named is None:
        return "but the free resources are too few"
    numbers = ", ".join(map(str, named[:_MOST_NAMED].tolist()))
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    one = "" if len(named) == 1 else "s"
    return f"but node{one} {numbers}{more} of the machine cannot take it now"


def scores(name: str, returned: Any, jobs: JobArrays, now: int) -> NDArray[np.float64]:
    """The numbers that an order returned, a float for each job. Raises Fault."""
    try:
        # Python's None would become NaN.
        numbers = np.asarray("" if returned is None else returned, np.float64)
    except (TypeError, ValueError):
        raise Fault(
            f"{name} returns {type(returned).__name__}, not a number for each job", time=now
        ) from None
    if numbers.shape not in ((len(jobs),), ()):
        shape = ", ".join(map(str, numbers.shape))
        raise Fault(f"{name} returns an array of shape ({shape}) for {len(jobs)} jobs that wait", time=now)
    squares = numbers.dot(numbers)  # no sum of squares is NaN, unless one of them is
    if squares != squares:
        place = int(np.argmax(np.broadcast_to(numbers != numbers, len(jobs))))
        raise Fault(f"{name} returns NaN for it", int(jobs.index[place]), now)
    return numbers


def seconds(name: str, returned: Any, job: int, now: int, walltime: int) -> int:
    """The runtime that a predictor returned, from 1 s to the walltime. Raises Fault."""
    try:
        value = float(returned)
    except (TypeError, ValueError):
        kind = type(returned).__name__
        raise Fault(f"{name}.predict returns {kind} for it, not a number of seconds", job, now) from None
    if value != value:
        raise Fault(f"{name}.predict returns NaN for it", job, now)
    return int(max(1.0, min(value, float(walltime))))
