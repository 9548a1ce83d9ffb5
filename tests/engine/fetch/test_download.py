"""Logs fetched from a server on this computer: whole, gone on with, bounded, and refused."""

import contextlib
import gzip
import hashlib
import random
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.fetch import download
from engine.fetch.download import acknowledgement, fetch_log
from engine.fetch.logs import BASE, LOGS, ArchiveLog, log_named
from engine.simulation.control import Cancelled
from tests.engine.fetch.server import Archive, serving
from tests.engine.logs.lines import line
from tests.paths import SHARED

KNOWN = ("KTH-SP2", "CTC-SP2", "HPC2N", "CEA-Curie")
HEADER = "; Acknowledge: Ann Example\n; MaxProcs: 64\n"
NOISE = "".join(f"; Note: {random.Random(3).getrandbits(4000):x}{k}\n" for k in range(99))
TEXT = (HEADER + NOISE + line(1) + "\n").encode()
PACKED = gzip.compress(TEXT, mtime=0)
LOG = ArchiveLog("Some", "l_some", "Some-2020-1", "a machine")


@pytest.fixture
def archive() -> Iterator[Archive]:
    with serving(Archive({"/l_some/Some-2020-1.swf.gz": PACKED})) as served:
        yield served


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / LOG.file


def part_of(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def test_a_log_is_fetched_once_with_progress(archive: Archive, path: Path) -> None:
    received: list[float] = []
    assert fetch_log(LOG, path, archive.base, progress=received.append)
    assert path.read_bytes() == PACKED
    assert received == sorted(received)
    assert received[-1] == 1.0
    assert acknowledgement(path) == "Ann Example"
    assert not fetch_log(LOG, path, archive.base)
    assert archive.asked == [""]
    assert not part_of(path).exists()


def test_a_download_that_broke_off_goes_on_from_there(archive: Archive, path: Path) -> None:
    archive.breaks_after = 1000
    with pytest.raises(InputError, match=r"the next time goes on from there"):
        fetch_log(LOG, path, archive.base)
    assert part_of(path).stat().st_size == 1000
    assert not path.exists()
    archive.breaks_after = None
    assert fetch_log(LOG, path, archive.base)
    assert path.read_bytes() == PACKED
    assert archive.asked == ["", "bytes=1000-"]


@pytest.mark.parametrize("tells_length", [True, False])
def test_a_server_without_ranges_begins_anew(archive: Archive, path: Path, tells_length: bool) -> None:
    archive.knows_ranges, archive.tells_length = False, tells_length
    part_of(path).write_bytes(b"x" * (len(PACKED) + 5))
    assert fetch_log(LOG, path, archive.base)
    assert path.read_bytes() == PACKED


def test_a_whole_part_is_not_fetched_again(archive: Archive, path: Path) -> None:
    part_of(path).write_bytes(PACKED)
    assert fetch_log(LOG, path, archive.base)
    assert path.read_bytes() == PACKED


def test_what_is_spliced_of_two_files_is_reported_and_thrown_away(archive: Archive, path: Path) -> None:
    part_of(path).write_bytes(PACKED[:500] + b"y" * 500)
    with pytest.raises(InputError, match=r"the download is not a complete log .*; fetch it again"):
        fetch_log(LOG, path, archive.base)
    assert not part_of(path).exists()
    assert fetch_log(LOG, path, archive.base)


def test_the_checksum_of_a_known_text_counts(archive: Archive, path: Path) -> None:
    with pytest.raises(InputError, match="not the log whose checksum is known"):
        fetch_log(replace(LOG, text_sha256="0" * 64), path, archive.base)
    assert fetch_log(replace(LOG, text_sha256=hashlib.sha256(TEXT).hexdigest()), path, archive.base)


@pytest.mark.parametrize("tells_length", [True, False])
def test_a_file_over_the_limit_is_not_fetched(archive: Archive, path: Path, tells_length: bool) -> None:
    archive.tells_length = tells_length
    with pytest.raises(InputError, match="over the limit of 100"):
        fetch_log(LOG, path, archive.base, limit=100)
    assert not path.exists()
    assert not part_of(path).exists() or part_of(path).stat().st_size <= 100


def test_cancelling_keeps_what_came(archive: Archive, path: Path) -> None:
    def cancel(_: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        fetch_log(LOG, path, archive.base, progress=cancel)
    assert not path.exists()
    assert part_of(path).stat().st_size > 0


def test_what_cannot_be_had_is_one_clear_line(archive: Archive, path: Path) -> None:
    with pytest.raises(InputError, match=r"^http://127.0.0.1:\d+/l_x/.*: the server answers 404 Not Found$"):
        fetch_log(replace(LOG, folder="l_x"), path, archive.base)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(InputError, match=r"^http://127.0.0.1:.*: cannot be reached: Connection refused$"):
            fetch_log(LOG, path, f"http://127.0.0.1:{port}/")
    with pytest.raises(InputError, match="only http and https"):
        fetch_log(LOG, path, "file:///etc")


@pytest.mark.parametrize("scheme", ["ftp", "FTP", "file", "data", "gopher"])
def test_a_redirection_to_another_scheme_is_refused(archive: Archive, path: Path, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0)
        archive.leads_to = f"{scheme}://127.0.0.1:{other.getsockname()[1]}/log.swf.gz"
        with pytest.raises(InputError, match=r"^http://127.0.0.1:.*[Rr]edirect") as caught:
            fetch_log(LOG, path, archive.base)
        with pytest.raises(BlockingIOError):
            other.accept()
    assert "\n" not in str(caught.value)
    assert not path.exists()


def test_a_redirection_within_the_web_is_followed(archive: Archive, path: Path) -> None:
    with serving(Archive({}, leads_to=f"{archive.base}l_some/Some-2020-1.swf.gz")) as first:
        assert fetch_log(LOG, path, first.base)
    assert path.read_bytes() == PACKED


def test_logs_are_found_by_short_and_long_names() -> None:
    assert log_named("kth-sp2") is log_named("KTH-SP2-1996-2.1-cln.swf.gz")
    assert log_named("KTH-SP2").url() == f"{BASE}l_kth_sp2/KTH-SP2-1996-2.1-cln.swf.gz"
    with pytest.raises(InputError, match="the list has no log 'KTH-SP3'; did you mean"):
        log_named("KTH-SP3")
    assert len({log.name for log in LOGS}) == len(LOGS)


@pytest.mark.parametrize("name", KNOWN)
def test_known_checksums_are_those_of_the_logs(name: str) -> None:
    log = log_named(name)
    if not (SHARED / "traces" / log.file).exists():
        pytest.skip("the log is not here")
    assert (
        hashlib.sha256(gzip.decompress((SHARED / "traces" / log.file).read_bytes())).hexdigest()
        == log.text_sha256
    )


PAGE = b"<!DOCTYPE html>\n<html><body>Please log in to use this network</body></html>\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (PAGE, "this is a page of the web"),
        (gzip.compress(PAGE, mtime=0), "this is a page of the web"),
        (b"Access denied by policy 7\n", "this has no line with the numbers of a job"),
        (gzip.compress(b"; a header alone\n", mtime=0), "this has no line with the numbers of a job"),
    ],
)
def test_what_is_no_log_is_refused_and_removed(archive: Archive, path: Path, data: bytes, says: str) -> None:
    archive.files["/l_some/Some-2020-1.swf.gz"] = data
    with pytest.raises(InputError, match=rf"Some-2020-1\.swf\.gz: what came is not the log: {says}"):
        fetch_log(LOG, path, archive.base)
    assert not path.exists()
    assert not part_of(path).exists()
    archive.files["/l_some/Some-2020-1.swf.gz"] = PACKED
    assert fetch_log(LOG, path, archive.base)


def test_a_page_that_an_earlier_fetch_kept_is_fetched_anew(archive: Archive, path: Path) -> None:
    path.write_bytes(PAGE)
    assert fetch_log(LOG, path, archive.base)
    assert path.read_bytes() == PACKED


def test_a_transfer_that_hardly_moves_is_ended_and_gone_on_with(
    archive: Archive, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000_000, 1000))
    monkeypatch.setattr(download.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(download, "SLOW_S", 100.0)
    monkeypatch.setattr(download, "SLOWEST", 10_000_000)
    with pytest.raises(InputError, match=r"bytes a second for 100 s; the next time goes on from there"):
        fetch_log(LOG, path, archive.base)
    assert part_of(path).stat().st_size > 0
    monkeypatch.undo()
    assert fetch_log(LOG, path, archive.base)
    assert path.read_bytes() == PACKED


def test_a_server_that_sends_interim_answers_without_end_is_left(path: Path) -> None:
    """The standard library reads them for ever."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(1 << 16)
                while True:
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        base = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(InputError, match="interim answers without end"):
            fetch_log(LOG, path, base)
        thread.join()
    assert not path.exists()
