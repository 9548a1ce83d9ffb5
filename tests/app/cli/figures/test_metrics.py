from pathlib import Path

import pytest

from engine.claims.words import LATE
from tests.app.cli.commands import Commands
from tests.engine.logs.lines import line, write_log

RUNS = ("-p", "recorded", "-p", "easy")
MEASURE = "200:500"


def test_metrics_with_a_number_are_listed_last_under_their_names(cli: Commands, small: Path) -> None:
    more = ("--metric", "psf:alpha=1.5", "--metric", "response_l:p=3")
    for run in cli.done("compare", small, *RUNS, *more, "--json").document["runs"]:
        assert list(run["metrics"])[-2:] == ["psf:alpha=1.5", "response_l:p=3"]
        assert run["metrics"]["psf1"] < run["metrics"]["psf:alpha=1.5"] < run["metrics"]["psf2"]
    table, verdicts = cli.done("compare", small, *RUNS, *more).out.rsplit("\n\n", 1)
    *of_runs, late = verdicts.splitlines()
    assert [verdict.split(":")[0] for verdict in of_runs] == ["recorded", "easy"]
    assert late == LATE
    *last, more_metrics = table.splitlines()[-3:]
    assert more_metrics.startswith("--all prints ")
    assert last[0].startswith("Priority weighted response, alpha = 1.5, s  ")
    assert last[1].startswith("Response norm, p = 3, s  ")


def test_simulate_takes_them_too(cli: Commands, small: Path) -> None:
    more = ("--metric", "psf:alpha=2", "--metric", "wait_max")
    (run,) = cli.done("simulate", small, *more, "--json").document["runs"]
    assert run["metrics"]["psf:alpha=2"] == run["metrics"]["psf2"]
    lines = cli.done("simulate", small, *more).out.splitlines()
    assert lines[-2].startswith("Priority weighted response, alpha = 2 ")
    assert lines[-1] == f"Longest wait {run['metrics']['wait_max']} s"


@pytest.mark.parametrize("command", [("simulate",), ("compare", "-p", "easy")])
def test_a_metric_that_there_is_not(cli: Commands, small: Path, command: tuple[str, ...]) -> None:
    name, *rest = command
    outcome = cli(name, small, *rest, "--metric", "psf:alpha")
    assert outcome.status == 2
    assert "spell it like psf:alpha=1.5" in outcome.complaint


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("user", ["1", "2", "3"]),
        ("queue", ["1", "2"]),
        (
            "class",
            [
                "1 processor, 1 to 10 min",
                "2-8 processors, 1 to 10 min",
            ],
        ),
    ],
)
def test_tables_of_groups(cli: Commands, small: Path, by: str, names: list[str]) -> None:
    document = cli.done("compare", small, *RUNS, "--by", by, "--json").document
    assert document["by"] == by
    for run in document["runs"]:
        assert [entry["name"] for entry in run["groups"]] == names
        assert sum(entry["jobs"] for entry in run["groups"]) == 12
        total = sum(entry["wait_mean"] * entry["jobs"] for entry in run["groups"])
        assert total / 12 == pytest.approx(run["metrics"]["wait_mean"])
        assert sum(entry["wt"] for entry in run["groups"]) == run["metrics"]["wt_total"]
    text = cli.done("compare", small, *RUNS, "--by", by).out
    _, first, second, _ = text.split("\n\n")
    assert first.startswith(f"recorded, by {by}, 12 jobs\n")
    assert second.startswith(f"easy, by {by}, 12 jobs\n")
    assert [row.split("  ")[0] for row in first.splitlines()[2:]] == names


def test_without_groups_there_are_none(cli: Commands, small: Path) -> None:
    document = cli.done("compare", small, *RUNS, "--json").document
    assert document["by"] is None
    assert all("groups" not in run for run in document["runs"])


def test_every_heading_says_which_jobs_are_measured(cli: Commands, small: Path) -> None:
    words = f"jobs submitted in {MEASURE}"
    cut = ("--measure", MEASURE)
    assert words in cli.done("simulate", small, *cut).out.splitlines()[-1]
    text = cli.done("compare", small, *RUNS, "--by", "user", *cut).out
    parts = text.partition("\n")[2].split("\n\n")[:-1]  # verdicts have none, nor has the line on recorded
    headings = [part.splitlines()[0] for part in parts]
    assert len(headings) == 3
    assert all(heading.endswith(f"6 {words}") for heading in headings)
    eet = cli.done("eet", small, "--share", "1c", *cut).out.splitlines()
    assert f"of 6 {words} ended late" in eet[0]
    for command in (("simulate",), ("compare", "-p", "easy"), ("eet",)):
        assert cli.done(command[0], small, *command[1:], *cut, "--json").document["measure"] == MEASURE


def test_users_that_are_named_late_are_so_in_the_measured_jobs(cli: Commands, small: Path) -> None:
    every = cli.done("eet", small, "--share", "1c").out.splitlines()[1:]
    some = cli.done("eet", small, "--share", "1c", "--measure", MEASURE).out.splitlines()[1:]
    assert sum(int(row.split(" of ")[1].split()[0]) for row in some) <= 6
    assert some != every


def test_the_distance_of_each_simulated_run_to_the_recorded_one(cli: Commands, small: Path) -> None:
    recorded, easy = cli.done("compare", small, *RUNS, "--json").document["runs"]
    names = [name for name in easy["metrics"] if name.startswith("recorded_")]
    assert len(names) == 3
    assert all(recorded["metrics"][name] is None for name in names)
    assert all(easy["metrics"][name] is not None for name in names)


def test_shares_with_what_else_shapes_expectations(cli: Commands, small: Path) -> None:
    def tardiness(share: str) -> float:
        document = cli.done("eet", small, "--share", share, "--json").document
        assert document["share"] == share
        seconds: float = document["runs"][0]["metrics"]["tardiness_mean"]
        return seconds

    assert tardiness("8c:share_decay=1m") < tardiness("8c")
    title = cli.done("eet", small, "--share", "8c:batches=3600").out.splitlines()[0]
    assert title.startswith("recorded, share 8c:batches=1h: ")
    outcome = cli("eet", small, "--share", "8c:batch=1h")
    assert outcome.status == 2
    assert "unknown key 'batch'" in outcome.complaint


def test_jobs_without_an_account_are_called_so(cli: Commands, tmp_path: Path) -> None:
    jobs = [line(job=k, submit=k, user=k, group=group) for k, group in enumerate((-1, 7, 7))]
    told = write_log(tmp_path / "told.swf", "; MaxProcs: 4", *jobs)
    words = ("-p", "fcfs", "--by", "account")
    rows = cli.done("compare", told, *words).out.splitlines()
    assert [row.split("  ")[0] for row in rows if row.startswith(("no account  ", "7  "))] == [
        "no account",
        "7",
    ]
    found = cli.done("compare", told, *words, "--json").document["runs"][0]["groups"]
    assert {group["name"]: group["jobs"] for group in found} == {"-1": 1, "7": 2}
    untold = write_log(tmp_path / "untold.swf", "; MaxProcs: 4", line(job=1, user=1, group=-1))
    outcome = cli("compare", untold, *words)
    assert outcome.status == 2
    assert "untold names no account for any job: choose another --by" in outcome.complaint
