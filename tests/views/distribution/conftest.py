"""A panel of distributions."""

import pytest

from tests.views.context import ViewContext
from tests.views.distribution.shown import Shown


@pytest.fixture
def shown(context: ViewContext) -> Shown:
    return Shown(context)
