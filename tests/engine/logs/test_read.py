import gzip
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.trace.file_names import machines_path, trace_name
from tests.engine.logs.lines import line, write_log


@pytest.mark.parametrize(
    ("file", "name", "machines"),
    [
        ("alea-wagap-2013.swf.gz", "alea-wagap-2013", "alea-wagap-2013.swf.machines"),
        ("CEA-Curie-2011-2.1-cln.swf.gz", "CEA-Curie-2011-2.1-cln", "CEA-Curie-2011-2.1-cln.swf.machines"),
        ("log.swf", "log", "log.swf.machines"),
        ("log.SWF.XZ", "log", "log.SWF.machines"),
        ("my.log-2.1", "my.log-2.1", "my.log-2.1.machines"),
    ],
)
def test_names(file, name, machines):
    assert trace_name(Path("a") / file) == name
    assert machines_path(Path("a") / file) == Path("a") / machines


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_trace(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(str(path))


def test_a_packed_log_is_read(tmp_path):
    trace = read_trace(write_log(tmp_path / "log.swf.gz", line(), line()))
    assert (trace.name, len(trace)) == ("log", 2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "job_id,runtime\n1,3\n",
            ":1: this is not a trace: field 1 is not a number in 'job_id,runtime'",
        ),
        ("; Version: 2.2\n\n1 2 3\n", ":3: this is not a trace: field 4 is missing in '1 2 3'"),
        ('{"jobs": []}\n', ": there is no job in this file"),
        (
            '{"tasks": []}\n',
            ":1: this is not a job: it has tasks; "
            "jobs of Batsim, Slurm, HTCondor, Flux, Grid Engine, Slurm's jobcomp/elasticsearch and rows of "
            "sacct are read",
        ),
        ("; Version: 2.2\n", ": there is no job in this file"),
        ("\n \n", ": there is no job in this file"),
        ("", ": this file is empty"),
    ],
)
def test_what_is_no_trace_says_where_and_why(tmp_path, text, says):
    path = tmp_path / "log.swf"
    path.write_text(text)
    assert problem(path) == says


def test_a_long_line_of_control_characters_still_makes_one_short_line(tmp_path):
    path = tmp_path / "log.swf"
    path.write_bytes(b"\x1b[31m\x07\r\x0b" * 1000)
    assert len(problem(path)) < 150


def test_a_missing_a_binary_and_a_cut_off_file(tmp_path):
    assert problem(tmp_path / "log.swf") == ": no such file"
    (tmp_path / "log.swf").write_bytes(bytes(100))
    assert "binary" in problem(tmp_path / "log.swf")
    (tmp_path / "log.swf.gz").write_bytes(gzip.compress(line().encode() * 1000)[:-9])
    assert problem(tmp_path / "log.swf.gz") == ": this gzip archive is cut off"


@pytest.mark.parametrize(
    ("machines", "says"),
    [
        (b"0 big 2\n", ":1: expected"),
        (b"", ": no machine"),
        (b"\xff\xfe", ":1: this is not UTF-8 text"),
        (b"0 a 9999999 1 1 1\n", ":1: expected"),
        (b"0 a 900000 1 1 1\n1 b 900000 1 1 1\n", ": a cluster has at most 1,000,000 nodes, not 1,800,000"),
    ],
)
def test_an_unusable_machines_file_is_named(tmp_path, machines, says):
    (tmp_path / "log.swf.machines").write_bytes(machines)
    path = write_log(tmp_path / "log.swf", line())
    assert problem(path).startswith(f".machines{says}")


def test_a_machines_file_that_is_a_directory(tmp_path):
    (tmp_path / "log.swf.machines").mkdir()
    assert "this is a directory" in problem(write_log(tmp_path / "log.swf", line()))


def test_progress_rises_to_one_and_cancels(tmp_path):
    path = write_log(tmp_path / "log.swf.gz", *[line("{1} q 1")] * 1000)
    seen: list[float] = []
    read_trace(path, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(seen) >= 3

    class CancelledError(Exception):
        pass

    for stop in sorted(set(seen)):

        def cancel(done: float, stop: float = stop) -> None:
            if done >= stop:
                raise CancelledError

        with pytest.raises(CancelledError):
            read_trace(path, progress=cancel)


def test_a_wrong_rule_is_reported_before_the_file_is_read(tmp_path):
    with pytest.raises(InputError, match=r"log\.swf: there is no cleaning rule"):
        read_trace(tmp_path / "log.swf", clean={"nonsense": True})
