import bz2
import gzip
import lzma
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from engine.errors import InputError, single_line
from engine.logs.files import content as files
from engine.logs.files.content import read_bytes

TEXT = b"".join(b"%d 2 3 4 5 6 7 8 9 10 11\n" % k for k in range(70_000))


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


def plain(data: bytes) -> bytes:
    return data


COMPRESS = map(cache, (gzip.compress, bz2.compress, lzma.compress))  # which get the same text again and again
PACKERS: list[Callable[[bytes], bytes]] = [plain, *COMPRESS, zstd]
ARCHIVES = PACKERS[1:]


@pytest.mark.parametrize("pack", PACKERS)
def test_content_and_not_the_name_decides_how_a_file_is_unpacked(tmp_path, pack):
    path = tmp_path / "log.swf.gz"
    path.write_bytes(pack(TEXT))
    assert read_bytes(path).tobytes() == TEXT


@pytest.mark.parametrize("pack", ARCHIVES)
def test_an_archive_of_several_members_is_read_to_its_end(tmp_path, pack):
    path = tmp_path / "log"
    path.write_bytes(pack(b"one\n") + pack(b"two\n"))
    assert read_bytes(path).tobytes() == b"one\ntwo\n"


def test_zeros_behind_an_archive_are_padding(tmp_path):
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(b"one\n") + bytes(1000))
    assert read_bytes(path).tobytes() == b"one\n"


@pytest.mark.parametrize("text", [b"a\nb", b"a\nb\n"])
def test_the_last_line_always_ends(tmp_path, text):
    path = tmp_path / "log"
    path.write_bytes(text)
    assert read_bytes(path).tobytes() == b"a\nb\n"


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"\xef\xbb\xbf; Version: 2.2\n")
    assert read_bytes(path).tobytes() == b"; Version: 2.2\n"


def problem(path: Path, **options: int) -> str:
    with pytest.raises(InputError) as caught:
        read_bytes(path, **options)
    text = str(caught.value)
    begin = single_line(f"{path}: ")
    assert text.startswith(begin)
    assert "\n" not in text
    return text.removeprefix(begin)


@pytest.mark.parametrize("pack", ARCHIVES)
@pytest.mark.parametrize("missing", [1, 10, 5000])
def test_an_archive_that_is_cut_off(tmp_path, pack, missing):
    path = tmp_path / "log"
    path.write_bytes(pack(TEXT)[:-missing])
    assert "archive is cut off" in problem(path)


@pytest.mark.parametrize("pack", ARCHIVES)
def test_a_corrupt_archive(tmp_path, pack):
    data = bytearray(pack(TEXT))
    at = 4 if pack is zstd else len(data) // 2  # zstd checks its data only on request
    data[at : at + 200] = b"\xff" * 200
    path = tmp_path / "log"
    path.write_bytes(data)
    assert "archive is corrupt: " in problem(path)


def test_an_archive_with_something_else_behind_it(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(gzip.compress(TEXT) + b"something else")
    assert "archive is corrupt" in problem(path)


@pytest.mark.parametrize("pack", PACKERS)
def test_a_file_over_the_limit_is_refused_before_it_is_unpacked(tmp_path, pack):
    path = tmp_path / "log"
    path.write_bytes(pack(TEXT))
    assert len(read_bytes(path, limit=len(TEXT))) == len(TEXT)
    assert "over the limit of 1,000,000 bytes" in problem(path, limit=1_000_000)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_decompression_bomb_is_given_up_at_the_limit(tmp_path, pack):
    path = tmp_path / "log"
    path.write_bytes(pack(b" " * 8_000_000))
    assert "over the limit" in problem(path, limit=2_000_000)


@pytest.mark.parametrize("data", [b"", gzip.compress(b"")], ids=["nothing", "compressed"])
def test_an_empty_file(tmp_path, data):
    path = tmp_path / "log"
    path.write_bytes(data)
    assert problem(path) == "this file is empty"


@pytest.mark.parametrize("data", [bytes(range(256)), b"\0\0", b"ab\0\0cd"])
def test_a_binary_file(tmp_path, data):
    path = tmp_path / "log"
    path.write_bytes(data)
    assert "binary file" in problem(path)


def test_no_file(tmp_path):
    assert problem(tmp_path / "log") == "no such file"
    assert "directory" in problem(tmp_path)
    assert "cannot read this file" in problem(tmp_path / "a\0b")
    assert "cannot read this file" in problem(tmp_path / ("a" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b"1\n")
    path.chmod(0)
    assert "Permission denied" in problem(path)


@pytest.mark.parametrize("pack", PACKERS)
def test_progress_rises_to_one(tmp_path, pack):
    path = tmp_path / "log"
    path.write_bytes(pack(TEXT))
    seen: list[float] = []
    read_bytes(path, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert seen[0] > 0


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_progress_cancels_with_its_own_exception(tmp_path, pack, error):
    path = tmp_path / "log"
    path.write_bytes(pack(TEXT))

    def cancel(done: float) -> None:
        raise error("stop")

    with pytest.raises(error, match="stop"):
        read_bytes(path, progress=cancel)


@pytest.mark.parametrize("pack", ARCHIVES)
def test_a_small_file_that_unpacks_to_very_much_is_given_up(tmp_path, pack, monkeypatch):
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 20)
    path = tmp_path / "log"
    path.write_bytes(pack(b" " * (4 << 20)))
    assert "over 100 times its size" in problem(path)
    path.write_bytes(pack(b" " * (1 << 20)))
    assert len(read_bytes(path)) == (1 << 20) + 1


@pytest.mark.parametrize("pack", PACKERS)
def test_a_pipe_is_read_like_a_file(tmp_path, pack):
    path = tmp_path / "log.swf"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(pack(TEXT),))
    writer.start()
    assert read_bytes(path).tobytes() == TEXT
    writer.join()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_archive_that_comes_slowly_can_be_cancelled(tmp_path, error):
    path = tmp_path / "log.zst"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR)
    os.write(writer, zstd(TEXT)[:1000])

    def cancel(done: float) -> None:
        raise error("stop")

    with pytest.raises(error, match="stop"):
        read_bytes(path, progress=cancel)
    os.close(writer)
