import gzip
import json

import pytest

from app.cli.main import main
from engine.logs.read import read_trace
from engine.trace.generate.models import MODELS
from resources import example_path


@pytest.mark.parametrize("model", MODELS)
def test_every_model(tmp_path, capsys, model):
    out = tmp_path / "out.swf.gz"
    assert main(["generate", str(out), "--model", model, "--jobs", "500", "--cluster", "8x16c64g"]) == 0
    assert capsys.readouterr().err.startswith(f"wrote 500 jobs of 8x16c64g to {out}")
    trace = read_trace(out)
    assert (len(trace), trace.cluster.spelling) == (500, "8x16c64g")


def test_the_campus_is_the_bundled_example(tmp_path):
    out = tmp_path / "out.swf.gz"
    assert main(["generate", str(out), "--model", "campus", "--quiet"]) == 0
    assert gzip.decompress(out.read_bytes()) == gzip.decompress(example_path().read_bytes())


def test_a_log_like_another(tmp_path, capsys):
    first, second, figure = (tmp_path / name for name in ("first.swf", "second.swf", "like.svg"))
    assert main(["generate", str(first), "--jobs", "2000", "--load", "0.9", "--users", "20", "--quiet"]) == 0
    assert main(["generate", str(second), "--like", str(first), "--figure", str(figure)]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0].split() == ["10", "%", "25", "%", "50", "%", "75", "%", "90", "%", "99", "%", "distance"]
    assert [line.split()[0] for line in lines[1::2]] == ["processors", "runtime", "walltime", "gap", "jobs"]
    assert figure.read_text().count("<svg") == 1
    third = tmp_path / "third.swf"
    assert main(["generate", str(third), "--like", str(first), "--seed", "3", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["jobs"] == 2000
    assert 0 <= document["like"]["runtime"]["distance"] < 0.2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["out.txt"], "cannot write this format"),
        (["out.swf", "--load", "0"], "a load is 0.001 to 100"),
        (["out.swf", "--load", "1e-300"], "a load is 0.001 to 100"),
        (["out.swf", "--load", "nan"], "a load is 0.001 to 100"),
        (["out.swf", "--users", "999999999"], "at most 1,000,000 users"),
        (["out.swf", "--jobs", "0"], "'0' is not a whole number"),
        (["out.swf", "--figure", "like.png"], "name it with --like"),
        (["out.swf", "--model", "campus", "--jobs", "5"], "takes a seed only"),
        (["out.swf", "--model", "lublin", "--like", "x.swf"], "exclude each other"),
        (["out.swf", "--cluster", "4x1c~1d/1h"], "does not hold when nodes fail"),
        (["out.swf", "--cluster", "nonsense"], "nonsense"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, monkeypatch, capsys, arguments, expected):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["generate", *arguments])
    except SystemExit as left:
        status = left.code
    error = capsys.readouterr().err
    assert status == 2
    assert expected in error
    assert len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_the_log_that_is_read_is_not_written_over(tmp_path, capsys):
    log = tmp_path / "log.swf"
    assert main(["generate", str(log), "--jobs", "200"]) == 0
    before = log.read_bytes()
    assert main(["generate", str(log), "--like", str(log)]) == 2
    assert "this file is an input" in capsys.readouterr().err
    assert log.read_bytes() == before


def test_gpus_are_in_tables_and_it_is_reported_where_they_are_not(cli, tmp_path):
    machine = ("--cluster", "4x64c512g8gpu", "--jobs", "300")
    output = cli.done("generate", tmp_path / "log.csv", *machine).err
    assert "GPUs" not in output
    trace = read_trace(tmp_path / "log.csv")
    assert trace.cluster.spelling == "4x64c512g8gpu"
    assert trace.gpus is not None
    assert trace.gpus.max() > 0
    assert "name it .csv for them" in cli.done("generate", tmp_path / "log.swf", *machine).err
