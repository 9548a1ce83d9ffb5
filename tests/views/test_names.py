"""Names in natural order."""

from __future__ import annotations

import numpy as np

from views.names import name_ranks


def test_natural_order_of_any_names() -> None:
    names = ("b10", "B9", "a", "10", "9", "", "²")
    by_rank = np.argsort(name_ranks(names))
    assert [names[k] for k in by_rank] == ["", "a", "B9", "b10", "²", "9", "10"]
