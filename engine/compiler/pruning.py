"""A compiler pass that removes branches whose condition is known from the type of a packed tuple.

LLVM would drop them as well, but late: by then Numba has inferred the types of every function that they
call, and written their intermediate form, which takes most of the compile time. The pass runs before
types are inferred, so the functions of a removed branch are never compiled.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import run_frontend
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.ir_utils import get_definition, guard
from numba.core.types.containers import BaseNamedTuple

from engine.compiler.inner_functions import Inner
from engine.compiler.packed_tuples import Packed

_UNKNOWN = object()


@register_pass(mutates_CFG=True, analysis_only=False)
class PruneKnownBranches(FunctionPass):  # type: ignore[misc]
    """A pass that turns branches with a known condition into jumps, and removes unreachable blocks."""

    _name = "prune_known_branches"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Run the pass; returns whether it changed anything."""
        return _prune(state.func_ir, state.args)


def _prune(function: Any, types: Any) -> bool:
    """Prune the intermediate form of a function, given its argument types; returns whether it changed."""
    if not any(isinstance(kind, Packed) for kind in types):
        return False
    changed = False
    for block in function.blocks.values():
        branch = block.body[-1]
        if isinstance(branch, ir.Branch):
            value = _value(function, types, branch.cond)
            # The branch always goes one way: it becomes a jump.
            if value is not _UNKNOWN:
                block.body[-1] = ir.Jump(branch.truebr if value else branch.falsebr, loc=branch.loc)
                changed = True
    # Blocks that nothing reaches any more are not compiled, which is the gain.
    if changed:
        for label in compute_cfg_from_blocks(function.blocks).dead_nodes():
            del function.blocks[label]
    return changed


def _value(function: Any, types: Any, variable: Any) -> Any:
    """The value of a variable, where constants and what is known of packed arguments give it; or _UNKNOWN."""
    made = guard(get_definition, function, variable)
    if isinstance(made, ir.Const | ir.Global | ir.FreeVar):
        return made.value if isinstance(made.value, int) else _UNKNOWN  # bool is an int
    if not isinstance(made, ir.Expr):
        return _UNKNOWN
    if made.op == "binop":
        sides = [_value(function, types, side) for side in (made.lhs, made.rhs)]
        return _UNKNOWN if _UNKNOWN in sides else made.fn(*sides)
    if made.op == "unary":
        value = _value(function, types, made.value)
        return _UNKNOWN if value is _UNKNOWN else made.fn(value)
    if made.op == "getattr":
        value = _known(function, types, made)
        return value if isinstance(value, int) else _UNKNOWN
    if made.op == "getitem":
        axis = _value(function, types, made.index)
        return _length(function, types, guard(get_definition, function, made.value), axis)
    return _returned(function, types, made) if made.op == "call" and not made.kws else _UNKNOWN


def _returned(function: Any, types: Any, call: Any) -> Any:
    """The known value that a call returns, or _UNKNOWN."""
    made = guard(get_definition, function, call.func)
    if not isinstance(made, ir.Global):
        return _UNKNOWN
    if made.value is bool and len(call.args) == 1:
        return _value(function, types, call.args[0])
    # Sizes of packed arrays are known where the kernel is compiled for them.
    if made.value is len:
        return _size(function, types, call.args[0], 0)
    given = [_packed(function, types, argument) for argument in call.args]
    if not isinstance(made.value, Dispatcher | Inner) or not any(given):
        return _UNKNOWN
    return _result(made.value, tuple(given))


@cache
def _result(inner: Any, given: tuple[Packed | None, ...]) -> Any:
    """The value that a function returns to any call with these packed arguments (None: others), or _UNKNOWN.

    Known if there is no other return once the function's own branches are decided. Cached, since the same
    questions (is this a pool?) are asked in dozens of functions.
    """
    called = run_frontend(inner.__wrapped__)
    _prune(called, given)
    returns = [block.body[-1] for block in called.blocks.values() if isinstance(block.body[-1], ir.Return)]
    # Several ways to return: nothing is known of the value.
    if len(returns) != 1:
        return _UNKNOWN
    result = guard(get_definition, called, returns[0].value)
    cast = isinstance(result, ir.Expr) and result.op == "cast"
    return _value(called, given, result.value if cast else returns[0].value)


def _length(function: Any, types: Any, shape: Any, axis: Any) -> Any:
    """The size of an array along an axis, given the expression of its shape."""
    reads = isinstance(shape, ir.Expr) and shape.op == "getattr" and shape.attr == "shape"
    if reads and isinstance(axis, int):
        return _size(function, types, shape.value, axis)
    return _UNKNOWN


def _size(function: Any, types: Any, array: Any, axis: int) -> Any:
    made = guard(get_definition, function, array)
    if isinstance(made, ir.Expr) and made.op == "getattr":
        known = _known(function, types, made)
        if isinstance(known, tuple) and known[axis] is not None:
            return known[axis]
    return _UNKNOWN


def _known(function: Any, types: Any, made: Any) -> Any:
    """The known value of a field of a packed tuple, given the expression that reads it; None if unknown."""
    packed = _packed(function, types, made.value)
    return None if packed is None else packed.known.get(made.attr)


def _packed(function: Any, types: Any, variable: Any) -> Packed | None:
    """The type of a variable that is a packed argument or a tuple within one; None for others."""
    made = guard(get_definition, function, variable)
    if isinstance(made, ir.Arg):
        kind = types[made.index]
        return kind if isinstance(kind, Packed) else None
    # A field of a packed tuple may be a packed tuple itself.
    if isinstance(made, ir.Expr) and made.op == "getattr":
        outer = _packed(function, types, made.value)
        if outer is not None and made.attr in outer.kind.fields:
            field = list(outer.kind)[outer.kind.fields.index(made.attr)]
            if isinstance(field, BaseNamedTuple):
                return Packed(field, outer.known_within(made.attr))
    return None
