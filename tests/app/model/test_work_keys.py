"""Which work can begin while kernels are still compiled."""

from collections.abc import Hashable

import pytest

from app.model.open_study import no_study
from app.model.work_keys import JUDGING, MEASURING, OPENING, ReadyKernels, lacks_kernel, run_key
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.study import Study
from tests.traces import make_trace

NONE, EASY, RECORDED = ReadyKernels.NONE, ReadyKernels.EASY, ReadyKernels.RECORDED


def study() -> Study:
    """Runs 1 to 4 on a pool, run 5 on nodes, run 6 on a pool with RAM."""
    made = Study(make_trace([0, 1], [5, 5], 1), Cluster.pool(8))
    for spelling in ("recorded", "easy", "easy:estimate=actual", "easy:backfill=sjf"):
        made = made.add(parse_policy(spelling))
    for cluster in ("2x4c", "8c4g"):
        made = made.add(parse_policy("easy"), parse_cluster(cluster))
    return made


@pytest.mark.parametrize(
    ("ready", "begins"),
    [
        (NONE, []),
        (EASY, [OPENING, run_key(2), run_key(3)]),
        (RECORDED, [OPENING, JUDGING, MEASURING, run_key(1)]),
        (EASY | RECORDED, [OPENING, JUDGING, MEASURING, run_key(1), run_key(2), run_key(3)]),
    ],
)
def test_work_begins_as_soon_as_its_kernels_are_there(ready: ReadyKernels, begins: list[Hashable]) -> None:
    keys = [OPENING, JUDGING, MEASURING, *(run_key(number) for number in range(1, 7)), "another"]
    assert [key for key in keys if not lacks_kernel(key, study(), ready)] == begins


def test_a_file_is_opened_before_there_is_a_study() -> None:
    assert not lacks_kernel(OPENING, no_study(), EASY)
    assert lacks_kernel(run_key(1), no_study(), EASY | RECORDED)
