"""What CONTRIBUTING.md names is there."""

import re

import pytest

from tests.paths import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:app|engine|views|tests|resources|packaging)/[\w./-]*)`", TEXT)))


@pytest.mark.parametrize("path", NAMED)
def test_a_path_that_is_named_is_there(path: str) -> None:
    assert (ROOT / path).exists(), f"CONTRIBUTING.md names {path}"
