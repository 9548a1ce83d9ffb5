import numpy as np
import pytest

from engine.metrics.gain import WEIGHTS, relative_gain, scaled_scores

# Tang et al. 2013, table 2: mean wait (min), unfair jobs, loss of capacity (%) of seven schemes.
BLUE_GENE = np.array(
    [
        [245.2, 10, 15.7],
        [221.6, 18, 12.4],
        [77.9, 39, 15.8],
        [70.4, 49, 13.9],
        [74.1, 21, 12.8],
        [198.1, 16, 11.9],
        [71.3, 19, 12.1],
    ]
)


def test_the_worst_of_each_metric_scores_100() -> None:
    scores = scaled_scores(BLUE_GENE)
    assert scores.max(axis=0).tolist() == [100.0, 100.0, 100.0]
    assert scores[0] == pytest.approx([100, 100 * 10 / 49, 100 * 15.7 / 15.8])


def test_gains_over_fcfs_with_backfilling() -> None:
    scores = scaled_scores(BLUE_GENE)
    for name, weights in WEIGHTS.items():
        assert sum(weights) == pytest.approx(1), name
        gain = relative_gain(scores, 0, weights)
        assert gain[0] == 0
        by_hand = [
            sum(w * 100 * (a - b) / a for w, a, b in zip(weights, BLUE_GENE[0], row, strict=True))
            for row in BLUE_GENE
        ]
        assert gain == pytest.approx(by_hand)
    # Section 4.5: waits 71 % and loss of capacity 23 % better with all weight on one of them.
    assert round(relative_gain(scores, 0, (1.0, 0.0, 0.0))[-1]) == 71
    assert round(relative_gain(scores, 0, (0.0, 0.0, 1.0))[-1]) == 23


def test_zeros_and_what_is_missing() -> None:
    values = np.array([[10.0, 0.0, np.nan], [5.0, 0.0, 2.0]])
    scores = scaled_scores(values)
    np.testing.assert_array_equal(scores, [[100, 0, np.nan], [50, 0, 100]])
    assert relative_gain(scores[:, :2], 0, (0.5, 0.5)).tolist() == [0.0, 25.0]
    assert np.isnan(relative_gain(scores, 1, (0.5, 0.25, 0.25))).tolist() == [True, False]
    worse = scaled_scores(np.array([[1.0, 0.0], [1.0, 3.0]]))
    assert np.isnan(relative_gain(worse, 0, (0.5, 0.5))).tolist() == [False, True]
