"""A file of a user's own code, read as text: what it declares, with which parameters, and its digest.

Nothing of it runs here. Decorators and ranges are found in the syntax tree, so they have to be written out.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.own.declare import DECORATORS, ParameterRange
from engine.own.modules import OwnModule, modules_beside
from engine.spelling import format_real, nearest

MOST_BYTES = 1 << 20
"""Of a file of code."""

_ARGUMENTS = {
    "order": "jobs, now, machine",
    "priority": "job, now",
    "scheduler": "state",
    "metric": "jobs",
    "quantity": "jobs",
}
"""The arguments before the `*` of each kind of function."""

UNITS_OF_JOBS = ("", "count", "s", "MiB", "ratio", "%", "processor-s", "J")
"""The units that a quantity may have; "" is a plain number, a ratio."""

_RANGES = ("Range", "ParameterRange")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function of the user's: a key of the policy."""

    name: str
    default: float
    range: ParameterRange | None = None  # None: any number

    def parse(self, text: str) -> float:
        """The number that a text is. Raises InputError."""
        whole = self.range is not None and self.range.whole
        try:
            value: float = int(text) if whole else float(text)
        except ValueError:
            what = "a whole number" if whole else "a number"
            raise InputError(f"{self.name} cannot be {text!r}: it is {what}{self._bounds}") from None
        if value != value or (self.range is not None and not self.range.low <= value <= self.range.high):
            raise InputError(f"{self.name} cannot be {text}: it is{self._bounds or ' a number'}")
        return value

    @property
    def _bounds(self) -> str:
        return "" if self.range is None else f" {self.range}"

    def format(self, value: float) -> str:
        """The shortest text that `parse` reads as this number."""
        return format_real(value) if abs(value) < 1e12 and value == round(value, 12) else repr(value)


@dataclass(frozen=True)
class Declared:
    """A function or class that a file declares: its kind (a decorator's name), and its parameters."""

    name: str
    kind: str
    line: int
    parameters: tuple[Parameter, ...]
    about: str = ""  # the first line of its docstring
    unit: str = ""  # of a metric or a quantity
    better: str | None = None  # of a metric: "lower", "higher", or None
    by: str | None = None  # of a metric: "user" where it has a number for each


@dataclass(frozen=True)
class OwnFile:
    """A file of a user's own code. Two are equal if their paths and digests are.

    The digest covers the text and those of the modules and packages that it imports from its folder.
    """

    path: Path
    digest: str
    text: str = field(repr=False, compare=False)
    declared: tuple[Declared, ...] = field(repr=False, compare=False)
    modules: tuple[OwnModule, ...] = field(default=(), repr=False, compare=False)

    def named(self, name: str) -> Declared:
        """What is declared by this name. Raises InputError."""
        for each in self.declared:
            if each.name == name:
                return each
        names = [each.name for each in self.declared]
        hint = nearest(name, names) or f": it declares {', '.join(names)}"
        raise InputError(f"{self.path}: no {name!r} is declared here{hint}")


def read_own_file(path: Path) -> OwnFile:
    """Read a file and the modules that it imports from its folder, as text. Raises InputError.

    An error of syntax is named with its line.
    """
    text = read_text(path, MOST_BYTES)
    tree = _parsed(path, text)
    declared = tuple(_declared(path, tree))
    if not declared:
        names = ", ".join(f"@batchscope.{name}" for name in DECORATORS)
        raise InputError(f"{path}: nothing is declared here; put one of {names} before a function")
    seen: dict[str, Declared] = {}
    for each in declared:
        if each.name in seen:
            raise InputError(f"{path}:{each.line}: {each.name} is declared twice")
        seen[each.name] = each
    digest = hashlib.sha256(text.encode())
    modules = modules_beside(path, tree, lambda module: read_text(module, MOST_BYTES), _parsed)
    for module in modules:  # texts have no null characters, so that no two sets of modules are alike
        kind = "package" if module.is_package else "module"
        digest.update(f"\0{kind} {module.name}\0{module.text}".encode())
    return OwnFile(path, digest.hexdigest(), text, declared, modules)


