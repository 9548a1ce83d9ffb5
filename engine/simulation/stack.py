"""The stack machine that evaluates formulas for a whole queue: each step is done for all jobs at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.score.program import CODES, COLUMN, CONSTANT
from engine.simulation.queue import Queue

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Score(NamedTuple):
    """A formula as a program (`engine.score.program`), with its data and its stack."""

    code: Ints  # (steps,) code of each step, as in `engine.score.program`
    number: Floats  # (steps,) constant, column or variable of a step that pushes a value
    columns: Floats  # (columns, n) values of parts that do not change with time
    stack: Floats  # (height, n) scratch; columns by position in the queue
    user: Ints  # (n,) user code of each job, for USER_QUEUED and USAGE
    waiting: Ints  # (users,) scratch: jobs of each user in the queue
    since: Ints  # (changes,) s, times at which the local clock changed; the first is before all jobs
    ahead: Ints  # (changes,) s that the local clock is ahead of the trace's time from then on
    zero: int  # s, the first submission


NO_SCORE = unchanging(
    Score(
        code=np.zeros(0, np.int64),
        number=np.zeros(0),
        columns=np.zeros((0, 0)),
        stack=np.zeros((0, 0)),
        user=np.zeros(0, np.int64),
        waiting=np.zeros(0, np.int64),
        since=np.zeros(0, np.int64),
        ahead=np.zeros(0, np.int64),
        zero=0,
    )
)
"""Of a policy without a formula."""

NEG, NOT, LOG, LOG2, LOG10, SQRT, EXP, ABS = (
    CODES[name] for name in ("neg", "not", "log", "log2", "log10", "sqrt", "exp", "abs")
)
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = (CODES[name] for name in "+-*/^")
LESS, AT_MOST, MORE, AT_LEAST, EQUAL = (CODES[name] for name in ("<", "<=", ">", ">=", "=="))
AND, OR, MIN, MAX, IF = (CODES[name] for name in ("and", "or", "min", "max", "if"))


@inner_kernel
def push_known(score: Score, queue: Queue, step: int, top: int) -> None:
    """Push the constant or the column of a step into row `top` of the stack, for each waiting job."""
    low = queue.bounds[0]
    # The steps of the formula are the outer loop and the jobs the inner one, so that each operation runs
    # over a whole row of the stack.
    if score.code[step] == CONSTANT:
        for index in range(queue.bounds[1] - low):
            score.stack[top, index] = score.number[step]
    elif score.code[step] == COLUMN:
        # Columns are by job, rows of the stack by place in the queue.
        column = int(score.number[step])
        for index in range(queue.bounds[1] - low):
            score.stack[top, index] = score.columns[column, queue.jobs[low + index]]


@inner_kernel
def apply_operator(score: Score, waiting: int, code: int, top: int) -> int:
    """Replace an operator's arguments on the stack by its result, for each of `waiting` jobs.

    `top` is the first free row of the stack; returns the new one.
    """
    stack = score.stack
    # Codes are ordered by the number of arguments: one, then the only one of three, then two.
    if code <= ABS:
        for index in range(waiting):
            stack[top - 1, index] = _of_one(code, stack[top - 1, index])
        return top
    # Both branches are computed already, so a choice only copies one: (condition, then, else) becomes one
    # row.
    if code == IF:
        for index in range(waiting):
            chosen = top - 2 if stack[top - 3, index] != 0 else top - 1
            stack[top - 3, index] = stack[chosen, index]
        return top - 2
    for index in range(waiting):
        stack[top - 2, index] = _of_two(code, stack[top - 2, index], stack[top - 1, index])
    return top - 1


@inner_kernel
def _of_one(code: int, value: float) -> float:
    if code == NEG:
        return -value
    if code == NOT:
        return 1.0 if value == 0 else 0.0
    if code == ABS:
        return abs(value)
    if code == EXP:
        return float(np.exp(value))
    # Roots and logarithms: NaN below 0, as in floating-point arithmetic, instead of an error.
    if value < 0:
        return math.nan
    if code == SQRT:
        return float(np.sqrt(value))
    if value == 0:
        return -math.inf
    if code == LOG:
        return float(np.log(value))
    return float(np.log2(value) if code == LOG2 else np.log10(value))


@inner_kernel
def _of_two(code: int, a: float, b: float) -> float:
    if code == ADD:
        return a + b
    if code == SUBTRACT:
        return a - b
    if code == MULTIPLY:
        return a * b
    if code == DIVIDE:
        if b != 0:
            return a / b
        # Kernels would stop at a division by 0: the value is that of IEEE 754.
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a)
    if code == POWER:
        return float(a**b)
    if code in (MIN, MAX):
        if a != a or b != b:
            return math.nan
        return min(a, b) if code == MIN else max(a, b)
    return 1.0 if _holds(code, a, b) else 0.0


@inner_kernel
def _holds(code: int, a: float, b: float) -> bool:
    if code == LESS:
        return a < b
    if code == AT_MOST:
        return a <= b
    if code == MORE:
        return a > b
    if code == AT_LEAST:
        return a >= b
    if code == EQUAL:
        return a == b
    if code == AND:
        return a != 0 and b != 0
    # What is left is OR. Comparisons with NaN are false, but NaN itself counts as true.
    return a != 0 or b != 0
