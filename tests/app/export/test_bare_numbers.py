"""Words of tables as bare numbers: each form, and what stays words."""

from typing import Any

import numpy as np
import pytest

from app.export.bare_numbers import bare_table


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1 234", "−6"], {"x": [1234, -6]}),
        (["15 622", "–"], {"x": [15622, None]}),
        (["+1,224.5", "–"], {"x": [1224.5, None]}),
        (["+1 981 h", "−39 356 h"], {"x, h": [1981, -39356]}),
        (["6.1e+03", "1"], {"x": [6100, 1]}),
        (["74 (80.4 %)", "1 244 (34.6 %)"], {"x": [74, 1244], "x, %": [80.4, 34.6]}),
        (["+112 to +708", "−41.0 to −3.8"], {"x, low": [112.0, -41.0], "x, high": [708.0, -3.8]}),
        (["2. (53,553)", "1. (9.04)"], {"x, rank": [2, 1], "x": [53553.0, 9.04]}),
        (["007", "12"], {"x": ["007", "12"]}),
        (["2 h", "3 d", "none"], {"x, s": [7200, 259200, None]}),
        (["3 d 4 h", "−2 min 5 s", "1 234 d"], {"x, s": [273600, -125, 106617600]}),
        (["+155 to +342", "none"], {"x, low": [155, None], "x, high": [342, None]}),
        (["2 h 1", "h"], {"x": ["2 h 1", "h"]}),
        (["2013-01", "easy"], {"x": ["2013-01", "easy"]}),
        (["", "–"], {"x": ["", "–"]}),
    ],
)
def test_a_column_is_numbers_where_all_cells_are_of_one_form(
    cells: list[str], expected: dict[str, list[Any]]
) -> None:
    found = dict(bare_table(["x"], [[cell] for cell in cells]))
    assert list(found) == list(expected)
    for name, values in expected.items():
        if isinstance(found[name], np.ndarray):
            numbers = [np.nan if value is None else value for value in values]
            shown = np.ma.filled(np.ma.asarray(found[name]).astype(float), np.nan)
            np.testing.assert_array_equal(shown, numbers)
        else:
            assert found[name] == values
