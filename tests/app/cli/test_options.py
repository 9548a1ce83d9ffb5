"""The options that all commands take that read a trace."""

from pathlib import Path

import pandas as pd
import pytest

from tests.app.cli.commands import HEADER, Commands
from tests.engine.logs.lines import line, write_log
from tests.engine.logs.sacct.dumps import clock


@pytest.fixture
def submits(cli: Commands, small: Path, tmp_path: Path):
    """The submissions (s, a twelfth of them every 50 s from 100 on) that options leave."""

    def run(*options: object) -> list[int]:
        cli.done("simulate", small, "-o", tmp_path / "out.csv", *options)
        column: list[int] = pd.read_csv(tmp_path / "out.csv")["submit"].tolist()
        return column

    return run


ALL = list(range(100, 700, 50))


@pytest.mark.parametrize(
    ("span", "chosen"),
    [
        ("0:3", ALL[:3]),
        ("3:", ALL[3:]),
        (":4", ALL[:4]),
        (":", ALL),
        ("-2:", ALL[-2:]),
        ("2:99999999999999999999999", ALL[2:]),
    ],
)
def test_jobs(submits, span: str, chosen: list[int]) -> None:
    assert submits("--jobs", span) == chosen


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        (("--from", "200"), ALL[2:]),
        (("--to", "200"), ALL[:2]),
        (("--from", "150", "--to", "300"), ALL[1:4]),
        (("--from", "-5"), ALL),
        (("--from", "2001-09-09T01:50:00"), ALL[2:]),  # 200 s after the log's zero
        (("--from", "2001-09-09T03:50:00+02:00"), ALL[2:]),
        (("--from", "2001-09-09", "--to", "2001-09-10"), ALL),
        (("--to", "99999999999999999999999"), ALL),
    ],
)
def test_from_and_to(submits, options: tuple[str, ...], chosen: list[int]) -> None:
    assert submits(*options) == chosen


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (("--users", "2"), {1}),
        (("--users", "1,3"), {0, 2}),
        (("--users", " 1 , 3 "), {0, 2}),
        (("--users", "-2"), {0, 2}),
        (("--users=-2,-3",), {0}),
        (("--users", "-2,-3"), {0}),
    ],
)
def test_users(submits, options: tuple[str, ...], kept: set[int]) -> None:
    assert submits(*options) == [ALL[job] for job in range(12) if job % 3 in kept]


def test_queues(submits) -> None:
    assert submits("--queues", "1") == submits("--queues", "-2") == ALL[::2]
    assert submits("--queues", "1", "--users", "1") == ALL[::6]


def test_a_user_whose_name_looks_like_an_option(cli: Commands, small: Path) -> None:
    assert "there is no user 'p'" in cli("info", small, "--users", "-p").complaint


def test_all_conditions_hold_at_once(submits) -> None:
    assert submits("--jobs", "2:10", "--from", "250", "--to", "500", "--users", "-1") == [300, 350, 450]


def test_a_machine_to_try_the_log_on(cli: Commands, small: Path) -> None:
    document = cli.done("simulate", small, "--cluster", "2x4c1g", "--json").document
    assert document["cluster"] == {"spelling": "2x4c1g", "nodes": 2, "cpus": 8, "ram_mib": 2048, "outages": 0}


def test_the_machine_of_the_log_from_a_file(cli: Commands, small: Path, tmp_path: Path) -> None:
    machines = tmp_path / "site.machines"
    machines.write_text("0 node 3 2 1 1048576\n")
    document = cli.done("simulate", small, "--cluster", machines, "--json").document
    assert document["cluster"]["spelling"] == "3x2c1g"
    clamped = [note["count"] for note in document["trace"]["notes"] if note["rule"] == "clamp_procs"]
    assert clamped == [4], "the log's own machine cuts jobs, one to try refuses them"
    assert document["runs"][0]["metrics"]["refused"] == 0


def test_the_machine_of_the_log_from_the_file_beside_it(cli: Commands, small: Path) -> None:
    small.with_name("small.swf.machines").write_text("0 node 2 16 1 1048576\n")
    assert cli.done("info", small, "--json").document["cluster"]["spelling"] == "2x16c1g"
    assert cli.done("info", small, "--cluster", "9c", "--json").document["cluster"]["spelling"] == "9c"


def test_an_estimate_for_policies_that_name_none(cli: Commands, small: Path) -> None:
    runs = ("-p", "recorded", "-p", "easy", "-p", "easy:estimate=requested")
    document = cli.done("compare", small, *runs, "--estimate", "actual", "--json").document
    assert [run["estimate"] for run in document["runs"]] == [None, "actual", "requested"]
    assert [run["policy"] for run in document["runs"]] == ["recorded", "easy", "easy"]


