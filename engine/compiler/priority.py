"""Priorities: a user's function of one job, compiled into a loop over a queue that a kernel calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple

from engine.compiler.load import load_numba

load_numba()

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from engine.arrays import Floats, Ints


class UncompiledError(Exception):
    """The reason why a function cannot be compiled, in words."""


class PriorityJob(NamedTuple):
    """A job as a compiled priority sees it: whole numbers, times in s."""

    wait: int
    submit: int
    walltime: int
    estimate: int
    procs: int
    ram: int
    user: int
    queue: int
    group: int


def priority_loop(
    function: Callable[..., Any],
    values: Mapping[str, float],
    waiting: tuple[Ints, Ints, Floats],
    columns: Sequence[Ints],
    beat: Ints,
) -> tuple[int, object]:
    """The address of the loop that writes the keys of the waiting jobs, and what keeps it alive.

    `waiting` are the jobs of a queue, their bounds and the keys, as in `Queue`; `columns`, each shape (n,),
    are the fields of `PriorityJob` from `submit` on. The highest number goes first, NaN last. `beat`, shape
    (1,), is counted up before and after. The arrays have to outlive the loop. Raises UncompiledError.
    """
    rank = _with_values(function, values)
    # The loop is compiled with the addresses in it, so that the kernel hands over no arrays.
    addresses = [int(array.__array_interface__["data"][0]) for array in (*waiting, *columns, beat)]
    loop = _loop(rank, addresses, len(columns[0]))
    try:
        made = numba.cfunc("int64(int64, int64)", error_model="numpy")(loop)
    except numba.core.errors.NumbaError as error:
        raise UncompiledError(_reason(str(error), function.__code__.co_filename)) from None
    return int(made.address), made


def _reason(message: str, path: str) -> str:
    """What a message of the compiler says of the function of this file: its line, and what is wrong there."""
    # The reason stands behind the names of the compiler's steps, and before the way to it through callers.
    reason, _, way = message.partition("\nDuring: ")
    lines = [line.strip() for line in reason.partition('\nFile "')[0].splitlines()]
    words = " ".join(line for line in lines if line and not line.startswith("Failed in "))
    place = re.search(rf"{re.escape(path)} \((\d+)\)", way)
    return f"line {place[1]}: {words}" if place else words


def _with_values(function: Callable[..., Any], values: Mapping[str, float]) -> Any:
    """The compiled function of a job and an instant, with the values of its parameters as constants."""
    code = function.__code__
    # Numba knows no arguments behind a star: they become ordinary ones.
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    plain = FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
    compiled = numba.njit(error_model="numpy")(plain)
    given = tuple(float(values[name]) for name in code.co_varnames[2 : code.co_argcount])

    def rank(job: PriorityJob, now: int) -> float:
        return compiled(job, now, *given)  # type: ignore[no-any-return]

    return numba.njit(error_model="numpy")(rank)


def _loop(rank: Any, addresses: Sequence[int], jobs: int) -> Any:
    """The function that writes the keys of a queue of at most so many jobs."""
    (at_jobs, at_bounds, at_key, at_submit, at_walltime, at_estimate) = addresses[:6]
    (at_procs, at_ram, at_user, at_queue, at_group, at_beat) = addresses[6:]

    def loop(now: int, _: int) -> int:
        waiting, bounds, key = _ints_at(at_jobs, jobs), _ints_at(at_bounds, 2), _floats_at(at_key, jobs)
        submit, walltime = _ints_at(at_submit, jobs), _ints_at(at_walltime, jobs)
        estimate, procs, ram = _ints_at(at_estimate, jobs), _ints_at(at_procs, jobs), _ints_at(at_ram, jobs)
        user, queue, group = _ints_at(at_user, jobs), _ints_at(at_queue, jobs), _ints_at(at_group, jobs)
        beat = _ints_at(at_beat, 1)
        # An odd count says that the user's code runs: who watches it from outside can tell an endless loop.
        beat[0] += 1
        for index in range(bounds[0], bounds[1]):
            at = waiting[index]
            job = PriorityJob(
                now - submit[at],
                submit[at],
                walltime[at],
                estimate[at],
                procs[at],
                ram[at],
                user[at],
                queue[at],
                group[at],
            )
            score = float(rank(job, now))
            # The queue is sorted by the smallest key; what is not a number goes last.
            key[at] = -score if score == score else np.inf
        beat[0] += 1
        return 0

    return loop


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(typing_context: object, address: object) -> tuple[object, object]:
    """An address as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return numba.types.voidptr(numba.types.int64), generate


@numba.njit  # type: ignore[untyped-decorator]
def _ints_at(address: int, length: int) -> Any:
    return numba.carray(_pointer(address), (length,), np.int64)


@numba.njit  # type: ignore[untyped-decorator]
def _floats_at(address: int, length: int) -> Any:
    return numba.carray(_pointer(address), (length,), np.float64)
