"""Sites in the window: whose verdict a what-if carries, and what-ifs that are shown only if asked for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.model.chart_data import ComparedRuns, compare_runs
from app.model.live_run import Phase
from app.model.settings import Settings
from app.shell.window import MainWindow
from engine import api
from engine.shown_text import html_text
from engine.simulation.control import Control
from tests.app.cli.commands import Commands
from tests.app.windows import settle
from tests.engine.logs.sacct.dumps import HEADER, clock, job

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval={}\n"


@pytest.fixture
def sites(tmp_path: Path) -> list[Path]:
    """Two sites that start jobs in the order of their submission."""
    folders = [tmp_path / name for name in ("old", "new")]
    for folder, interval in zip(folders, (30, 60), strict=True):
        folder.mkdir()
        (folder / "slurm.conf").write_text(CONF.format(interval))
    return folders


def log_at(path: Path, firsts: tuple[int, int, int]) -> Path:
    """90 jobs that fill the node, a third of each account; those of an account start from its first on."""
    rows = []
    for k in range(90):
        account, place = divmod(k, 30)
        start = firsts[account] + 10 * place
        asked = {"JobID": k + 1, "Account": "abc"[account], "Submit": clock(k), "NodeList": "a"}
        rows.append(job(**asked, Start=clock(start), End=clock(start + 10)))
    path.write_text("\n".join((HEADER, *rows, "")))
    return path


def test_what_ifs_of_a_model_that_misleads_are_shown_only_if_asked_for(
    make_window: Callable[..., MainWindow], tmp_path: Path, sites: list[Path]
) -> None:
    log = log_at(tmp_path / "sacct.txt", (700, 400, 100))  # the last account first: no phase does that
    window = make_window(Settings(theme="light", policies=["recorded", *(f"site:{site}" for site in sites)]))
    window.open_path(log)
    settle(window)
    first, what_if = (window.workbench.live_run(number) for number in (2, 3))
    assert first is not None
    assert what_if is not None
    assert (first.phase, what_if.phase) == (Phase.JUDGED, Phase.HIDDEN)
    assert [run.result.run_id for run in window.workbench.finished()] == [1, 2]
    chart, note = window.page.runs.panels[3].gantt, window.run_list.doubtful
    assert chart.message.startswith("Not shown: the model of site:")
    assert note.text() == '1 what-if not shown <a href="#">Show it</a>'
    assert "1 what-if not shown: the model of site:" in note.toolTip()
    assert window.run_list.rows[3].state.text() == "not shown"
    note.linkActivated.emit("#")
    settle(window)
    assert [run.result.run_id for run in window.workbench.finished()] == [1, 2, 3]
    assert not chart.message
    assert "in spite of doubts" in note.text()
    note.linkActivated.emit("#")
    settle(window)
    assert what_if.phase is Phase.HIDDEN


def test_no_run_has_a_verdict_before_the_first_site_is_there(
    make_window: Callable[..., MainWindow], tmp_path: Path, sites: list[Path]
) -> None:
    log = log_at(tmp_path / "sacct.txt", (5, 330, 650))
    window = make_window(Settings(theme="light", policies=[f"site:{site}" for site in sites]))
    window.open_path(log)
    settle(window)
    study, data = window.workbench.study, window.workbench.open_study.drawn
    first, second = study.runs
    control = Control()
    early = compare_runs(
        study, {second.id: data[second.id]}, ComparedRuns(), "fair", None, None, control, awaited=True
    )
    assert early.runs[second.id].result.verdict is None
    late = compare_runs(study, data, ComparedRuns(), "fair", None, None, control)
    verdicts = [late.runs[run.id].result.verdict for run in (first, second)]
    assert [verdict is not None and verdict.own for verdict in verdicts] == [True, False]


def test_every_surface_says_the_same_of_the_same_runs(
    make_window: Callable[..., MainWindow],
    tmp_path: Path,
    sites: list[Path],
    cli: Commands,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.report.make._figures", lambda report: ())  # the page is asked what it says
    log = log_at(tmp_path / "sacct.txt", (5, 330, 650))
    policies = ["recorded", *(f"site:{site}" for site in sites)]

    def plain(text: str) -> str:
        """The text with the short names of the sites, which not every surface has."""
        return text.replace(f"site:{tmp_path}/", "site:")

    window = make_window(Settings(theme="light", policies=policies))
    window.open_path(log)
    settle(window)
    runs = api.compare(api.read(log), policies)
    first, second = runs.verdicts.runs[1:]
    assert first is not None
    assert second is not None
    verdict, spread, change = map(plain, runs.verdict.splitlines())
    sentences = [plain(run.sentence) for run in (first, second)]
    assert verdict == f"site:old: {sentences[0]}"
    assert sentences[1] == f"a what-if of {verdict}"
    assert change.startswith("site:new against site:old: mean wait ")
    # The window: list, panel and difference.
    for number, run, sentence in zip((2, 3), (first, second), sentences, strict=True):
        live = window.workbench.live_run(number)
        assert live is not None
        assert plain(live.verdict) == sentence
        assert live.spread is not None
        assert window.page.runs.panels[number].gantt.title.endswith(f": {run.brief}")
    assert [plain(window.run_list.rows[number].spread) for number in (2, 3)] == [spread, change]
    window.show_view("difference")
    settle(window)
    page = window.page.views["difference"]
    page.choose(2, 3)
    settle(window)
    assert f"\n{change}.\n{verdict}.\n" in plain(page.answer.text())
    # The command line, its report and its studies.
    asked = [word for policy in policies for word in ("-p", policy)]
    result = cli.done("compare", log, *asked)
    assert verdict in plain(result.err).splitlines()
    assert f"\n{spread}\n{change}\n" in plain(result.out)
    told = [run["verdict"] for run in cli.done("compare", log, *asked, "--json").document["runs"]]
    assert [text and plain(text) for text in told] == [None, *sentences]
    out = plain(cli.done("difference", log, *asked[2:]).out)
    assert f"{change}.\n{verdict}.\nsite:new: a what-if of site:old.\n" in out
    cli.done("report", log, *asked, "-o", tmp_path / "report")
    text = plain((tmp_path / "report" / "index.html").read_text("utf-8"))
    for line in (verdict, spread, change):
        assert html_text(line) in text
    study = tmp_path / "study.toml"
    text = f'title = "Two"\npolicies = {json.dumps(policies[1:])}\nmetrics = ["wait_mean"]\n'
    study.write_text(text, "utf-8")
    out = plain(cli.done("sweep", study, log, "-o", tmp_path / "out", "--figures", tmp_path / "figures").out)
    assert out.splitlines()[-4:] == [verdict, "site:new: a what-if of site:old", spread, change]
    assert change in plain((tmp_path / "figures" / "sites.csv").read_text("utf-8"))
