"""Guide and reference list the formats that are read, as the code's table has them."""

import pytest

from engine.logs.format_table import FORMATS, list_formats
from engine.logs.readers import LOGS
from tests.paths import ROOT


@pytest.mark.parametrize("path", ["resources/guide/formats.md", "resources/guide/guide.md"])
def test_what_is_read_is_listed_where_people_look(path: str) -> None:
    assert f"\n\n{list_formats()}\n\n" in (ROOT / path).read_text("utf-8")


def test_every_reader_is_in_the_table() -> None:
    assert {known.name for known in LOGS} <= {known.label for known in FORMATS}


def test_each_format_is_reported_once() -> None:
    assert len({known.name for known in FORMATS}) == len(FORMATS)
    lines = [known.label for known in FORMATS if known.label]
    assert len(set(lines)) == len(lines)