def _parsed(path: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text, str(path))
    except SyntaxError as error:
        raise InputError(f"{path}:{error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, or nested too deep
        raise InputError(f"{path}: this is no Python ({str(error).lower() or 'too large'})") from None


def _declared(path: Path, tree: ast.Module) -> Iterator[Declared]:
    """What the file declares at its outermost level."""
    # The file is read, not run: what it declares must be known before anybody allows it to run.
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        for decorator in node.decorator_list:
            kind = _last_name(decorator)
            if kind not in DECORATORS:
                continue
            _check_form(path, node, kind)
            about = (ast.get_docstring(node) or "").partition("\n")[0]
            unit, better, by = "", None, None
            if kind == "metric":
                unit, better, by = _rating(path, node, decorator)
            elif kind == "quantity":
                unit = _unit(path, node, decorator)
            parameters = tuple(_parameters(path, node))
            yield Declared(node.name, kind, node.lineno, parameters, about, unit, better, by)


def _check_form(path: Path, node: ast.FunctionDef | ast.ClassDef, kind: str) -> None:
    """Raise InputError for a function where a class is due, a class where a function is, or few arguments."""
    place = f"{path}:{node.lineno}: {node.name}"
    if isinstance(node, ast.ClassDef):
        if kind != "predictor":
            raise InputError(f"{place} is a class: @batchscope.{kind} takes a function")
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        if missing := [name for name in ("predict", "learn") if name not in methods]:
            raise InputError(f"{place} has no method {missing[0]}")
        return
    if kind == "predictor":
        raise InputError(f"{place} is a function: @batchscope.predictor takes a class")
    # Arguments behind the * are parameters, and do not count here.
    expected = _ARGUMENTS[kind]
    if len(node.args.posonlyargs) + len(node.args.args) != len(expected.split(", ")):
        raise InputError(f"{place} should be `def {node.name}({expected}, *, ...)`")


def _rating(
    path: Path, node: ast.FunctionDef | ast.ClassDef, decorator: ast.expr
) -> tuple[str, str | None, str | None]:
    """The unit of a metric, which values are better, and of what it has a number each, as its decorator says.

    Raises InputError.
    """
    spelled = f'{path}:{node.lineno}: {node.name}: spell it like @batchscope.metric(unit="s", better="lower")'
    if not isinstance(decorator, ast.Call):
        raise InputError(spelled)
    values: dict[str, object] = {"unit": "", "better": "lower", "by": None}
    if len(decorator.args) > len(values):
        raise InputError(spelled)
    named = list(zip(values, decorator.args, strict=False))
    for name, value in [*named, *((each.arg or "", each.value) for each in decorator.keywords)]:
        if name not in values or not isinstance(value, ast.Constant):
            raise InputError(spelled)
        values[name] = value.value
    unit, better, by = values["unit"], values["better"], values["by"]
    if not isinstance(unit, str) or not unit.isprintable() or better not in ("lower", "higher", None):
        raise InputError(spelled)
    if by not in (None, "user"):
        raise InputError(
            f'{path}:{node.lineno}: {node.name}: a metric is of a run, or by="user" of each user'
        )
    # Users and runs share a column's bars and units: the table of users has those of jobs.
    if by is not None and unit not in UNITS_OF_JOBS:
        units = ", ".join(UNITS_OF_JOBS[1:])
        raise InputError(
            f"{path}:{node.lineno}: {node.name}: the unit of a metric by user is one of {units}, or none"
        )
    return unit, None if better is None else str(better), None if by is None else str(by)


def _unit(path: Path, node: ast.FunctionDef | ast.ClassDef, decorator: ast.expr) -> str:
    """The unit of a quantity, as its decorator says it. Raises InputError."""
    place = f"{path}:{node.lineno}: {node.name}"
    spelled = f'{place}: spell it like @batchscope.quantity(unit="s")'
    if not isinstance(decorator, ast.Call):
        raise InputError(spelled)
    units = [*decorator.args, *(each.value for each in decorator.keywords if each.arg == "unit")]
    value = units[0] if units else ast.Constant("")
    # An argument of another name is no unit.
    if len(units) < len(decorator.args) + len(decorator.keywords) or not isinstance(value, ast.Constant):
        raise InputError(spelled)
    if len(units) > 1 or not isinstance(value.value, str):
        raise InputError(spelled)
    if value.value not in UNITS_OF_JOBS:
        raise InputError(f"{place}: the unit of a quantity is one of {', '.join(UNITS_OF_JOBS[1:])}, or none")
    return value.value


def _parameters(path: Path, node: ast.FunctionDef | ast.ClassDef) -> Iterator[Parameter]:
    """The parameters behind the `*`, of a class those of its `__init__`."""
    function: ast.FunctionDef | ast.ClassDef | None = node
    if isinstance(node, ast.ClassDef):
        made = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
        function = made[0] if made else None
    if not isinstance(function, ast.FunctionDef):
        return
    arguments = function.args
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        place = f"{path}:{argument.lineno}: {argument.arg}"
        value = None if default is None else _number(default)
        # The default makes the parameter's kind: without it nothing could be varied.
        if value is None:
            raise InputError(f"{place} needs a number as its default")
        limits = _range(place, argument.annotation)
        if limits is not None and not limits.low <= value <= limits.high:
            raise InputError(f"{place} is {value:g} by default, but has to be {limits}")
        yield Parameter(argument.arg, value, limits)


def _range(place: str, node: ast.expr | None) -> ParameterRange | None:
    """The range of an annotation like `Range(0, 5, step=0.5)`; None for others."""
    if not isinstance(node, ast.Call) or _last_name(node) not in _RANGES:
        return None
    plain = [_number(each) for each in node.args]
    named = {each.arg or "": _number(each.value) for each in node.keywords}
    names = ("low", "high", "step", "whole")
    # Positions and names may be mixed, as in a call.
    bounds = dict(zip(names, plain, strict=False)) | named
    if None in bounds.values() or not {"low", "high"} <= bounds.keys() <= set(names) or len(plain) > 4:
        raise InputError(f"{place}: spell the range like Range(0, 5, step=0.5), with numbers")
    step = bounds.get("step")
    try:
        return ParameterRange(
            float(bounds["low"] or 0), float(bounds["high"] or 0), step, bool(bounds.get("whole"))
        )
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _number(node: ast.expr) -> float | None:
    """The number that is written out here; None for anything else."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    if isinstance(value, int | float) and abs(value) < 1e300:
        return value
    return None


def _last_name(node: ast.expr) -> str:
    """The last name of `a.b.name`, `name` or a call of it."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
