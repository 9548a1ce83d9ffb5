"""Figures of runs from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.commands import Commands, small_log
from views.catalog import RUN_FIGURES

RUNS = ("-p", "easy", "-p", "plan-search:trials=5", "-p", "tuned-2d")


@pytest.mark.parametrize("kind", [spec.kind for spec in RUN_FIGURES if "penalties" not in spec.kind])
def test_every_kind_is_drawn(cli: Commands, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"{kind}.png"
    cli.done("figure", kind, small_log(tmp_path), *RUNS, "-o", path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_same_runs_give_the_same_bytes(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    written = []
    for name in ("first.pdf", "second.pdf"):
        cli.done("figure", "gantt", log, *RUNS, "-o", tmp_path / name, "--option", "colours=wait")
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_the_note_can_be_left_out(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    texts = []
    for name, options in (("with.svg", ()), ("without.svg", ("--no-note",))):
        cli.done("figure", "sizes", log, *RUNS, "-o", tmp_path / name, *options)
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
