"""The shares of their time limits that jobs of archived logs used."""

import numpy as np
import pytest

from engine.now.usual_shares import LEVELS, USED_OF_LIMITS, usual_parts
from tests.engine.now.usual_shares import FILES, path_of, quantiles_of


def test_a_row_of_the_table_is_that_of_its_log() -> None:
    assert FILES.keys() == USED_OF_LIMITS.keys()
    if not path_of("Zewura").exists():
        pytest.skip("the log is not here")
    assert list(USED_OF_LIMITS["Zewura"]) == quantiles_of("Zewura")


def test_all_logs_count_alike() -> None:
    parts = usual_parts()
    assert len(parts) == len(LEVELS) * len(USED_OF_LIMITS)
    assert (np.diff(parts) >= 0).all()
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    # Half of the jobs used less than a sixth of their limits, and the mean share is a third.
    assert np.median(parts) == pytest.approx(0.18, abs=0.03)
    assert parts.mean() == pytest.approx(0.34, abs=0.01)
