"""Figures of runs from the command line."""

from pathlib import Path

import pytest

from app.export.look_options import look_options
from app.export.picks import PICKS
from tests.app.cli.commands import HEADER, Commands, small_log
from tests.engine.logs.lines import line, write_log
from views.catalog import RUN_FIGURES

RUNS = ("-p", "plan-search:trials=5", "-p", "tuned-2d", "-p", "auction:budget=20000;5000/1d")
"""A plan that is searched for, a tuned policy and an auction: figures of each are drawn from no others."""


@pytest.mark.parametrize("kind", [spec.kind for spec in RUN_FIGURES if "penalties" not in spec.kind])
def test_every_kind_is_drawn(cli: Commands, tmp_path: Path, kind: str) -> None:
    path, power = tmp_path / f"{kind}.png", tmp_path / "power.toml"
    power.write_text("[[nodes]]\nidle_w = 100\ncore_w = 20\n[price]\nper_kwh = 0.2\n")
    cli.done("figure", kind, small_log(tmp_path), *RUNS, "--power", power, "-o", path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_no_power_is_drawn_where_it_is_not_known(cli: Commands, tmp_path: Path) -> None:
    outcome = cli("figure", "power", small_log(tmp_path), "-p", "easy", "-o", tmp_path / "power.png")
    assert outcome.status == 2
    assert outcome.err.endswith("The power of the machine is not known: --power tells it.\n")


def test_the_same_runs_give_the_same_bytes(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    written = []
    for name in ("first.pdf", "second.pdf"):
        cli.done("figure", "gantt", log, "-p", "easy", "-o", tmp_path / name, "--option", "colours=wait")
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_the_note_can_be_left_out(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    texts = []
    for name, options in (("with.svg", ()), ("without.svg", ("--no-note",))):
        cli.done("figure", "sizes", log, "-p", "easy", "-o", tmp_path / name, *options)
        texts.append((tmp_path / name).read_text("utf-8"))
    assert len(texts[0]) > len(texts[1])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("gant", "-o", "x.png"), "no kind of figure is called gant; did you mean 'gantt'?"),
        (("gantt", "-o", "x.txt"), "cannot write this format"),
        (("gantt", "-o", "x.png", "--option", "colour=wait"), "no such option; did you mean 'colours'?"),
        (("gantt", "-o", "x.png", "--option", "colours=pink"), "--option colours=pink: it is one of "),
        (("timeline", "-o", "x.png", "--option", "timeline_log=yes"), "it is on or off"),
        (("gantt", "-o", "x.png", "--option", "wait=on"), "no such option; did you mean 'waits'?"),
        (("gains", "-o", "x.png", "--option", "gains_over=2"), "there is 1 run, counted from 1"),
        (("gains", "-o", "x.png", "--option", "gain_weights=1:2"), "it is weights of wait, unfair jobs"),
        (("value", "-o", "x.png", "--option", "tolerance=round:5"), "it is linear or exponential and"),
        (("scatter", "-o", "x.png", "--option", "scatter=wait colour"), "it is up, across, over, axis"),
        (("heatmap", "-o", "x.png", "--option", "order=wait"), "it is one of violations, name, usage"),
        (("timeline", "-o", "x.png", "--option", "timeline_averages=2 h"), "it is some of now, 1 h, 10 h"),
        (("gantt", "-o", "x.png", "--shown", "100:50"), "ends before it begins"),
        (("gantt", "-o", "x.png", "--option", "users=1,30"), "--option users=1,30: small has no user 30"),
        (
            ("gantt", "-o", "x.png", "--option", "jobs=x9"),
            "--option jobs=x9: small has no job x9; its job ids look",
        ),
        (("gantt", "-o", "x.png", "--option", "instant=noon"), "cannot read the time 'noon'"),
        (("gantt", "-o", "x.png", "--option", "marks=3600"), "it is names with a time or FROM:TO each"),
        (("gantt", "-o", "x.png", "--option", "part=0.5:0.2"), "it is the rows that Gantt charts show"),
        (("gantt", "-o", "x.png", "--option", "faded=wait >"), "--option faded=wait >: "),
        (("gantt", "-o", "x.png", "--option", "offsets=1:soon"), "it is numbers of runs, with how much"),
        (("gantt", "-o", "x.png", "--option", "offsets=2:1h"), "there is 1 run, counted from 1"),
        (("gantt", "-o", "x.png", "--option", "mark=a=3600"), "no such option; did you mean 'marks'?"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    cli: Commands, tmp_path: Path, words: tuple[str, ...], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kind, *rest = words
    outcome = cli("figure", kind, small_log(tmp_path), "-p", "easy", *rest)
    assert outcome.status == 2
    assert complaint in outcome.complaint


def test_a_figure_that_needs_more_than_the_log_has_says_so(cli: Commands, tmp_path: Path) -> None:
    outcome = cli("figure", "penalties", small_log(tmp_path), "-p", "easy", "-o", tmp_path / "x.png")
    assert outcome.status == 2
    assert outcome.complaint
    assert not (tmp_path / "x.png").exists()


def test_a_figure_of_a_user_is_of_that_user(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    for user in ("1", "3"):
        data = tmp_path / f"{user}.svg"
        cli.done("figure", "filling", log, "-p", "fcfs", "--user", user, "-o", data)
        assert data.stat().st_size > 5000
    assert (tmp_path / "1.svg").read_bytes() != (tmp_path / "3.svg").read_bytes()
    outcome = cli("figure", "filling", log, "-p", "fcfs", "--user", "30", "-o", tmp_path / "x.svg")
    assert outcome.status == 2
    assert "small has no user 30" in outcome.complaint


def test_a_figure_that_needs_two_runs_says_so(cli: Commands, tmp_path: Path) -> None:
    outcome = cli("figure", "difference", small_log(tmp_path), "-p", "easy", "-o", tmp_path / "x.png")
    assert outcome.status == 2
    assert "difference: A difference needs two finished runs." in outcome.complaint


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("gantt", ("--option", "waits=on")),
        ("gantt", ("--option", "colours=change", "--option", "baseline=2")),
        ("gantt", ("--shown", "0:3600")),
        ("gantt", ("--option", "users=1")),
        ("gantt", ("--option", "queues=1")),
        ("gantt", ("--option", "jobs=3,5")),
        ("gantt", ("--option", "jobs=3", "--option", "backfilled=on")),
        ("gantt", ("--option", "faded=wait > 60")),
        ("gantt", ("--filter", "user in (1, 2)")),
        ("gantt", ("--option", "part=0.25:0.75")),
        ("gantt", ("--option", "offsets=1:30m,2:-30m")),
        ("gantt", ("--option", "instant=3600", "--option", "reservations=on")),
        ("heatmap", ("--option", "marks=outage=600:1800;change=3600")),
        ("timeline", ("--option", "timeline_hidden=2")),
        ("heatmap", ("--option", "order=name")),
        ("gains", ("--option", "gains_over=2")),
        ("gains", ("--option", "gain_weights=10:80:10")),
        ("scatter", ("--option", "scatter=wait tardiness job", "--option", "scattered=2")),
        ("distributions", ("--option", "distributions=wait job cumulative")),
        ("timeline", ("--option", "timeline_averages=24 h")),
        ("difference", ("--option", "compared=2,1")),
        ("value", ("--option", "tolerance=exponential:2")),
    ],
)
def test_what_the_window_can_choose_changes_the_figure(
    cli: Commands, tmp_path: Path, kind: str, words: tuple[str, ...]
) -> None:
    drawn, log = tmp_path / "drawn.svg", small_log(tmp_path)
    if kind not in USUAL:
        cli.done("figure", kind, log, *RUNS, "-o", drawn, "--no-note", "--force")
        USUAL[kind] = drawn.read_bytes()
    cli.done("figure", kind, log, *RUNS, "-o", drawn, "--no-note", "--force", *words)
    assert drawn.read_bytes() != USUAL[kind]


USUAL: dict[str, bytes] = {}
"""The figures without any options, each drawn once."""


def test_the_help_names_all_options_of_views(cli: Commands) -> None:
    text = " ".join(cli("figure", "--help").out.split())
    words = {name: option.words for name, option in look_options().items()} | PICKS
    for name, about in words.items():
        assert f"{name} ({about.split()[0]}" in text


def test_a_file_that_is_there_is_replaced_with_force_alone(cli: Commands, tmp_path: Path) -> None:
    log, path, data = small_log(tmp_path), tmp_path / "x.svg", tmp_path / "x.csv"
    path.write_text("mine", "utf-8")
    data.write_text("mine", "utf-8")
    outcome = cli("figure", "sizes", log, *RUNS, "-o", path)
    assert outcome.status == 2
    assert "x.svg: this file is there; give --force to replace it" in outcome.complaint
    outcome = cli("figure", "sizes", log, *RUNS, "-o", tmp_path / "y.svg", "--data", data)
    assert "x.csv: this file is there" in outcome.complaint
    assert not (tmp_path / "y.svg").exists()
    assert path.read_text("utf-8") == data.read_text("utf-8") == "mine"
    cli.done("figure", "sizes", log, *RUNS, "-o", path, "--data", data, "--force")
    assert path.read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_a_figure_of_words_alone_has_no_data(cli: Commands, tmp_path: Path, suffix: str) -> None:
    data = tmp_path / f"data.{suffix}"
    words = ("figure", "metrics", small_log(tmp_path), *RUNS, "--filter", "wait > 99d")
    outcome = cli(*words, "-o", tmp_path / "x.svg", "--data", data)
    assert "the figure metrics has no data: its plots have nothing to show" in outcome.complaint
    assert not data.exists()


def test_values_that_nothing_takes_away_from_are_drawn_without_a_warning(
    cli: Commands, tmp_path: Path
) -> None:
    log = write_log(tmp_path / "one.swf", *HEADER, line())
    assert cli.done("figure", "value", log, *RUNS, "-o", tmp_path / "x.svg", "--quiet").err == ""
