"""What the planning study says of greedy plans holds on the logs on which their weights were chosen."""

import pytest

from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.simulation.run import simulate
from engine.sweep.study_file import read_study_file
from resources import studies
from tests.paths import SHARED, needs

CRITERIA = ("wait_mean", "response_mean", "bounded_slowdown_mean", "nuwt_mean", "nuwt_std")
BASELINES = ("conservative", "recorded", "fairshare-easy")


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(log, marks=needs(SHARED / log), id=log.partition("/")[2].partition(".")[0])
        for log in ("other-formats/alea-hpc2n.swf.gz", "traces/alea-wagap-2013.swf.gz")
    ],
)
def test_each_of_five_weighed_criteria_improves_against_three_baselines(log: str) -> None:
    read = read_log_as(SHARED / log, Reading())
    found = [
        finding
        for finding in read_study_file(studies()["planning"]).findings
        if "all that they weigh" in finding.text
    ]
    assert {match.against for match in found} == set(BASELINES)
    assert {match.metrics for match in found} == {CRITERIA}
    assert {match.claim.direction for match in found} == {"less"}
    (greedy,) = {policy for match in found for policy in match.policies}
    values = {
        name: summary(simulate(read.trace, read.cluster, parse_policy(name))) for name in (*BASELINES, greedy)
    }
    worse = [
        (against, metric, values[greedy][metric], values[against][metric])
        for against in BASELINES
        for metric in CRITERIA
        if not values[greedy][metric] < values[against][metric]
    ]
    assert worse == []
