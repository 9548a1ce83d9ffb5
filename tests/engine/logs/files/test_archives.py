import bz2
import gzip
import io
import lzma
import os
import random
import struct
import tarfile
import threading
import zipfile

import pyarrow as pa
import pytest

from engine.errors import InputError
from engine.logs.files import archives
from engine.logs.files import content as files
from engine.logs.files.content import read_bytes, read_head
from engine.logs.read import read_trace
from tests.engine.logs.lines import line, where
from tests.engine.logs.packed import tarred, zipped
from tests.engine.logs.sacct import dumps as sacct
from tests.engine.logs.sacct.documents import document, job
from tests.paths import SHARED, needs

CASES = SHARED / "cases" / "files"


def zstd(data):
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


PACKERS = {
    "zip": zipped,
    "stored zip": lambda entries: zipped(entries, zipfile.ZIP_STORED),
    "bzip2 zip": lambda entries: zipped(entries, zipfile.ZIP_BZIP2),
    "tar": tarred,
    "old tar": lambda entries: tarred(entries, tarfile.USTAR_FORMAT),
    "gnu tar": lambda entries: tarred(entries, tarfile.GNU_FORMAT),
    "tar.gz": lambda entries: gzip.compress(tarred(entries)),
    "tar.bz2": lambda entries: bz2.compress(tarred(entries)),
    "tar.xz": lambda entries: lzma.compress(tarred(entries)),
    "tar.zst": lambda entries: zstd(tarred(entries)),
}
EACH = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
KINDS = pytest.mark.parametrize("pack", [zipped, tarred], ids=["zip", "tar"])


@pytest.fixture
def write(tmp_path):
    def write(data, name="log"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def problem(path, read=read_trace):
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert text.isprintable()
    return text.removeprefix(str(path)).removeprefix(": ")


def day(number):
    return f"{sacct.HEADER}\n{sacct.job(JobID=number)}\n{sacct.job(JobID=f'{number}.batch')}\n"


@EACH
def test_the_files_of_an_archive_are_one_log_by_their_names(write, pack):
    path = write(pack([("logs/day10", day(10)), ("logs/day9", day(9)), ("logs/day1", day(1))]))
    trace = read_trace(path)
    assert trace.job_id.tolist() == [1, 9, 10]
    assert trace.name == "log"
    assert read_head(path, 10) == sacct.HEADER.encode()[:10]


@needs(CASES)
@pytest.mark.parametrize("name", ["x03.zip", "x03.tar.gz"])
def test_cases_from_the_field(name):
    trace = read_trace(CASES / name)
    assert trace.job_id.tolist() == [1, 2]
    assert (trace.wait.tolist(), trace.runtime.tolist(), trace.procs.tolist()) == (
        [300] * 2,
        [3600] * 2,
        [4] * 2,
    )
    assert trace.name == "x03"


@needs(CASES)
@pytest.mark.parametrize("name", ["x03-two-members.txt.gz", "x03-two-streams.txt.xz", "x03-two.txt.bz2"])
def test_packed_files_of_several_members(name):
    assert len(read_trace(CASES / name)) == 4


@needs(CASES)
def test_a_packed_file_that_is_cut_off():
    assert problem(CASES / "x03-truncated.txt.gz") == "this gzip archive is cut off"


@EACH
def test_what_is_no_log_in_an_archive(write, pack):
    entries = [
        *(
            ("a/.hidden", "x"),
            (".git/config", "x"),
            ("__MACOSX/log", b"\0"),
            ("log.machines", "x"),
            ("empty", ""),
        ),
        ("log.txt", day(1)),
    ]
    path = write(pack(entries))
    trace = read_trace(path)
    assert trace.job_id.tolist() == [1]
    (note,) = [note for note in trace.notes if note.rule == "files_beside"]
    text = f"files left out: about logs, but no logs, first {path}/log.machines"
    assert (note.count, note.text) == (1, text)


@KINDS
def test_names_are_never_used_on_the_disk(write, tmp_path, pack, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    path = write(pack([("../../evil", day(1)), ("/etc/evil", day(2)), ("..\\evil", day(3))]))
    before = sorted(tmp_path.rglob("*"))
    assert sorted(read_trace(path).job_id.tolist()) == [1, 2, 3]
    assert sorted(tmp_path.rglob("*")) == before


@KINDS
@pytest.mark.parametrize(
    ("name", "shown"),
    [("\x1b[2Jevil", "\\x1b[2Jevil in this"), ("é" * 300, "é" * 79), ("x" * 5000, "x" * 79)],
)
def test_names_are_shown_in_one_line(write, pack, name, shown):
    assert problem(write(pack([(name, b"\0\1")]))).startswith(shown)


@EACH
def test_files_in_an_archive_may_be_packed_themselves(write, pack):
    path = write(pack([("1.gz", gzip.compress(day(1).encode())), ("2.xz", lzma.compress(day(2).encode()))]))
    assert read_trace(path).job_id.tolist() == [1, 2]


@EACH
@pytest.mark.parametrize("inner", [zipped, tarred, PACKERS["tar.gz"]])
def test_an_archive_in_an_archive_is_refused(write, pack, inner):
    path = write(pack([("in.zip", inner([("a", day(1))]))]))
    assert problem(path) == "in.zip in this archive is an archive itself: unpack it"


@EACH
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"PAR1abc", "a/x in this archive is a Parquet file: unpack it"),
        (
            gzip.compress(b"PAR1\0", mtime=0),
            "a/x in this archive is a Parquet file in a pipe, or packed once more; "
            "write it to a file and give that, not the text of a log",
        ),
        (b"ab\0c", "a/x in this archive is a binary file, not the text of a log"),
        (gzip.compress(day(1).encode(), mtime=0)[:-4], "this gzip archive is cut off"),
        (gzip.compress(b"", mtime=0), "a/x in this archive is empty"),
    ],
)
def test_files_that_are_no_text_are_named(write, pack, data, says):
    assert problem(write(pack([("a/x", data)]))) == says


