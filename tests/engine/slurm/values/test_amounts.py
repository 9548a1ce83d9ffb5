import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.slurm.values.amounts import amount_of, mebibytes, read_count


@pytest.mark.parametrize(
    ("text", "number", "mib"),
    [
        ("12", 12, 12),
        ("4k", 4096, 4 / 1024),
        ("1.5K", 1536, 1.5 / 1024),
        ("3000M", 3000 * 2**20, 3000),
        ("62.50G", 62.5 * 2**30, 64_000),
        (" 2T ", 2 * 2**40, 2 * 2**20),
        ("1P", 2**50, 2**30),
        ("", None, None),
        ("4Kc", None, None),
        ("-1", None, None),
        ("1e3", None, None),
        ("٣", None, None),
    ],
)
def test_units_are_powers_of_1024_and_memory_is_in_mib(
    text: str, number: float | None, mib: float | None
) -> None:
    assert amount_of(text) == number
    assert mebibytes(text) == mib


@given(st.integers(0, 2**49), st.sampled_from("kmgt"))
def test_whole_numbers_are_exact(number: int, unit: str) -> None:
    assert read_count("x", str(number)) == number
    if number < 10**15:
        assert read_count("x", f"{number}{unit}") == number << 10 * ("kmgt".index(unit) + 1)


@pytest.mark.parametrize("text", ["1.5", "much", "", "-1"])
def test_a_count_is_whole(text: str) -> None:
    with pytest.raises(InputError, match=r"^Weight=.* is not a whole number$"):
        read_count("Weight", text)
