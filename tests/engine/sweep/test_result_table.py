"""Tables of results: what is read of them, and how conditions and a baseline act on them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from engine.errors import InputError
from engine.sweep.result_table import (
    Condition,
    ResultTable,
    chosen_rows,
    in_percent_of,
    parse_condition,
    read_results,
)

NAMES = ("policy", "theta", "seed", "wait_mean", "value:delta=1", "value:delta=5")
ROWS = [
    dict(zip(NAMES, row, strict=True))
    for row in (
        ("easy", 0.5, "0", 60.0, 8.0, 9.0),
        ("easy", 1.0, "0", 30.0, 9.0, None),
        ("fcfs", 0.5, "0", 120.0, 4.0, 3.0),
    )
]


@pytest.fixture(params=["folder", ".parquet", ".csv", ".json", "rows"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> ResultTable:
    """The same rows from each form in which they may lie."""
    frame, form = pd.DataFrame(ROWS), request.param
    if form == "folder":
        frame.to_parquet(tmp_path / "results.parquet")
        return read_results(tmp_path)
    path = tmp_path / f"runs{form if form != 'rows' else '.json'}"
    if form == ".parquet":
        frame.to_parquet(path)
    elif form == ".csv":
        frame.to_csv(path, index=False)
    else:
        path.write_text(json.dumps(ROWS if form == ".json" else {"rows": ROWS}))
    return read_results(path)


def test_each_form_gives_the_same_parameters_and_measures(table: ResultTable) -> None:
    assert table.parameters["policy"] == ("easy", "fcfs")
    assert table.parameters["theta"] == ("0.5", "1")
    assert table.parameters["delta"] == ("1", "5")
    assert {"wait_mean", "value"} <= {*table.families}
    values = [(found.at["policy"], found.at["delta"], found.value) for found in table.observations("value")]
    assert values == [
        ("easy", "1", 8.0),
        ("easy", "1", 9.0),
        ("fcfs", "1", 4.0),
        ("easy", "5", 9.0),
        ("fcfs", "5", 3.0),
    ]


def test_a_comparison_is_turned_so_that_a_row_is_a_run(tmp_path: Path) -> None:
    path = tmp_path / "compared.csv"
    path.write_text("metric,unit,easy,fcfs\nwait_mean,s,60,120\nutilization,%,70,\n")
    table = read_results(path)
    assert table.parameters == {"run": ("easy", "fcfs")}
    assert [found.value for found in table.observations("wait_mean")] == [60.0, 120.0]
    assert [found.at["run"] for found in table.observations("utilization")] == ["easy"]


def test_conditions_keep_values_and_ranges(table: ResultTable) -> None:
    waits = table.observations("wait_mean")
    assert [o.value for o in chosen_rows(table, waits, [parse_condition("policy=easy")])] == [60.0, 30.0]
    assert [o.value for o in chosen_rows(table, waits, [parse_condition("theta=0..0.6")])] == [60.0, 120.0]
    for text, expected in (
        ("policy=eazy", "did you mean 'easy'"),
        ("polcy=easy", "did you mean 'policy'"),
        ("theta=5..6", "no run meets"),
    ):
        with pytest.raises(InputError, match=expected):
            chosen_rows(table, waits, [parse_condition(text)])


def test_a_baseline_makes_parts_of_it_where_it_has_a_value(table: ResultTable) -> None:
    shares = in_percent_of(table.observations("wait_mean"), parse_condition("policy=easy"))
    assert [(o.at["policy"], o.at["theta"], o.value) for o in shares] == [
        ("easy", "0.5", 100.0), ("easy", "1", 100.0), ("fcfs", "0.5", 200.0)
    ]  # fmt: skip
    with pytest.raises(InputError, match="no run has policy=auction"):
        in_percent_of(table.observations("wait_mean"), parse_condition("policy=auction"))
    with pytest.raises(InputError, match="a single value"):
        in_percent_of(table.observations("wait_mean"), Condition("policy", ("easy", "fcfs")))


@pytest.mark.parametrize("text", ["", "policy", "=easy", "policy=", "theta=a..b"])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(InputError):
        parse_condition(text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.csv", "", "no rows"),
        ("a.csv", "policy,wait_mean\neasy\n", "line 2 has another number of fields"),
        ("a.csv", "policy\neasy\n", "no column of this table has numbers"),
        ("a.json", "{", "a.json"),
        ("a.json", "[1]", "a list of objects"),
        ("a.parquet", "no parquet", "a.parquet"),
        ("a.txt", "x", "are a folder of a study"),
    ],
)
def test_what_is_no_table_of_results_is_refused_in_a_sentence(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=expected):
        read_results(path)


def test_a_folder_without_results_names_what_writes_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="batchscope sweep -o"):
        read_results(tmp_path)
