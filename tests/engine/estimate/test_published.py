"""Against the published simulator of Goponenko et al. 2022 on KTH-SP2, by replaying its schedules."""

import numpy as np
import pytest

from engine.estimate.accuracy import estimate_accuracy
from engine.estimate.estimators import parse_estimate
from tests.engine.estimate.events import first_predictions
from tests.paths import needs
from tests.published import KTH_SP2, R2, STARTS, kth_sp2, starts


@needs(KTH_SP2)
@needs(STARTS)
@pytest.mark.parametrize("name", [name for name in R2 if parse_estimate(name).learns])
def test_accuracy_of_the_published_predictions(name: str) -> None:
    assert kth_sp2().job_id.tolist() == starts()["job_id"].tolist()
    found = first_predictions(kth_sp2(), starts()[f"just:{name}"], name)
    every = np.ones(len(kth_sp2()), np.bool_)
    r2 = estimate_accuracy(found, kth_sp2().runtime, every).r2
    assert r2 is not None
    assert f"{r2:.4f}" == R2[name]


@needs(KTH_SP2)
def test_accuracy_of_the_requested_walltimes() -> None:
    every = np.ones(len(kth_sp2()), np.bool_)
    accuracy = estimate_accuracy(kth_sp2().walltime, kth_sp2().runtime, every)
    assert f"{accuracy.r2:.4f}" == R2["requested"]
    assert accuracy.underestimated == 0
