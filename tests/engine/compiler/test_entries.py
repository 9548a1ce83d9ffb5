"""Files that were changed are never read."""

import logging
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compiler import entries
from engine.compiler.entries import all_kept, read_entry, write_entry

PURPOSE = "engine.queue.<locals>.sort 12 (int64, Array(int64, 1, 'C', False, aligned=True))"


@pytest.fixture
def no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_failed", [])


def the_file(folder: Path) -> Path:
    (path,) = folder.glob("*.kernel")
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "when needed"
    assert read_entry(folder, PURPOSE) is None
    write_entry(folder, PURPOSE, b"code")
    assert read_entry(folder, PURPOSE) == b"code"
    write_entry(folder, PURPOSE, b"other code")
    assert read_entry(folder, PURPOSE) == b"other code"
    assert read_entry(folder, PURPOSE.replace("12", "13")) is None
    assert [path.suffix for path in folder.iterdir()] == [".kernel"], "and nothing is left beside it"


@given(data=st.data(), contents=st.binary(max_size=80))
def test_a_file_with_a_flipped_bit_is_set_aside(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, contents: bytes
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    write_entry(folder, PURPOSE, contents)
    path = the_file(folder)
    whole = bytearray(path.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    whole[bit // 8] ^= 1 << bit % 8
    path.write_bytes(whole)
    assert read_entry(folder, PURPOSE) is None
    assert [entry.suffix for entry in folder.iterdir()] == [".bad"]
    write_entry(folder, PURPOSE, contents)
    assert read_entry(folder, PURPOSE) == contents


@pytest.mark.parametrize("size", [0, 1, 31, 32, 35])
def test_a_cut_file_is_set_aside(tmp_path: Path, size: int) -> None:
    write_entry(tmp_path, PURPOSE, b"code")
    path = the_file(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    assert read_entry(tmp_path, PURPOSE) is None
    assert not path.exists()


def test_a_file_of_another_kernel_is_not_read(tmp_path: Path) -> None:
    write_entry(tmp_path / "a", PURPOSE, b"code")
    write_entry(tmp_path / "b", "engine.other 7", b"other code")
    the_file(tmp_path / "b").replace(the_file(tmp_path / "a"))
    assert read_entry(tmp_path / "a", PURPOSE) is None


def test_a_disk_that_is_full_is_reported_once_and_names_the_file(
    no_failures: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    assert all_kept()
    with caplog.at_level(logging.WARNING):
        for purpose in ("engine.one 1", "engine.two 2"):
            write_entry(tmp_path / "file", purpose, b"code")
    (message,) = caplog.messages
    assert str(tmp_path / "file" / "engine.one") in message
    assert "not kept" in message
    assert not all_kept()


def test_a_write_that_fails_leaves_nothing(
    no_failures: None, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource", reason="no limits on Windows")
    signal = pytest.importorskip("signal")
    usual, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, usual[1]))
    try:
        write_entry(tmp_path, PURPOSE, b"x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []
    assert "File too large" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_a_file_that_others_could_have_made_is_set_aside_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_entry(tmp_path, PURPOSE, b"code")
    path = the_file(tmp_path)
    path.chmod(0o666)
    assert read_entry(tmp_path, PURPOSE) is None
    assert caplog.messages == [f"{path}: everybody can write here; this compiled code is not used"]
    assert [entry.suffix for entry in tmp_path.iterdir()] == [".bad"]
    write_entry(tmp_path, PURPOSE, b"code")
    (tmp_path / "other").write_bytes(the_file(tmp_path).read_bytes())
    the_file(tmp_path).unlink()
    path.symlink_to("other")
    assert read_entry(tmp_path, PURPOSE) is None
