import csv
import json

import pytest

from app.cli.main import main


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.swf"
    assert main(["generate", str(path), "--jobs", "6000", "--load", "0.95", "--users", "12", "--quiet"]) == 0
    return path


def search(log, *more):
    return main(["search", str(log), "--minimize", "wait_mean", "--trials", "40", "--quiet", *more])


def test_the_front_on_both_spans_and_a_verdict(log, tmp_path, capsys):
    out = tmp_path / "trials.csv"
    assert search(log, "--subject-to", "veet_q3 <= 100", "-o", str(out)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "to minimize wait_mean subject to veet_q3 <= 100" in lines[0]
    assert lines[3].split()[:3] == ["policy", "wait_mean", "searched"]
    assert lines[-3].endswith("baseline")
    assert "against easy on the judged span: mean wait" in lines[-1] or "Nothing that was tried" in lines[-1]
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert {"policy", "wait_mean", "veet_q3", "kept"} == set(rows[0])
    assert len({row["policy"] for row in rows}) == len(rows) > 10


def test_the_log_is_not_replaced(log, tmp_path, capsys):
    table = tmp_path / "log.csv"
    assert main(["convert", str(log), str(table), "--quiet"]) == 0
    before = table.read_bytes()
    assert search(table, "--force", "-o", str(table)) == 2
    assert "this file is an input; write to another file" in capsys.readouterr().err
    assert table.read_bytes() == before


def test_one_document(log, capsys):
    assert search(log, "--vary", "order=fcfs|sjf", "--baseline", "fcfs", "--seed", "1", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["tried"] == 2
    assert document["front"][0]["policy"] in ("easy", "easy:order=sjf")
    assert document["baseline"]["policy"] == "fcfs"
    (found,) = document["advantages"]
    assert found["change"] < 0
    assert (found["low"], found["high"], document["shown"]) == (None, None, False), "of some weeks alone"
    assert f"averaged over {found['weeks']} week" in document["verdict"]
    assert "no CI: it needs 12 weeks" in document["verdict"]


def test_where_nothing_is_better_it_says_so(log, capsys):
    assert search(log, "--vary", "depth=stop|1") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Nothing that was tried beats easy."
    assert search(log, "--subject-to", "wait_mean <= 0") == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "No policy that was tried keeps wait_mean <= 0."


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "name a metric"),
        (["--minimize", "wait_meen"], "wait_meen"),
        (["--minimize", "wait_mean", "--subject-to", "veet_q3 < 3"], "is not a bound"),
        (["--minimize", "wait_mean", "--vary", "colour"], "no key 'colour'"),
        (["--minimize", "wait_mean", "--measure", "0:10"], "--measure has no use here"),
        (["--minimize", "wait_mean", "--seed", "-1"], "seed cannot be '-1'"),
        (["--minimize", "wait_mean", "--baseline", "esy"], "esy"),
        (["--minimize", "wait_mean", "--jobs", "0:20"], "50 jobs"),
        (["--minimize", "wait_mean", "-o", "x.txt"], "cannot write this format"),
    ],
)
def test_what_is_wrong_is_one_line(log, capsys, arguments, expected):
    assert main(["search", str(log), *arguments]) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert len(error.splitlines()) == 1
