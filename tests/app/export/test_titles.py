"""The titles above figures."""

import pytest

from app.export.titles import title_of
from engine.filter import parse_filter
from engine.trace.scale import parse_scale, scaled
from tests.traces import make_trace

LOG = make_trace(
    submit=[0, 60, 120],
    runtime=[50, 50, 50],
    walltime=[100, 7200, 7200],
    procs=[1, 2, 4],
)


def test_jobs_as_logged_need_no_title() -> None:
    assert title_of(LOG, None) == ""
    assert title_of(LOG, parse_filter("procs > 1")) == f"{LOG.name}, under: procs > 1"


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("theta=0.5", "theta 0.5"),
        ("walltime_cap=1h", "walltime cap 1h"),
        ("rightsize=0.9", "requests right-sized at 0.9"),
    ],
)
def test_a_what_if_is_named(scale: str, words: str) -> None:
    trace = scaled(LOG, parse_scale(scale))
    assert title_of(trace, None) == f"{LOG.name}, {words}"
    assert title_of(trace, parse_filter("procs > 1")) == f"{LOG.name}, {words}, under: procs > 1"
