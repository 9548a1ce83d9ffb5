"""Weights of priorities and factors of partitions as the whole numbers that slurmctld takes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

LEAST_WEIGHT, LARGEST_SUM = 1000, 2**32 - 1
"""The least weight that is not 0: priorities are whole numbers, so that factors of smaller weights would
round to 0. The largest sum of all weights: beyond it slurmctld warns that priorities may overflow."""

LARGEST_FACTOR = 65_533
"""The largest factor of a partition: the next two 16-bit numbers have special meanings in Slurm."""

_DECIMALS = 10**6
"""Weights and priorities of policies have at most six decimals."""


def whole_weights(weights: Mapping[str, float]) -> tuple[dict[str, int], bool]:
    """Whole numbers in the proportions of the weights, and True if the proportions are exact.

    Valid whole numbers stay unchanged. Otherwise the weights are multiplied by a power of ten, if that makes
    them whole, with each nonzero weight at least LEAST_WEIGHT and their sum at most LARGEST_SUM; otherwise by
    another number, and rounded, with too small weights raised.
    """
    exact = {
        name: Fraction(round(weight * _DECIMALS), _DECIMALS) for name, weight in weights.items() if weight
    }
    scales = [Fraction(10**power) for power in range(10)]
    if not all(weight.denominator == 1 for weight in exact.values()):
        scales.insert(0, Fraction(_DECIMALS))  # the decimals that a policy can have, where there is room
    for scale in scales:
        scaled = {name: weight * scale for name, weight in exact.items()}
        if _fit(scaled):
            return {name: int(weight) for name, weight in scaled.items()}, True
    return _rounded(exact)


def _fit(weights: Mapping[str, Fraction]) -> bool:
    return (
        all(weight.denominator == 1 and weight >= LEAST_WEIGHT for weight in weights.values())
        and sum(weights.values()) <= LARGEST_SUM
    )


def _rounded(exact: Mapping[str, Fraction]) -> tuple[dict[str, int], bool]:
    """As near to the proportions as the bounds allow."""
    room = LARGEST_SUM - len(exact) * (LEAST_WEIGHT + 1)  # what raising and rounding may add
    scale = room / sum(exact.values())
    whole = {name: max(round(weight * scale), LEAST_WEIGHT) for name, weight in exact.items()}
    first = next(iter(exact))
    return whole, all(whole[name] * exact[first] == whole[first] * exact[name] for name in exact)


def whole_factors(priorities: Mapping[str, float]) -> tuple[dict[str, int], bool]:
    """Factors of partitions in the proportions of priorities, and whether these are exactly the same."""
    top = max(priorities.values())
    if all(number.is_integer() and number <= LARGEST_FACTOR for number in priorities.values()):
        return {name: int(number) for name, number in priorities.items()}, True
    return {name: round(number * LARGEST_FACTOR / top) for name, number in priorities.items()}, False
