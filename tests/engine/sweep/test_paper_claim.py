"""Whether a number agrees with a paper's: reproduced, another size, or not."""

import pytest

from engine.sweep.paper_claim import Agreement, ClaimResult, PaperClaim, decimals

YES, SIZE, NO = ClaimResult


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # By 73 % in the paper: a fifth of that is 14.6 points.
        (27.0, YES), (41.6, YES), (12.4, YES),
        (41.7, SIZE), (12.3, SIZE), (99.9, SIZE), (100.0, NO), (130.0, NO),
    ],
)  # fmt: skip
def test_a_large_effect_is_reproduced_within_a_fifth_of_it(value: float, expected: ClaimResult) -> None:
    assert PaperClaim(size=27.0, neutral=100.0).judge(value) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(98.0, YES), (96.0, YES), (95.1, YES), (94.9, SIZE), (99.9, YES), (100.0, NO), (100.5, NO), (103.0, NO)],
)
def test_a_small_one_within_3_points_but_never_where_its_sign_is_another(
    value: float, expected: ClaimResult
) -> None:
    assert PaperClaim(size=98.0, neutral=100.0).judge(value) is expected


def test_a_size_without_a_zero_effect_is_reproduced_or_not() -> None:
    claim = PaperClaim(size=33.8)  # a fifth: 6.76
    assert [claim.judge(value) for value in (27.1, 40.5, 27.0, 40.6, 0.0)] == [YES, YES, NO, NO, NO]


def test_agreement_is_as_the_study_says() -> None:
    claim = PaperClaim(size=98.0, neutral=100.0, agreement=Agreement(points=1, part=0.0))
    assert [claim.judge(value) for value in (98.9, 99.1, 96.9)] == [YES, SIZE, SIZE]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(81.35, YES), (81.49, YES), (81.5, SIZE), (60.0, YES), (99.4, SIZE), (99.6, NO), (105.0, NO)],
)
def test_a_bound_is_the_digit_that_is_printed(value: float, expected: ClaimResult) -> None:
    assert PaperClaim(most=81.0, neutral=100.0, digits=0).judge(value) is expected


def test_a_bound_on_the_other_side_of_no_effect_says_no_direction() -> None:
    claim = PaperClaim(least=94.0, neutral=100.0, digits=0)
    assert [claim.judge(value) for value in (93.5, 93.4, 88.0, 101.0)] == [YES, NO, NO, YES]
    both = PaperClaim(least=94.0, most=106.0, neutral=100.0, digits=0)
    assert [both.judge(value) for value in (94.0, 106.4, 106.5, 93.0)] == [YES, YES, NO, NO]
    own = PaperClaim(most=35.0, digits=0)
    assert [own.judge(value) for value in (35.4, 35.6)] == [YES, NO]


def test_a_direction_alone_has_no_other_size() -> None:
    less, more = (PaperClaim(direction=word, neutral=100.0) for word in ("less", "more"))
    assert [less.judge(value) for value in (12.0, 99.9, 99.96, 100.0, 101.0)] == [YES, YES, NO, NO, NO]
    assert [more.judge(value) for value in (300.0, 100.1, 100.04, 100.0, 99.0)] == [YES, YES, NO, NO, NO]


def test_what_is_apart() -> None:
    claim = PaperClaim(apart=3.0, neutral=100.0, digits=0)
    assert [claim.judge(value) for value in (0.0, 3.4, 3.6)] == [YES, YES, NO]


def test_claims_in_words() -> None:
    assert str(PaperClaim(size=72.1)) == "72.1"
    assert str(PaperClaim(least=94.0, digits=0)) == "at least 94"
    assert str(PaperClaim(most=2.5)) == "at most 2.5"
    assert str(PaperClaim(least=94.0, most=102.0, digits=0)) == "94 to 102"
    assert str(PaperClaim(direction="less")) == "less"
    assert str(PaperClaim(apart=3.0, digits=0)) == "at most 3 apart"


def test_decimals_are_those_that_a_number_is_written_with() -> None:
    assert [decimals(value) for value in (72, 72.0, 72.1, 97.59)] == [0, 1, 1, 2]
    assert decimals(94, 102.5) == 1


@pytest.mark.parametrize(
    ("claim", "value", "told"),
    [
        (PaperClaim(least=135, digits=0), 134.6, "135"),
        (PaperClaim(least=135, digits=0), 135.4, ""),
        (PaperClaim(least=135, digits=0), 134.4, ""),
        (PaperClaim(most=71.8, digits=1), 71.83, "71.8"),
        (PaperClaim(least=75, most=99, digits=0), 99.4, "99"),
        (PaperClaim(apart=3, digits=0), 3.2, "3"),
        (PaperClaim(size=97, digits=0, agreement=Agreement(3, 0)), 93.6, "94"),
        (PaperClaim(direction="less", neutral=100, digits=1), 99.97, "100.0"),
        (PaperClaim(direction="less", neutral=100, digits=1), 98, ""),
    ],
)
def test_it_is_told_where_the_digits_of_a_claim_decide_it(claim: PaperClaim, value: float, told: str) -> None:
    assert claim.decisive_rounding(value) == told
