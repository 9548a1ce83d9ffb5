"""The formula that a priority of a user's own is, read from its text: nothing of the file has to run then.

A function of one job that only calculates, such as `return (job.wait / job.walltime) ** alpha * job.procs`,
says what `score=` says of waiting jobs. The simulator evaluates it as that formula, without a process, and
without a compiler. All other functions, such as those with loops, have none.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple, TypeGuard

from engine.own.file import OwnFile
from engine.score.parse import Call, Node, Number, VariableNode

_VARIABLES = ("wait", "walltime", "estimate", "procs", "ram")
"""What a job of a priority has that means the same in a formula. `submit` counts from elsewhere there."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
}
_FUNCTIONS = {
    "math": {"log", "log2", "log10", "sqrt", "exp", "fabs", "pow"},
    "numpy": {"log", "log2", "log10", "sqrt", "exp", "abs", "fabs", "power", "minimum", "maximum"},
    "": {"abs", "min", "max", "float"},
}
"""The functions of each module, or of Python itself, that formulas know."""

_MEANT = {"fabs": "abs", "pow": "^", "power": "^", "minimum": "min", "maximum": "max"}
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf}
_WHOLE = ("+", "-", "*", "neg", "abs", "min", "max", "if")
"""Operators of whole numbers that give a whole number."""

_MOST_PARTS = 400
_LARGEST_WHOLE = 2**53  # up to here a float64 is every whole number


class _NoFormulaError(Exception):
    """What the function does is nothing that a formula can say."""


class _Value(NamedTuple):
    """A part of the formula; `whole` if Python calculates it in whole numbers."""

    node: Node
    whole: bool


class _Globals(NamedTuple):
    """What names mean outside of functions: modules, functions of modules, and numbers."""

    modules: dict[str, str]
    functions: dict[str, tuple[str, str]]
    numbers: dict[str, _Value]
    others: set[str]  # names that mean something else


def formula_of(file: OwnFile, name: str, values: Mapping[str, float]) -> Node | None:
    """The formula of a priority with these values of its parameters; None where no formula says the same.

    Like compiled code it divides by 0 without an error, x / 0 being infinite.
    """
    try:
        tree = ast.parse(file.text)
        known = _globals(tree)
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
        if len(function.decorator_list) > 1 or function.args.vararg or function.args.kwarg:
            raise _NoFormulaError
        job, now = (each.arg for each in function.args.posonlyargs + function.args.args)
        # Names that the function assigns hide those of the module.
        stored = {part.id for part in ast.walk(function) if _is_stored(part)}
        reading = _Reading(job, known, {job, now, *stored})
        node = reading.block(function.body, {each: _real(number) for each, number in values.items()})
    except (_NoFormulaError, RecursionError, SyntaxError):
        return None
    return node


def _globals(tree: ast.Module) -> _Globals:
    """What the names of a file mean. Raises _NoFormulaError where running it could change that."""
    known = _Globals({}, {}, {}, set())
    # A function that sets a global may change it between two calls: that is no formula.
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        raise _NoFormulaError
    bound: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            for each in node.names:
                name = each.asname or each.name.partition(".")[0]
                bound.append(name)
                if each.name in _FUNCTIONS:
                    known.modules[name] = each.name
                else:
                    known.others.add(name)
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                name = each.asname or each.name
                bound.append(name)
                if node.module in _FUNCTIONS and not node.level:
                    known.functions[name] = node.module or "", each.name
                else:
                    known.others.add(name)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.append(node.name)
            known.others.add(node.name)
        elif (
            isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        ):
            bound.append(node.targets[0].id)
            known.numbers[node.targets[0].id] = _Reading("", _Globals({}, {}, {}, set()), set()).value(
                node.value, {}
            )
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a docstring
            raise _NoFormulaError
    # What a name means must not depend on when it is read, so that each may be bound only once.
    if "*" in bound or len(set(bound)) < len(bound):
        raise _NoFormulaError
    return known