@EACH
def test_errors_name_the_file_in_the_archive_and_its_line(write, pack):
    path = write(pack([("a.json", document(job())), ("b.json", '{"jobs": [\n{"job_id": 1, "time": x}]}')]))
    assert problem(path) == "/b.json:2: this JSON is broken: Expecting value"
    path = write(pack([("a.json", document(job())), ("b.txt", day(1))]))
    assert problem(path).startswith("/b.txt: this is a dump of sacct, and the log begins as JSON")


@EACH
def test_lines_are_counted_through_all_files(write, pack):
    odd = sacct.job(JobID=3, State="FOO")
    trace = read_trace(write(pack([("1", day(1)), ("2", f"{day(2)}{odd}\n")])))
    assert where(trace, "unknown_state") == (1, (7,))


@KINDS
def test_archives_without_a_log(write, pack):
    assert problem(write(pack([]))) in (
        "there is no log in this archive",
        "this is a binary file, not the text of a log",
    )
    assert problem(write(pack([("a/.b", "x")]))) == "there is no log in this archive"


def test_archives_stand_in_a_folder_and_beside_other_files(tmp_path):
    (tmp_path / "1.zip").write_bytes(zipped([("a", day(1))]))
    (tmp_path / "2.txt").write_text(day(2))
    (tmp_path / "3.tgz").write_bytes(PACKERS["tar.gz"]([("a", day(3))]))
    assert read_trace(tmp_path).job_id.tolist() == [1, 2, 3]
    assert read_trace(tmp_path / "3.tgz", further=[tmp_path / "1.zip"]).job_id.tolist() == [3, 1]


