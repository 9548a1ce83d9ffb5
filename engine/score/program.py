"""Formulas as programs of a stack machine; parts that do not change with time are computed in advance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.score.parse import Call, Node, Number, VariableNode, names_of

CONSTANT, COLUMN, VARIABLE = range(3)
"""Steps that push a value: their number, the column with that number, or the variable with that number."""

OPERATORS = (
    *("neg", "not", "log", "log2", "log10", "sqrt", "exp", "abs"),  # of a single value
    *("+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "and", "or", "min", "max"),  # of two
    "if",  # of three
)
"""Steps that replace values on the stack by a result; CODES numbers them."""

CODES = {operator: VARIABLE + 1 + number for number, operator in enumerate(OPERATORS)}

MOVING = ("wait", "estimate", "area", "usage", "queued", "user_queued", "slack", "hour", "submit")
"""Variables whose values change with time, in the order of their numbers."""


class Program(NamedTuple):
    """A program for a stack machine: codes, with a number if needed, both shape (steps,).

    `columns`, shape (columns, n), are parts that are precomputed for each job. At most `height` values are on
    the stack at once.
    """

    code: Ints
    number: Floats
    columns: Floats
    height: int


def evaluate(node: Node, values: Mapping[str, Floats]) -> Floats:
    """A formula for all jobs at once, shape (n,) or (); `values` has a column for each name.

    IEEE 754 throughout, where x / 0 is infinity of x's sign, and 0 / 0 not a number.
    """
    if isinstance(node, Number):
        return np.asarray(node.value)
    if isinstance(node, VariableNode):
        return values[node.name]
    with np.errstate(all="ignore"):
        return np.asarray(
            _FUNCTIONS[node.operator](*(evaluate(part, values) for part in node.parts)), np.float64
        )


def compile_formula(node: Node, values: Mapping[str, Floats]) -> Program:
    """The program of a formula; `values` has a column, shape (n,), for each name that does not move."""
    steps: list[tuple[int, float]] = []
    columns: list[Floats] = []
    height = _emit(node, values, steps, columns)
    code, number = zip(*steps, strict=True)
    return Program(
        np.array(code, np.int64),
        np.array(number, np.float64),
        np.array(columns) if columns else np.zeros((0, 0)),
        height,
    )


def _emit(
    node: Node, values: Mapping[str, Floats], steps: list[tuple[int, float]], columns: list[Floats]
) -> int:
    """Append the steps of a part; returns the largest number of values that they have on the stack."""
    names = names_of(node)
    # A part without variables is computed once, here.
    if not names:
        steps.append((CONSTANT, float(evaluate(node, {}))))
        return 1
    # A part that does not change with time becomes a column, computed once for all jobs.
    if names <= values.keys():
        steps.append((COLUMN, float(len(columns))))
        columns.append(evaluate(node, values))
        return 1
    if isinstance(node, VariableNode):
        steps.append((VARIABLE, float(MOVING.index(node.name))))
        return 1
    assert isinstance(node, Call)
    # The part with number k is computed while k values already lie on the stack.
    height = max(below + _emit(part, values, steps, columns) for below, part in enumerate(node.parts))
    steps.append((CODES[node.operator], 0.0))
    return height


def _divide(dividend: Floats, divisor: Floats) -> Floats:
    return np.asarray(dividend / np.where(divisor == 0, 0.0, divisor))  # -0.0 counts as 0.0


def _choose(condition: Floats, then: Floats, otherwise: Floats) -> Floats:
    return np.where(condition != 0, then, otherwise)


def _flags(function: Callable[..., NDArray[np.bool_]]) -> Callable[..., Floats]:
    return lambda *values: function(*values).astype(np.float64)


_FUNCTIONS: dict[str, Callable[..., Floats]] = {
    "neg": np.negative,
    "not": _flags(lambda a: np.equal(a, 0)),
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "abs": np.abs,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _divide,
    "^": np.power,
    "<": _flags(np.less),
    "<=": _flags(np.less_equal),
    ">": _flags(np.greater),
    ">=": _flags(np.greater_equal),
    "==": _flags(np.equal),
    "and": _flags(lambda a, b: np.not_equal(a, 0) & np.not_equal(b, 0)),
    "or": _flags(lambda a, b: np.not_equal(a, 0) | np.not_equal(b, 0)),
    "min": np.minimum,
    "max": np.maximum,
    "if": _choose,
}
