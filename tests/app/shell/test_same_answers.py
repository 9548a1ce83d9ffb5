"""The command, the window and Python give one answer to a question."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import batchscope
from app.model.settings import NowSettings, Settings
from app.shell.window import MainWindow
from engine.now import queue_forecast
from engine.now.queue_forecast import QueueForecast
from engine.now.queued_job import QueueNow
from engine.now.site_queue import job_spelled
from engine.schedule.instant import at_instant
from engine.search.policy_search import PolicySearch
from engine.search.typed_question import TypedQuestion
from tests.app.cli.commands import Commands
from tests.app.windows import replay_times, settle
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers" / "base"
CONF = """\
NodeName=a[1-4] CPUs=4
PartitionName=batch Nodes=a[1-3] Default=YES
PartitionName=debug Nodes=a4
SchedulerParameters=bf_interval=30
"""
HEAD = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|ACCOUNT|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
"""
QUEUE = """\
1|batch|ann|physics|RUNNING|10:00|1:10:00|8|2|a[1-2]|9
2|batch|bob|chemistry|PENDING|0:00|2:00:00|12|3|(Resources)|9
3|batch|ann|physics|PENDING|0:00|2:00:00|4|1|(Priority)|5
4|batch|eve|chemistry|PENDING|0:00|20:00|4|1|(JobHeldUser)|0
"""
LOG = "; MaxProcs: {}\n" + "".join(
    f"{k + 1} {150 * k} {40 * (k % 4)} 60 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1\n" for k in range(120)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site's configuration, the print of its queue, and logs of pools of processors."""
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "queue.txt").write_text(HEAD + QUEUE)
    return tmp_path


def _window(make_window: Callable[..., MainWindow], queue: Path, site: Path, log: Path | None) -> MainWindow:
    window = make_window(Settings(theme="light", now=NowSettings(site=str(site))))
    if log is not None:
        window.open_path(log)
        settle(window)
    window.now.open(queue, site)
    settle(window)
    return window


def _shown(window: MainWindow) -> QueueForecast:
    look = window.page.views["now"].look
    assert look.answer.forecast.replays == 3
    answer: QueueForecast = look.answer
    return answer


def _asked(window: MainWindow, job: Any) -> tuple[QueueForecast, str]:
    """The answer about a job in the window, and its text."""
    answers: list[QueueForecast] = []
    window.now.runner.answered.connect(lambda look: answers.append(look.answer))
    window.now.runner.ask(job)
    settle(window)
    (answer,) = answers
    return answer, str(window.page.views["now"].ask.answer.text())


def _printed(facts: dict[str, object]) -> object:
    """As JSON has it, without tuples."""
    return json.loads(json.dumps(facts, default=lambda value: value.item()))


def _without_record(facts: dict[str, object]) -> dict[str, object]:
    """What is the same for all: the window alone keeps predictions unasked."""
    return {name: value for name, value in facts.items() if name != "track_record"}


@pytest.mark.parametrize("job", ["4c/30m", "64c/30m"], ids=["planned", "refused"])
def test_one_queue_and_a_job_that_is_asked_about(
    make_window: Callable[..., MainWindow],
    cli: Commands,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    job: str,
) -> None:
    replay_times(3, monkeypatch)
    queue, site = folder / "queue.txt", folder / "slurm.conf"
    given = ("now", "--from-file", queue, "--site", site, "--replays", 3, "--seconds", 600, "--json")
    window = _window(make_window, queue, site, None)
    facts = batchscope.now(site, queue, replays=3, seconds=600).facts()
    assert facts == cli.done(*given).document
    assert _without_record(_shown(window).facts()) == _without_record(facts)
    found = batchscope.now(site, queue, job=job, replays=3, seconds=600)
    shown, text = _asked(window, job_spelled(job))
    assert found.facts() == cli.done(*given, "--job", job).document
    assert _without_record(shown.facts()) == _without_record(found.facts())
    refused = "Slurm would refuse this job: no node of partition batch has 64 CPUs"
    assert (found.refused is not None) == (refused in text) == (job == "64c/30m")
    # The forty words too: of the new job, and of a job of the queue with what would help it.
    assert text in cli.done(*given[:-1], "--job", job).out.splitlines()
    panel = window.page.views["now"].job_panel
    panel.show_job(window.now.runner.look, QueueNow(window.now.runner.look.answer, str, "").job("3"))
    panel.want_help()
    settle(window)
    assert panel.answer.toPlainText() == cli.done(*given[:-1], "--answer", "3").out.splitlines()[0]
    assert found.waiting.query("job_id == 'new'").planned.isna().all() == (found.refused is not None)