@pytest.mark.parametrize(
    "name", ["log.zip", "log.tar", "log.tgz", "log.tar.gz", "log.swf.zip", "log.swf.tar.zst"]
)
def test_what_lies_beside_an_archive_has_its_name(tmp_path, name):
    (tmp_path / name).write_bytes(zipped([("a", line() + "\n")]))
    beside = "log.swf.machines" if "swf" in name else "log.machines"
    (tmp_path / beside).write_text("0 big 7 1 1 1\n")
    trace = read_trace(tmp_path / name)
    assert (trace.name, trace.cluster.spelling) == ("log", "7x1c")


def test_other_files_are_no_archives(write):
    path = write(zipped([("a", "1,2\n")]))
    assert problem(path, read_bytes) == "this is an archive of files: unpack it"


def test_an_archive_in_a_pipe(tmp_path):
    for pack in (zipped, PACKERS["tar.gz"]):
        path = tmp_path / f"pipe{pack is zipped}"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(pack([("a", line() + "\n")]),))
        writer.start()
        if pack is zipped:
            assert problem(path, files.read_log).startswith(
                "this is a zip archive, which cannot be read from a pipe"
            )
        else:
            assert files.read_log(path)[0].tobytes() == f"{line()}\n".encode()
        writer.join()


# Archives that are broken, or made to do harm


def test_an_encrypted_file(write):
    data = bytearray(zipped([("a", day(1))]))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    assert problem(write(data)) == "a in this zip archive is encrypted: unpack it"


def test_a_file_that_is_packed_in_another_way(write):
    data = zipped([("a", day(1))], zipfile.ZIP_LZMA)
    assert problem(write(data)) == "a in this zip archive is packed in a way that is not known: unpack it"


@pytest.mark.parametrize("missing", [1, 30, 200])
def test_a_zip_that_is_cut_off(write, missing):
    assert problem(write(zipped([("a", day(1)), ("b", day(2))])[:-missing])).startswith(
        "this zip archive is "
    )


def test_a_file_in_a_zip_that_is_corrupt(write):
    data = bytearray(zipped([("a", day(1) * 50)], zipfile.ZIP_STORED))
    data[200] ^= 1
    assert problem(write(data)).startswith("a in this zip archive is corrupt: ")


@pytest.mark.parametrize("size", [512, 600, 900])
def test_a_tar_that_is_cut_off(write, size):
    assert problem(write(tarred([("a", day(1) * 9)])[:size])) == "this tar archive is cut off"


def test_a_tar_whose_next_header_is_corrupt(write):
    data = bytearray(tarred([("a", day(1)), ("b", day(2))], tarfile.USTAR_FORMAT))
    data[data.index(b"b\0\0\0")] ^= 1
    assert problem(write(data)) == "this tar archive is corrupt: a header has another sum"


