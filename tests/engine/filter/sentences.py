"""Filters as people may type them, and the jobs that they are asked of."""

from hypothesis import strategies as st

NAMES = ("user", "group", "queue", "status")
NUMBERS = {
    "procs": ("1", "2", "3"),
    "ram": ("0k", "1m", "1536k", "2m"),
    "walltime": ("60", "2m", "1h"),
    "runtime": ("60", "90"),
    "area": ("60", "4m"),
    "submit": ("0", "1m", "1970-01-01", "1970-01-02", "1970-01-01T00:01", "1970-01-01T00:01:40"),
    "start": ("100", "1970-01-01T00:01:40"),
    "end": ("1970-01-01", "5m"),
    "wait": ("0", "40", "1m"),
    "response": ("100",),
    "slowdown": ("1", "1.5", "2.25"),
    "bounded_slowdown": ("1", "4"),
    "estimate": ("1", "1.25", "12"),
    "late": ("0", "1"),
}
_SPACE = st.sampled_from(["", " ", "  "])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_WORD = st.one_of(
    st.sampled_from(["a", "b", "B2", "a*", "?", "completed", "-1"]),
    st.text("ab \"'*,()", max_size=3).map(_quoted),
)


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    """One comparison, with spaces here and there."""
    if draw(st.booleans()):
        field, operators, value = draw(st.sampled_from(NAMES)), ("=", "!=", "~"), _WORD
    else:
        field = draw(st.sampled_from(list(NUMBERS)))
        operators, value = ("=", "!=", "<", "<=", ">", ">="), st.sampled_from(NUMBERS[field])
    if draw(st.integers(0, 3)) == 0:
        values = draw(st.lists(value, min_size=1, max_size=3))
        return f"{field} {draw(st.sampled_from(['in', 'not in', 'IN']))} ({', '.join(values)})"
    return field + draw(_SPACE) + draw(st.sampled_from(operators)) + draw(_SPACE) + draw(value)


def sentences() -> st.SearchStrategy[str]:
    """Comparisons joined in any way, with more brackets than are needed."""
    return st.recursive(
        comparisons(),
        lambda inner: st.one_of(
            inner.map(lambda text: f"({text})"),
            inner.map(lambda text: f"not ({text})"),
            st.tuples(inner, inner).map(lambda two: f"({two[0]}) and {two[1]}"),
            st.tuples(inner, inner).map(lambda two: f"{two[0]} or ({two[1]})"),
        ),
        max_leaves=6,
    )
