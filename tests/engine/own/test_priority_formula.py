"""Priorities of a user's own that are formulas: what they say is what Python calculates."""

import ast
import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.own.file import Declared, OwnFile
from engine.own.priority_formula import formula_of
from engine.score.program import evaluate

HEAD = "import batchscope, math\nimport numpy as np\nfrom math import log2 as lb\nHOUR = 60 * 60\n"
FUNCTION = "@batchscope.priority\ndef f(job, now, *, alpha=2):\n"
NAMES = ("wait", "walltime", "estimate", "procs", "ram")


def formula(body: str, head: str = HEAD, function: str = FUNCTION, alpha: float = 2.5) -> Any:
    text = head + function + "".join(f"    {line}\n" for line in body.splitlines())
    file = OwnFile(Path("mine.py"), text, text, (Declared("f", "priority", 1, ()),))
    return formula_of(file, "f", {"alpha": alpha})


class Powers(ast.NodeTransformer):
    """Calls `power` for each power."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        call = ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])
        return ast.copy_location(call, node)


def power(base: float, exponent: float) -> float:
    """A power of real numbers. Raises ArithmeticError where Python gives a complex one."""
    result = base**exponent
    if isinstance(result, complex):
        raise ArithmeticError
    return result


def python(body: str) -> Callable[..., Any]:
    text = HEAD + FUNCTION.partition("\n")[2] + "".join(f"    {line}\n" for line in body.splitlines())
    known: dict[str, Any] = {"power": power}
    exec(compile(ast.fix_missing_locations(Powers().visit(ast.parse(text))), "mine.py", "exec"), known)
    return known["f"]  # type: ignore[no-any-return]


def valued(node: Any, job: dict[str, int]) -> float:
    return float(evaluate(node, {name: np.asarray(float(value)) for name, value in job.items()}))


JOBS = st.fixed_dictionaries({name: st.integers(1, 5000) for name in NAMES})
ATOMS = st.sampled_from((*(f"job.{name}" for name in NAMES), "alpha", "HOUR", "2", "0.5", "a"))


def larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    # Operators, functions, conditions, powers and comparisons, each with brackets of its own.
    pair = st.tuples(parts, parts)
    return (
        st.tuples(st.sampled_from("+-*/"), parts, parts).map(lambda x: f"({x[1]} {x[0]} {x[2]})")
        | st.tuples(st.sampled_from(("min", "max", "np.maximum")), parts, parts).map(
            lambda x: f"{x[0]}({x[1]}, {x[2]})"
        )
        | st.tuples(
            st.sampled_from(("abs", "math.sqrt", "np.log", "lb", "-", "not ", "+", "float")), parts
        ).map(lambda x: f"({x[0]}({x[1]}))")
        | st.tuples(parts, st.sampled_from("<>"), parts, parts, parts).map(
            lambda x: f"({x[0]} if {x[2]} {x[1]}= {x[3]} else {x[4]})"
        )
        | st.tuples(parts, st.sampled_from(("2", "0.5", "3")), parts).map(lambda x: f"(({x[0]}) ** {x[1]})")
        | pair.map(lambda x: f"({x[0]} < {x[1]} != 1)")
        | pair.map(lambda x: f"(1 if {x[0]} == 1 or not {x[1]} > 7 and {x[0]} else 2)")
    )


EXPRESSIONS = st.recursive(ATOMS, larger, max_leaves=8)


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS, JOBS)
def test_a_formula_has_the_value_that_python_calculates(
    first: str, second: str, third: str, job: dict[str, int]
) -> None:
    body = (
        f"a = job.procs\na = {first}\nif a > 1:\n    a += {second}\nelif a < 0:\n    return {third}\n"
        f"return {third} - a"
    )
    node = formula(body)
    # Python refuses what compiled code calls infinite or no number, and NumPy warns of it; its truth values
    # are not subtracted.
    try:
        with np.errstate(all="ignore"):
            expected = python(body)(SimpleNamespace(**job), 0, alpha=2.5)
    except (ArithmeticError, ValueError, TypeError):
        return
    if node is None or not math.isfinite(expected):
        return  # min and max of what may be no number are left to the compiler
    assert valued(node, job) == pytest.approx(float(expected), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        "return (job.wait / job.walltime) ** alpha * job.procs",
        '"""About it."""\nreturn -job.estimate if job.procs > 4 else job.wait / HOUR',
        "size = max(job.procs, 2)\nreturn job.wait / (math.log2(size) * job.walltime)",
        "if job.wait > 2 * HOUR:\n    return math.inf\nreturn -job.ram",
        "return np.power(job.wait, 0.5) + math.pow(2, alpha) + lb(job.procs)",
    ],
)
def test_what_only_calculates_is_a_formula(body: str) -> None:
    job = {"wait": 4000, "walltime": 7200, "estimate": 3000, "procs": 8, "ram": 100}
    node = formula(body)
    assert node is not None
    assert valued(node, job) == pytest.approx(python(body)(SimpleNamespace(**job), 0, alpha=2.5))


@pytest.mark.parametrize(
    "body",
    [
        "return job.wait // 60",
        "return job.submit",
        "return job.user",
        "return now",
        "for _ in range(3):\n    pass\nreturn job.wait",
        "return job.wait and job.procs",
        "return min(job.wait / job.ram, 1)",
        "return 2 ** -job.procs",
        "return math.floor(job.wait)",
        "return other(job.wait)",
        "math = job\nreturn math.log(2)",
        "if job.wait > 3:\n    return 1",
        "job = 3\nreturn job.wait",
        "return 2 ** 99999999999999999999",
    ],
)
def test_what_no_formula_says_is_compiled(body: str) -> None:
    assert formula(body) is None


@pytest.mark.parametrize(
    "head",
    [
        "import batchscope, math\nmath.log = abs\n",
        "import batchscope\nfrom mymath import *\n",
        "import batchscope\nimport mymath as math\n",
        "import batchscope, math\ndef math(): ...\n",
        "import batchscope, math\ndef g():\n    global math\n    math = None\n",
        "import batchscope, math\nfor math in (): ...\n",
    ],
)
def test_a_name_that_may_mean_something_else_is_none_of_ours(head: str) -> None:
    assert formula("return math.log(job.procs)", "import batchscope, math\n") is not None
    assert formula("return math.log(job.procs)", head) is None
    assert formula("return abs(job.procs)", head + "from other import abs\n") is None


def test_an_argument_hides_a_name_of_the_file() -> None:
    assert formula("return now * 1.0", HEAD + "now = 3\n") is None
    assert formula("return job.wait", function="@other\n" + FUNCTION) is None
    assert formula("return job.wait", function="@batchscope.priority\ndef f(job, now, *rest):\n") is None
