import gzip
import zipfile

import pytest

from engine.errors import InputError
from engine.logs.files import content as files
from engine.logs.files.content import log_files
from engine.logs.read import read_trace
from tests.engine.logs.formats.pbs import ended, record
from tests.engine.logs.lines import counts, line, where
from tests.engine.logs.sacct.dumps import HEADER, job


def test_rotated_logs_are_one_trace(tmp_path):
    (tmp_path / "acct.10").write_text(ended(start=50) + "\nnonsense\n")
    (tmp_path / "acct.9.gz").write_bytes(gzip.compress(f"{record('S', 1)}\n{ended(2)}".encode()))
    (tmp_path / "acct.1").write_text("")
    (tmp_path / ".hidden").write_text("nonsense")
    (tmp_path / "deeper").mkdir()
    trace = read_trace(tmp_path)
    assert trace.name == tmp_path.name
    assert trace.job_id.tolist() == [1, 2]
    assert where(trace, "unreadable_line") == (1, (4,))  # lines are counted through


def test_every_file_may_have_its_header(tmp_path):
    for month in range(1, 4):
        (tmp_path / f"2020-{month}").write_text(f"{HEADER}\n{job(JobID=month)}\n{job(JobID=f'{month}.0')}\n")
    trace = read_trace(tmp_path)
    assert trace.job_id.tolist() == [1, 2, 3]
    assert counts(trace)["steps"] == 3
    assert "unreadable_time" not in counts(trace)


def test_what_lies_beside_logs_is_none(tmp_path):
    (tmp_path / "log.swf").write_text(line() + "\n")
    (tmp_path / "log.swf.machines").write_text("0 a 1 1 1 1\n")
    (tmp_path / "README.md").write_text("# Logs\n")
    assert log_files(tmp_path) == [tmp_path / "log.swf"]
    assert log_files(tmp_path / "log.swf") == [tmp_path / "log.swf"]
    trace = read_trace(tmp_path)
    assert len(trace) == 1
    (note,) = [note for note in trace.notes if note.rule == "files_beside"]
    assert note.count == 2
    assert note.text == f"files left out: about logs, but no logs, first {tmp_path / 'README.md'}"
    assert "files_beside" not in {note.rule for note in read_trace(tmp_path / "log.swf").notes}


def test_folders_that_hold_no_log(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r": there is no log in this folder$"):
        read_trace(tmp_path)
    (tmp_path / "a").write_bytes(bytes(100))
    with pytest.raises(InputError, match=r"/a: this is a binary file"):
        read_trace(tmp_path)
    monkeypatch.setattr(files, "MAX_LOG_FILES", 1)
    (tmp_path / "b").write_text(line())
    with pytest.raises(InputError, match=r": there are over 1 files in this folder$"):
        read_trace(tmp_path)


def test_the_limit_is_that_of_all_files(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).write_text((line() + "\n") * 10)
    monkeypatch.setattr(files, "MAX_TRACE_BYTES", len(line()) * 15)
    with pytest.raises(InputError, match=r"/b: unpacked, this file is over the limit"):
        read_trace(tmp_path)


@pytest.mark.parametrize(
    "name", ["README.md", "README", "readme.txt", "LICENSE", "a.md5", "plot.py", "columns.toml", "slurm.conf"]
)
def test_what_is_about_logs_is_none(tmp_path, name):
    """Archives of data come with such files; the first of a folder says how its log is read."""
    (tmp_path / "log.txt").write_text(f"{HEADER}\n{job(JobID=1)}\n")
    (tmp_path / name).write_text("About this log\n")
    assert read_trace(tmp_path).job_id.tolist() == [1]
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.write(tmp_path / name, f"data/{name}")
        archive.write(tmp_path / "log.txt", "data/log.txt")
    assert read_trace(tmp_path / "packed.zip").job_id.tolist() == [1]


def test_folders_in_a_folder_are_named(tmp_path):
    (tmp_path / "2024").mkdir()
    with pytest.raises(InputError, match=r"no log in this folder; name a folder in it, such as 2024$"):
        read_trace(tmp_path)
