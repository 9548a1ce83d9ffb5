import numba
import pytest

from engine.estimate.estimators import parse_estimate
from engine.estimate.predictor import make_predictor
from tests.traces import make_trace


@pytest.mark.parametrize("jobs", [0, 3])
@pytest.mark.parametrize("name", ["actual", "last2", "hierarchy", "survival2", "linear"])
def test_one_compiled_simulation_serves_all(name: str, jobs: int) -> None:
    trace = make_trace([0] * jobs, [5] * jobs)
    usual = make_trace([0], [5])
    expected = numba.typeof(make_predictor(parse_estimate("requested"), usual, usual.procs))
    assert numba.typeof(make_predictor(parse_estimate(name), trace, trace.procs)) == expected


def test_the_trace_is_left_alone() -> None:
    trace = make_trace([0, 1], [5, 6])
    for name in ("last2", "hierarchy", "survival2", "linear"):
        predictor = make_predictor(parse_estimate(name), trace, trace.procs)
        assert not predictor.walltime.flags.writeable
        predictor.user[:] = 7
    assert trace.walltime.tolist() == [5, 6]
    assert trace.user.codes.tolist() == [0, 0]