def test_a_site_without_nodes_is_planned_on_the_machine_of_the_log(
    make_window: Callable[..., MainWindow], cli: Commands, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log knows eight processors and no nodes: jobs 2 and 3 wait for these in turn."""
    replay_times(3, monkeypatch)
    monkeypatch.setattr(queue_forecast, "INSTANTS", 12)
    monkeypatch.setattr(queue_forecast, "within", lambda seconds: lambda done: False)
    (folder / "slurm.conf").write_text("SchedulerParameters=bf_interval=30\n")
    queue, site, log = folder / "queue.txt", folder / "slurm.conf", folder / "log.swf"
    rows = QUEUE.replace("|12|3|", "|8|2|").replace("|ann|", "|1|").replace("|bob|", "|1|")
    queue.write_text(HEAD + rows)
    log.write_text(LOG.format(8))
    given = ("now", "--from-file", queue, "--site", site, "--replays", 3, "--seconds", 600, "--json")
    found = batchscope.now(site, queue, batchscope.read(log), replays=3, seconds=600)
    assert found.facts() == cli.done(*given[:1], log, *given[1:]).document
    assert "the site's files name no nodes: planned on 8c, the machine of the log" in found.state.notes
    assert found.waiting.planned[:2].tolist() == pytest.approx([3600, 3600 + 7200], abs=95)
    window = _window(make_window, queue, site, log)
    assert _without_record(_shown(window).facts()) == _without_record(found.facts())
    told = "its files name no nodes: name its machine too, or give its log"
    assert told in cli(*given).complaint
    spelled = cli.done(*given, "--cluster", "4x4c").document
    assert [job["planned"] is None for job in spelled["waiting"]] == [False, False, True]


@needs(TIERS)
def test_the_queue_of_a_real_slurm_job_by_job(
    make_window: Callable[..., MainWindow], cli: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay_times(3, monkeypatch)
    queue, site = tmp_path / "squeue.json", TIERS / "site"
    document = json.loads(gzip.decompress((TIERS / "dumps" / "0210" / "squeue.json.gz").read_bytes()))
    queue.write_text(json.dumps({**document, "last_update": 1_795_887_010}))
    given = ("now", "--from-file", queue, "--site", site, "--replays", 3, "--seconds", 600, "--json")
    command = cli.done(*given).document
    window = _window(make_window, queue, site, None)
    shown = _without_record(_shown(window).facts())
    python = batchscope.now(site, queue, replays=3, seconds=600).facts()
    assert len(command["waiting"]) > 10
    for job, same, also in zip(command["waiting"], shown["waiting"], python["waiting"], strict=True):
        assert job == same == also
    assert python == command
    for job in ("1c/1h", "64c/12h", "1c/90d"):
        answer, text = _asked(window, job_spelled(job))
        refused = cli.done(*given, "--job", job).document["refused"]
        assert answer.facts()["refused"] == refused
        assert text.startswith(refused or "The new job starts ")


NODELESS = "PartitionName=batch Nodes=ALL\nSchedulerParameters=bf_interval=60\n"


@pytest.mark.parametrize("conf", [CONF, NODELESS], ids=["own machine", "machine of the log"])
def test_one_twin_of_a_site(
    make_window: Callable[..., MainWindow], cli: Commands, folder: Path, conf: str
) -> None:
    """The window reads the log anew for the machine of the site; without one both take that of the log."""
    log, site = folder / "log.swf", folder / "slurm.conf"
    log.write_text(LOG.format(8))
    site.write_text(conf)
    twin = batchscope.twin(batchscope.read(log), site)
    assert _printed(twin.facts()) == cli.done("twin", log, "--site", site, "--json").document
    window = make_window(Settings(theme="light"))
    window.open_path(log)
    settle(window)
    window.show_view("twin")
    page = window.page.views["twin"]
    window.settings.twin_site = str(site)
    page.start_wanted.emit()
    settle(window)
    assert page.look.answer.facts() == twin.facts()
    assert twin.schedule.cluster.spelling == ("3x4c+4c" if conf == CONF else "8c")
    assert ("its files name no nodes: it runs on 8c" in page.message.text()) == (conf == NODELESS)
    page.fit_wanted.emit()
    settle(window)
    fitted = batchscope.twin(batchscope.read(log), site, fit=True)
    assert page.look.answer.facts() == fitted.facts()
    assert _printed(fitted.facts()) == cli.done("twin", log, "--site", site, "--fit", "--json").document


def _swf(folder: Path, jobs: int) -> Path:
    log = folder / "log.swf"
    rows = [
        f"{k + 1} {150 * k} {40 * (k % 4)} {300 + 90 * (k % 5)} 4 -1 -1 4 {900 + 900 * (k % 3)} -1 1 "
        f"{k % 3} 1 -1 1 -1 -1 -1\n"
        for k in range(jobs)
    ]
    log.write_text("; MaxProcs: 8\n" + "".join(rows))
    return log


@pytest.mark.parametrize("replays", [0, 3])
@pytest.mark.parametrize("policy", ["conservative", "site"])
def test_one_queue_at_an_instant(cli: Commands, folder: Path, policy: str, replays: int) -> None:
    """The window has no page of it: its page of an instant lists the same planned starts of a log's run."""
    log = _swf(folder, 80)
    (folder / "slurm.conf").write_text("NodeName=a[1-2] CPUs=4\nPartitionName=batch Nodes=ALL Default=YES\n")
    text = f"site:{folder / 'slurm.conf'}" if policy == "site" else policy
    found = batchscope.queue(batchscope.read(log), text, 6000, replays=replays, instants=0)
    options = ("--replays", replays, "--calibrate", 0, "--json")
    assert found.facts() == cli.done("queue", log, "-p", text, "--at", 6000, *options).document
    table = found.waiting
    assert len(table) == len(found.rows) > 0
    assert ("median_start" in table) == bool(replays)
    if policy == "conservative":
        instant = at_instant(found.schedule, 6000)
        assert instant.promised.tolist() == table.planned_start[: len(instant.planned)].tolist()


@pytest.mark.parametrize("policy", ["easy", "easy:order=sjf", "site"])
def test_one_search(make_window: Callable[..., MainWindow], cli: Commands, folder: Path, policy: str) -> None:
    """Also with keys that the policy leaves open, and on the machine of a site."""
    log = _swf(folder, 160)
    text = f"site:{folder / 'slurm.conf'}" if policy == "site" else policy
    found = batchscope.search(batchscope.read(log), minimize="wait_mean", policy=text, trials=3)
    options = ("--minimize", "wait_mean", "-p", text, "--trials", 3, "--json", "--quiet")
    assert found.facts() == cli.done("search", log, *options).document
    window = make_window(Settings(theme="light"))
    window.open_path(log)
    settle(window)
    runner = window.searches._searching
    runner.start(TypedQuestion(policy=text, baseline="", trials=3))
    settle(window)
    results = runner.results
    assert results is not None
    assert results.answer is not None
    assert PolicySearch(found.log, results.question, results.answer).facts() == found.facts()
