"""Fetching a log by its name, and the words of figures about it."""

import gzip
from pathlib import Path

import pytest

from app.export.provenance import thanks
from engine.fetch import logs
from engine.fetch.logs import ArchiveLog
from engine.logs.read import read_trace
from tests.app.cli.commands import Commands
from tests.engine.fetch.server import Archive, serving

PACKED = gzip.compress(
    b"; Acknowledge: Ann Example\n; MaxProcs: 8\n1 0 1 5 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n"
)
LOG = ArchiveLog("Some", "l_some", "Some-2020-1", "a machine")


def test_a_log_is_fetched_by_its_name_with_its_acknowledgement(
    cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LOGS", (LOG,))
    with serving(Archive({"/l_some/Some-2020-1.swf.gz": PACKED})) as archive:
        done = cli("fetch", "some", "-o", tmp_path, "--mirror", archive.base)
        assert (done.status, "Acknowledge: Ann Example" in done.err) == (0, True)
        again = cli("fetch", "Some", "-o", tmp_path, "--mirror", archive.base, "--json")
    file = tmp_path / LOG.file
    assert again.document == {"file": str(file), "fetched": False, "acknowledge": "Ann Example"}
    assert file.read_bytes() == PACKED
    assert thanks(read_trace(file)) == ["Log by courtesy of Ann Example"]
    page = tmp_path / "mine.html"
    page.write_text("<html>the only copy</html>")
    kept = cli("fetch", "Some", "-o", page, "--mirror", archive.base)
    assert (kept.status, "--force replaces it" in kept.complaint) == (2, True)
    assert page.read_text() == "<html>the only copy</html>"
    with serving(Archive({"/l_some/Some-2020-1.swf.gz": PACKED})) as archive:
        assert cli("fetch", "Some", "-o", page, "--mirror", archive.base, "--force").status == 0
    assert page.read_bytes() == PACKED
    gone = cli("fetch", "Some", "-o", tmp_path / "x.swf.gz", "--mirror", archive.base)
    assert gone.status == 2
    assert "cannot be reached" in gone.complaint
    nowhere = cli("fetch", "Some", "-o", tmp_path / "no" / "where")
    assert "there is no folder" in nowhere.complaint


def test_without_a_name_the_logs_are_listed(cli: Commands) -> None:
    assert "KTH-SP2" in cli("fetch").out
    assert {"name", "file", "about"} == set(cli("fetch", "--json").document["logs"][0])
