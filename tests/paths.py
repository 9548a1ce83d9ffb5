"""Where real traces and reference values lie, beside the repository; tests skip without them."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip a test where this file is absent."""
    return pytest.mark.skipif(not path.exists(), reason=f"{path.name} is not here")