def test_measured_jobs(cli: Commands, small: Path) -> None:
    whole = cli.done("compare", small, "-p", "easy", "--json").document
    document = cli.done("compare", small, "-p", "easy", "--measure", "200:400", "--json").document
    assert (whole["measure"], document["measure"]) == (None, "200:400")
    metrics = document["runs"][0]["metrics"]
    assert (metrics["jobs"], metrics["ran"]) == (4, 12)
    assert (
        cli.done("simulate", small, "--measure", "2001-09-09:")
        .out.splitlines()[1]
        .endswith("of 12 jobs submitted in 2001-09-09:")
    )


@pytest.mark.parametrize(
    ("span", "jobs"),
    [
        (":300", 4),
        ("300:", 8),
        ("-10:300", 4),
        ("2001-09-09T01:50:00:2001-09-09T01:55:00", 6),
        ("2001-09-09:2001-09-10", 12),
    ],
)
def test_spans_to_measure(cli: Commands, small: Path, span: str, jobs: int) -> None:
    metrics = cli.done("simulate", small, "--measure", span, "--json").document["runs"][0]["metrics"]
    assert metrics["jobs"] == jobs


@pytest.mark.parametrize("command", [("simulate",), ("compare", "-p", "easy"), ("eet",)])
def test_every_title_says_what_is_measured(cli: Commands, small: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    text = cli.done(name, small, *options, "--measure", "200:400").out
    assert "4 jobs submitted in 200:400" in text


def test_cleaning_rules(cli: Commands, tmp_path: Path) -> None:
    log = write_log(
        tmp_path / "log.swf",
        *HEADER,
        line(),
        line(job=2, walltime=-1),
        line(job=3, runtime=-1),
        line(job=4, procs=99),
    )

    def jobs(*options: str) -> int:
        count: int = cli.done("info", log, "--json", *options).document["trace"]["jobs"]
        return count

    assert jobs() == 3
    assert jobs("--clean", "drop_no_walltime=on") == 2
    assert jobs("--clean", "drop_no_runtime=off") == 4
    assert jobs("--clean", "drop_no_runtime=off", "--clean", "drop_no_walltime=on") == 3
    refused = cli.done("simulate", log, "--clean", "clamp_procs=off", "--json").document["runs"][0][
        "metrics"
    ]["refused"]
    assert refused == 1


def test_a_seed_is_taken(cli: Commands, small: Path) -> None:
    outputs = [cli.done("info", small, "--seed", seed).out for seed in (0, 1, -1)]
    assert len(set(outputs)) == 1


@pytest.mark.parametrize("command", [("info",), ("simulate",), ("compare", "-p", "easy"), ("eet",)])
def test_json_is_alone_on_standard_output(
    cli: Commands, small: Path, command: tuple[str, ...], tmp_path: Path
) -> None:
    name, *options = command
    output = [] if name in ("info", "compare") else ["-o", tmp_path / "out.csv"]
    outcome = cli.done(name, small, *options, *output, "--json")
    assert outcome.document["trace"]["name"] == "small"
    assert outcome.out.startswith("{\n")
    assert outcome.out.endswith("\n}\n")


def test_failures_are_of_the_log_s_own_machine(cli: Commands, small: Path, tmp_path: Path) -> None:
    failures = tmp_path / "small.failures"
    failures.write_text("150 cl 100 0 3\n")
    assert "the machine is a pool, 8c" in cli("info", small, "--failures", failures).complaint
    machines = tmp_path / "small.swf.machines"
    machines.write_text("0 cl 4 2 1 4194304\n")
    refused = cli("info", small, "--failures", failures, "--cluster", "4x2c4g").complaint
    assert refused.endswith("leave --cluster out, or let its nodes fail with --cluster 4x2c4g~log")
    tried = cli.done("info", small, "--failures", failures, "--cluster", "4x3c~log", "--json").document
    assert tried["cluster"] == {
        "spelling": "4x3c~log",
        "nodes": 4,
        "cpus": 12,
        "ram_mib": None,
        "outages": 2,
    }


def test_fields_of_a_dump_that_names_none(cli: Commands, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(f"ann|7|COMPLETED|{clock(1)}|{clock(9)}|{clock(60)}|4\n", "utf-8")
    assert "--fields JobID,Submit,Start" in cli("info", path).complaint
    output = cli.done("info", path, "--fields", "User,JobID,State,Submit,Start,End,NCPUS").out
    assert "1 job of 1 user" in output
