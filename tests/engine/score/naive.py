"""Random formulas, each as a text and as what it means of one job, by IEEE 754."""

import math
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

Meaning = Callable[[Mapping[str, float]], float]
Formula = tuple[str, Meaning]

NAN, INF = math.nan, math.inf


def divide(a: float, b: float) -> float:
    if b == 0:
        return NAN if a == 0 or math.isnan(a) else math.copysign(INF, a)
    return a / b


def power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -INF if a < 0 and b % 2 == 1 else INF
    except ValueError:  # 0 to a negative power, or a root of what is below 0
        if a == 0:
            return math.copysign(INF, a) if b % 2 == 1 else INF
        return NAN


def logarithm(of: Callable[[float], float]) -> Callable[[float], float]:
    return lambda a: -INF if a == 0 else NAN if a < 0 else of(a)


def exponential(a: float) -> float:
    return INF if a > 709.8 else math.exp(a)


def least(a: float, b: float) -> float:
    return NAN if math.isnan(a) or math.isnan(b) else min(a, b)


def most(a: float, b: float) -> float:
    return NAN if math.isnan(a) or math.isnan(b) else max(a, b)


ONE: dict[str, Callable[[float], float]] = {
    "-({})": lambda a: -a,
    "not ({})": lambda a: float(a == 0),
    "log({})": logarithm(math.log),
    "log2({})": logarithm(math.log2),
    "log10({})": logarithm(math.log10),
    "sqrt({})": lambda a: NAN if a < 0 else math.sqrt(a),
    "exp({})": exponential,
    "abs({})": abs,
}
TWO: dict[str, Callable[[float, float], float]] = {
    "({})+({})": lambda a, b: a + b,
    "({}) - ({})": lambda a, b: a - b,
    "({}) * ({})": lambda a, b: a * b,
    "({})/({})": divide,
    "({})^({})": power,
    "({}) < ({})": lambda a, b: float(a < b),
    "({}) <= ({})": lambda a, b: float(a <= b),
    "({}) > ({})": lambda a, b: float(a > b),
    "({}) >= ({})": lambda a, b: float(a >= b),
    "({}) == ({})": lambda a, b: float(a == b),
    "({}) and ({})": lambda a, b: float(a != 0 and b != 0),
    "({}) or ({})": lambda a, b: float(a != 0 or b != 0),
    "min({}, {})": least,
    "max({}, {})": most,
}


def _leaf(names: tuple[str, ...]) -> st.SearchStrategy[Formula]:
    numbers = st.sampled_from(("0", "1", "2", "0.5", "10", "1e3", "3600")).map(
        lambda text: (text, lambda values: float(text))
    )
    return numbers | st.sampled_from(names).map(lambda name: (name, lambda values: values[name]))


def formulas(*names: str, leaves: int = 6) -> st.SearchStrategy[Formula]:
    """Formulas over these names."""

    def apply(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        # A formula is a pair: its text for the parser, and a function of the values for the answer.
        unary = st.tuples(st.sampled_from(sorted(ONE)), parts).map(
            lambda of: (of[0].format(of[1][0]), lambda values: ONE[of[0]](of[1][1](values)))
        )
        two = st.tuples(st.sampled_from(sorted(TWO)), parts, parts).map(
            lambda of: (
                of[0].format(of[1][0], of[2][0]),
                lambda values: TWO[of[0]](of[1][1](values), of[2][1](values)),
            )
        )
        choice = st.tuples(parts, parts, parts).map(
            lambda of: (
                f"if({of[0][0]}, {of[1][0]}, {of[2][0]})",
                lambda values: of[1][1](values) if of[0][1](values) != 0 else of[2][1](values),
            )
        )
        return unary | two | choice

    # Recursion is bounded by leaves: deep formulas find nothing that small ones do not.
    return st.recursive(_leaf(names), apply, max_leaves=leaves)
