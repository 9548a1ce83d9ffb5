import json
import time

import pytest

from app.cli.main import main
from engine.logs.read import read_trace
from tests.engine.logs.lines import line, write_log


@pytest.fixture
def log(tmp_path):
    lines = [line(job=k, submit=60 * k, user=k % 3) for k in range(1, 9)]
    return write_log(tmp_path / "log.swf", "; MaxProcs: 8", *lines)


@pytest.mark.parametrize(
    "name", ["out.swf", "out.swf.gz", "out.csv", "out.parquet", "out.json", "out.json.gz"]
)
def test_every_format(log, tmp_path, name, capsys):
    out = tmp_path / name
    assert main(["convert", str(log), str(out), "--jobs", "2:6"]) == 0
    assert capsys.readouterr().err.startswith(f"wrote 4 jobs to {out}")
    assert read_trace(out).job_id.tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("suffix", [".swf.gz", ".json.gz"])
def test_a_packed_file_has_the_same_bytes_each_time_under_each_name(log, tmp_path, suffix, monkeypatch):
    written = []
    for day in (1, 2):
        monkeypatch.setattr(time, "time", lambda day=day: 86_400.0 * day)
        assert main(["convert", str(log), str(tmp_path / f"out-{day}{suffix}"), "--quiet"]) == 0
        written.append((tmp_path / f"out-{day}{suffix}").read_bytes())
    assert written[0] == written[1]


def test_what_is_left_out_is_reported(log, tmp_path, capsys):
    out = tmp_path / "out.json"
    assert main(["convert", str(log), str(out)]) == 0
    assert "not kept: waits, so the recorded schedule" in capsys.readouterr().err
    assert main(["convert", str(log), str(out), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["jobs"], "waits, so the recorded schedule" in document["left_out"]) == (8, True)


@pytest.mark.parametrize("name", ["out.txt", "out.csv.gz", "out", "missing/out.swf"])
def test_what_cannot_be_written(log, tmp_path, name, capsys):
    assert main(["convert", str(log), str(tmp_path / name)]) != 0
    assert str(tmp_path / name) in capsys.readouterr().err


def test_a_log_is_not_replaced_by_itself(log, capsys):
    before = log.read_bytes()
    assert main(["convert", str(log), str(log)]) == 2
    assert log.read_bytes() == before


def test_a_table_names_the_machine_to_read_it_with(log, tmp_path, capsys):
    out = tmp_path / "out.csv"
    assert main(["convert", str(log), str(out)]) == 0
    said = "not kept: the processors of its machine: read the table with --cluster 8c"
    assert said in capsys.readouterr().err
