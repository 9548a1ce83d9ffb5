from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import parquet

from tests.app.cli.commands import Commands, Outcome

STUDY = """
title = "One or many?"
policies = ["queues:n=1", "queues:n=5", "auction"]
metrics = ["value:delta=5"]
against = "auction"
keys = { seed = [0, 1] }
findings = [{ text = "many are an auction", policy = "queues:n=5", least = 10 }]
"""


def test_a_study_from_the_file_to_the_answer(cli: Commands, small: Path, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(STUDY, "utf-8")
    found = cli.done("sweep", study, small, "-o", out)
    assert "One or many?" in found.out
    assert "small on 8c, 6 runs" in found.out
    assert "mean over seeds, in % of auction" in found.out
    assert "many are an auction" in found.out
    assert found.err == f"wrote {out / 'results.parquet'}\n"
    assert parquet.read_table(out / "results.parquet").num_rows == 6
    document = cli.done("sweep", study, small, "-o", out, "--json").document
    (document,) = document["traces"]
    assert len(document["runs"]) == 6
    assert {point["value"] for point in document["points"] if point["policy"] == "auction"} == {100.0}
    assert document["findings"][0]["answer"] == "reproduced"


def test_a_row_is_a_point_and_no_mean_over_keys(cli: Commands, small: Path, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    keys = 'keys = { seed = [0, 1], threshold = ["30m", "2h"], valuation = ["column:procs", "normal:5:1"] }'
    study.write_text(STUDY.replace("keys = { seed = [0, 1] }", keys), "utf-8")
    lines = cli.done("sweep", study, small, "-o", out).out.splitlines()
    head = lines.index("mean over seeds, in % of auction")
    assert lines[head + 1].split() == ["threshold", "valuation", "value:delta=5"]
    rows = [line.split() for line in lines[head + 2 : head + 14]]
    assert [row[:3] for row in rows] == [
        [policy, threshold, valuation]
        for policy in ("queues:n=1", "queues:n=5", "auction")
        for threshold in ("30m", "2h")
        for valuation in ("column:procs", "normal:5:1")
    ]
    (document,) = cli.done("sweep", study, small, "-o", out, "--json").document["traces"]
    assert [f"{point['value']:,.2f}" for point in document["points"]] == [row[3] for row in rows]
    assert document["points"][1]["keys"] == {"threshold": "30m", "valuation": "normal:5:1"}


def test_a_study_that_names_its_traces(cli: Commands, small: Path, tmp_path: Path) -> None:
    study, out = tmp_path / "study.toml", tmp_path / "out"
    assert "names no traces" in _swept(cli, study, STUDY, out).complaint
    (tmp_path / "logs").mkdir()
    for name in ("first", "second"):
        (tmp_path / "logs" / f"{name}.swf").write_bytes(small.read_bytes())
    found = _swept(cli, study, f'traces = ["logs/first.swf", "logs/second.swf"]\n{STUDY}', out)
    assert found.status == 0
    assert "first on 8c, 6 runs" in found.out
    assert "second on 8c, 6 runs" in found.out
    assert parquet.read_table(out / "results.parquet")["trace"].to_pylist() == ["first"] * 6 + ["second"] * 6
    assert "missing.swf" in _swept(cli, study, f'traces = ["missing.swf"]\n{STUDY}', out).complaint


def _swept(cli: Commands, study: Path, text: str, out: Path) -> Outcome:
    study.write_text(text, "utf-8")
    return cli("sweep", study, "-o", out)


def test_a_ready_made_study_by_its_name(cli: Commands, small: Path, tmp_path: Path) -> None:
    text = cli.done("sweep", "auction-or-queues", small, "-o", tmp_path / "out").out
    assert "Van den Bossche" in text
    assert "30 runs" in text
    assert text.count("reproduced (") == 4


def test_what_cannot_be_used_is_named(cli: Commands, small: Path, tmp_path: Path) -> None:
    wrong = cli("sweep", "auction-or-queue", small, "-o", tmp_path / "out")
    assert "did you mean 'auction-or-queues'?" in wrong.complaint
    assert wrong.status == 2
    assert "study.toml" in cli("sweep", tmp_path / "study.toml", small, "-o", tmp_path / "out").complaint
    assert "this is a file" in cli("sweep", "auction-or-queues", small, "-o", small).complaint


@pytest.mark.parametrize("option", [("--estimate", "last2"), ("--measure", "0:10"), ("--seed", "1")])
def test_options_that_a_study_leaves_no_use_for_are_refused(
    cli: Commands, small: Path, tmp_path: Path, option: tuple[str, str]
) -> None:
    wrong = cli("sweep", "auction-or-queues", small, *option, "-o", tmp_path / "out")
    assert f"{option[0]} has no use here: a study file defines all of its runs" in wrong.complaint
    assert not (tmp_path / "out").exists()


def test_runs_that_fail_are_reported(cli: Commands, small: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text('policies = ["easy", "easy:queue_nodes=no@1"]\nmetrics = ["wait_mean"]', "utf-8")
    found = cli("sweep", study, small, "-o", tmp_path / "out")
    assert found.status == 1
    assert "1 run failed: " in found.err


def test_a_scheduler_that_does_not_answer_is_named(cli: Commands, small: Path, tmp_path: Path) -> None:
    found = cli("sweep", "auction-or-queues", small, "-o", tmp_path, "--scheduler", "tcp://127.0.0.1:9")
    assert found.status == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in found.complaint


def test_rows_do_not_depend_on_the_number_of_workers(cli: Commands, small: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY, "utf-8")
    tables = []
    for workers in ("1", "3"):
        cli.done("sweep", study, small, "-o", tmp_path / workers, "--workers", workers)
        table = parquet.read_table(tmp_path / workers / "results.parquet").drop_columns("seconds")
        tables.append(table.to_pylist())
    assert len(tables[0]) == 6
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--workers", "0"], "is not a whole number from 1 to 1024"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:9"], "not allowed with argument --workers"),
    ],
)
def test_workers_are_some_and_of_one_place(
    cli: Commands, small: Path, tmp_path: Path, words: list[str], complaint: str
) -> None:
    found = cli("sweep", "auction-or-queues", small, "-o", tmp_path / "out", *words)
    assert found.status == 2
    assert complaint in found.err
    assert not (tmp_path / "out").exists()
