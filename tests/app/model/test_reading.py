from __future__ import annotations

import pytest

from app.model.reading import progress_of
from engine.simulation.control import Cancelled, Control


def test_progress_is_told_as_a_share() -> None:
    control = Control()
    progress_of(control)(0.5)
    assert control.progress == 0.5


def test_telling_progress_raises_when_cancelled() -> None:
    control = Control()
    tell = progress_of(control)
    control.cancel()
    with pytest.raises(Cancelled):
        tell(0.1)