def test_a_tar_with_holes_and_links(write):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, kind in (
            ("link", tarfile.SYMTYPE),
            ("folder", tarfile.DIRTYPE),
            ("pipe", tarfile.FIFOTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("a")
        info.size = len(day(1))
        archive.addfile(info, io.BytesIO(day(1).encode()))
    assert read_trace(write(data.getvalue())).job_id.tolist() == [1]
    info.type = b"S"
    assert "has holes" in problem(write(info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))


def header(kind, size):
    info = tarfile.TarInfo("x")
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize("kind", [b"x", b"L"])
def test_what_a_tar_says_of_a_file_is_bounded(write, kind):
    assert "says over 65,536 bytes of a file" in problem(write(header(kind, 1 << 17) + bytes(1 << 18)))


@pytest.mark.parametrize("text", [b"", b"9", b"0 path=a", b"99999999999 path=a", b"12 path", b"-4 path=a\n"])
def test_what_a_tar_says_of_a_file_may_be_nonsense(write, text):
    data = header(b"x", max(len(text), 1)) + text.ljust(512, b"\0") + tarred([("a", day(1))])
    assert "cannot be read" in problem(write(data)) or text == b""


def test_entries_without_end(write, monkeypatch):
    monkeypatch.setattr(archives, "MAX_LOG_FILES", 10)
    assert "over 40 entries" in problem(write(header(tarfile.DIRTYPE, 0) * 50))
    assert "over 10 files" in problem(write(zipped([(f"{k}", "x") for k in range(11)])))
    monkeypatch.setattr(archives, "_MAX_DIRECTORY", 1 << 17)
    many = zipped([(f"{k:01000}/", "") for k in range(200)])
    assert "the list of the files in this archive has over 131,072 bytes" in problem(write(many))


@EACH
def test_what_all_files_unpack_to_is_bounded(write, pack, monkeypatch):
    path = write(pack([(f"{k}", b"1 " * 500_000) for k in range(3)]))
    monkeypatch.setattr(files, "MAX_TRACE_BYTES", 2_500_000)
    assert problem(path) == "unpacked, this file is over the limit of 2,500,000 bytes"


@pytest.mark.parametrize("pack", [zipped, PACKERS["tar.gz"], PACKERS["tar.xz"]])
def test_what_an_archive_unpacks_to_is_bounded_by_its_size(write, pack, monkeypatch):
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 20)
    path = write(pack([(f"{k}", b" " * (1 << 20)) for k in range(4)]))
    assert "over 100 times its size" in problem(path)
    inner = gzip.compress(b" " * (1 << 22))
    assert "over 100 times its size" in problem(write(pack([("a.gz", inner)])))


def test_files_of_a_zip_that_overlap_are_bounded(write, monkeypatch):
    """Many entries for the same bytes, each of which unpacks to very much."""
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 20)
    data = zipped([("a", b" " * (1 << 19))])
    begin = data.index(b"PK\x01\x02")
    entry, end = data[begin : data.index(b"PK\x05\x06")], bytearray(data[data.index(b"PK\x05\x06") :])
    struct.pack_into("<HHI", end, 8, 200, 200, len(entry) * 200)
    found = problem(write(data[:begin] + entry * 200 + bytes(end)))
    assert "over 100 times its size" in found or "corrupt" in found


@pytest.mark.parametrize("seed", range(40))
def test_damaged_archives_are_read_or_refused(write, seed):
    chance = random.Random(seed)
    pack = chance.choice(list(PACKERS.values()))
    data = bytearray(pack([("a", day(1)), ("b/c.gz", gzip.compress(day(2).encode()))]))
    for _ in range(chance.choice((1, 2, 8, 60))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path = write(data[: chance.randrange(len(data))] if chance.random() < 0.3 else data)
    try:
        assert len(read_trace(path)) > 0
    except InputError as error:
        found = str(error)
    else:
        found = str(path)
    assert found.startswith(str(path))
    assert found.isprintable()


# Texts of two bytes a letter


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("name", ["ann", "zoë", "太郎", "😀"])
def test_texts_of_several_bytes_a_letter(write, encoding, name):
    text = f"{sacct.HEADER}\r\n{sacct.job(User=name)}\r\n{sacct.job(JobID=2)}\r\n"
    path = write(text.encode(encoding))
    trace = read_trace(path)
    assert trace.job_id.tolist() == [1, 2]
    assert trace.user.names[trace.user.codes[0]] == name
    assert read_head(path, 5) == b"JobID"


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zipped([("a", data)])])
def test_packed_texts_of_two_bytes_a_letter(write, pack):
    assert read_trace(write(pack(day(3).encode("utf-16")))).job_id.tolist() == [3]


@needs(CASES / "s17b-utf16.txt")
def test_what_a_powershell_wrote():
    trace = read_trace(CASES / "s17b-utf16.txt")
    assert (trace.job_id.tolist(), trace.wait.tolist(), trace.runtime.tolist()) == ([1], [300], [3600])


def test_a_letter_that_is_cut_and_one_that_is_none(write):
    text = f"{line()}\n".encode("utf-16")
    assert read_bytes(write(text + b"\x00\xd8")).tobytes().startswith(f"{line()}\n".encode())
    assert read_bytes(write(text[:-1])).tobytes().startswith(line().encode())