def _is_stored(part: ast.AST) -> TypeGuard[ast.Name]:
    """Whether this makes a name one of the function's own."""
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)


def _real(number: float) -> _Value:
    return _Value(Number(float(number)), whole=False)


class _Reading:
    """Reads the body of a function of a job into a formula. Raises _NoFormulaError."""

    def __init__(self, job: str, known: _Globals, inside: Set[str]) -> None:
        self._job, self._known = job, known
        self._inside = inside  # names that mean nothing outside of the function
        self._parts = 0

    def block(self, statements: Sequence[ast.stmt], local: Mapping[str, _Value]) -> Node:
        """What the statements return; `local` are the values of names by then."""
        local = dict(local)
        for place, statement in enumerate(statements):
            match statement:
                case ast.Return(value=ast.expr() as value):
                    return self.value(value, local).node
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    local[name] = self.value(value, local)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    local[name] = self.value(value, local)
                case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
                    before = self._named(name, local)
                    local[name] = self._calculated(operator, before, self.value(value, local))
                case ast.If(test=test, body=body, orelse=otherwise):
                    # Both ways lead through what follows: whichever returns first has done with it.
                    rest = statements[place + 1 :]
                    condition = self._test(test, local)
                    ways = [self.block([*way, *rest], local) for way in (body, otherwise)]
                    return self._call("if", condition, *ways)
                case ast.Expr(value=ast.Constant()) | ast.Pass():
                    pass
                case _:
                    raise _NoFormulaError
        raise _NoFormulaError  # it returns None

    def value(self, expression: ast.expr, local: Mapping[str, _Value]) -> _Value:
        """The part of the formula that an expression is."""
        match expression:
            case ast.Constant(value=bool() | int() | float() as number):
                # A whole number that a float cannot hold would give another order than Python does.
                if abs(number) > _LARGEST_WHOLE and isinstance(number, int):
                    # All else runs as Python.
                    raise _NoFormulaError
                return _Value(Number(float(number)), isinstance(number, int))
            case ast.Name(id=name):
                return self._named(name, local)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                return self._attribute(owner, name, local)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._calculated(operator, self.value(left, local), self.value(right, local))
            # A negative constant is a constant in the formula too.
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.value(operand, local)
                if isinstance(value.node, Number):
                    return _Value(Number(-value.node.value), value.whole)
                return _Value(self._call("neg", value.node), value.whole)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand, local)
            case ast.UnaryOp(op=ast.Not()) | ast.Compare():
                return _Value(self._test(expression, local), whole=True)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                condition = self._test(test, local)
                then, other = self.value(body, local), self.value(otherwise, local)
                return _Value(self._call("if", condition, then.node, other.node), then.whole and other.whole)
            case ast.Call(func=function, args=arguments, keywords=[]):
                module, name = self._function(function, local)
                return self._called(module, name, [self.value(each, local) for each in arguments])
        raise _NoFormulaError

    def _test(self, expression: ast.expr, local: Mapping[str, _Value]) -> Node:
        """A condition. Outside of conditions Python's `and` and `or` are no 0 or 1."""
        match expression:
            case ast.BoolOp(op=operator, values=values):
                word = "and" if isinstance(operator, ast.And) else "or"
                node = self._test(values[0], local)
                for each in values[1:]:
                    node = self._call(word, node, self._test(each, local))
                return node
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._call("not", self._test(operand, local))
            case ast.Compare(left=left, ops=operators, comparators=others):
                sides = [self.value(each, local).node for each in (left, *others)]
                pairs = zip(operators, sides, sides[1:], strict=False)
                tests = [self._compared(operator, low, high) for operator, low, high in pairs]
                node = tests[0]
                # Python reads a < b < c as both comparisons at once.
                for test in tests[1:]:
                    node = self._call("and", node, test)
                return node
        return self.value(expression, local).node

    def _compared(self, operator: ast.cmpop, left: Node, right: Node) -> Node:
        if isinstance(operator, ast.NotEq):
            return self._call("not", self._call("==", left, right))
        if type(operator) not in _COMPARISONS:
            raise _NoFormulaError
        return self._call(_COMPARISONS[type(operator)], left, right)

    def _named(self, name: str, local: Mapping[str, _Value]) -> _Value:
        value = local.get(name) if name in local or name in self._inside else self._known.numbers.get(name)
        if value is None:
            raise _NoFormulaError
        return value

    def _attribute(self, owner: str, name: str, local: Mapping[str, _Value]) -> _Value:
        if owner == self._job and owner not in local:
            if name not in _VARIABLES:
                raise _NoFormulaError
            return _Value(VariableNode(name), whole=True)
        if owner in {*self._inside, *local} or owner not in self._known.modules or name not in _CONSTANTS:
            raise _NoFormulaError
        return _real(_CONSTANTS[name])

    def _function(self, function: ast.expr, local: Mapping[str, _Value]) -> tuple[str, str]:
        """The module of a function that formulas know, and its name there."""
        known = self._known
        hidden = {*self._inside, *local}
        match function:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner not in hidden:
                module = known.modules.get(owner, "?")
            case ast.Name(id=name) if name in known.functions and name not in hidden:
                module, name = known.functions[name]
            # A built-in function, unless the file hides it by a name of its own.
            case ast.Name(id=name) if name not in {*hidden, *known.others, *known.modules, *known.numbers}:
                module = ""
            case _:
                raise _NoFormulaError
        if name not in _FUNCTIONS.get(module, ()):
            raise _NoFormulaError
        return module, name

    def _called(self, module: str, name: str, values: Sequence[_Value]) -> _Value:
        meant, nodes = _MEANT.get(name, name), [value.node for value in values]
        if meant == "float" and len(nodes) == 1:
            return _Value(nodes[0], whole=False)
        if meant == "^" and len(nodes) == 2:
            return _Value(self._power(_Value(nodes[0], whole=False), values[1]), whole=False)
        if meant in ("min", "max") and len(nodes) >= 2 and (not module or len(nodes) == 2):
            # NumPy's answer NaN if a value is NaN, as formulas do; Python's depend on the order of values.
            if not module and any(map(_may_be_nan, nodes)):
                raise _NoFormulaError
            node = nodes[0]
            for each in nodes[1:]:
                node = self._call(meant, node, each)
            return _Value(node, all(value.whole for value in values))
        if len(nodes) != 1 or meant in ("min", "max", "^", "float"):
            raise _NoFormulaError
        return _Value(self._call(meant, nodes[0]), meant == "abs" and values[0].whole)

    def _calculated(self, operator: ast.operator, left: _Value, right: _Value) -> _Value:
        sign = _OPERATORS.get(type(operator))
        if sign is None:
            raise _NoFormulaError
        whole = left.whole and right.whole and sign != "/"
        if sign == "^":
            return _Value(self._power(left, right), whole)
        return _Value(self._call(sign, left.node, right.node), whole)

    def _power(self, base: _Value, exponent: _Value) -> Node:
        constant = exponent.node.value if isinstance(exponent.node, Number) else -1.0
        if base.whole and exponent.whole and constant < 0:
            raise _NoFormulaError  # of whole numbers it depends on the exponent of what kind the result is
        return self._call("^", base.node, exponent.node)

    def _call(self, operator: str, *parts: Node) -> Node:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise _NoFormulaError
        return Call(operator, parts)


def _may_be_nan(node: Node) -> bool:
    """Whether a part could be no number, as 0 / 0 is."""
    if not isinstance(node, Call):
        return isinstance(node, Number) and not math.isfinite(node.value)
    return node.operator not in _WHOLE or any(map(_may_be_nan, node.parts))
