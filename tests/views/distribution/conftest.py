"""A panel of distributions."""

from __future__ import annotations

import pytest

from tests.views.context import ViewContext
from tests.views.distribution.shown import Shown


@pytest.fixture
def shown(context: ViewContext) -> Shown:
    return Shown(context)
