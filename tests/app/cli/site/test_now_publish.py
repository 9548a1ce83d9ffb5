"""`now --every`: what is published, what stays where a try fails, what `--public` hides, and the end."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.site.publish import Publisher, PublishPlace, check_place
from app.export.published_queue import VERSION, PublishedQueue, published_page, queue_document, queue_metrics
from engine import api
from engine.errors import InputError
from engine.now.queue_forecast import QueueForecast
from tests.app.cli.commands import Commands
from tests.json_schema import violations
from tests.paths import ROOT

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=30\n"
QUEUE = """\
Sun Nov 29 10:00:00 2026
JOBID|PARTITION|USER|ACCOUNT|QOS|NAME|STATE|TIME|TIME_LIMIT|CPUS|NODES|NODELIST(REASON)|PRIORITY
1|batch|secret_ann|secret_lab|q\\"1|secret_run|RUNNING|10:00|20:00|4|1|a|9
2|batch|secret_bob|secret_lab|q\\"1|secret_run|PENDING|0:00|20:00|4|1|(Resources)|9
3|batch|secret_cyd|secret_lab|q\\"1|secret_run|PENDING|0:00|20:00|4|1|(Priority)|8
4|batch|secret_cyd|secret_lab|q\\"1|secret_run|PENDING|0:00|20:00|4|1|(JobHeldUser)|8
"""
KEPT = Path(__file__).with_name("kept")
"""Files that earlier releases wrote."""

PRINTED = 1_795_946_400
"""When the queue was printed, in Unix seconds."""


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> QueueForecast:
    folder = tmp_path_factory.mktemp("site")
    (folder / "slurm.conf").write_text(CONF)
    (folder / "queue.txt").write_text(QUEUE)
    return api.now(folder / "slurm.conf", folder / "queue.txt", replays=0)


def publisher(place: PublishPlace, answers: list[QueueForecast | Exception]) -> tuple[Publisher, list[str]]:
    """A publisher to which each try gives the next of the answers, or raises it, a minute after the last."""
    told: list[str] = []
    left = iter(answers)
    now = iter(range(PRINTED, PRINTED + 100_000, 60))

    def ask() -> QueueForecast:
        came = next(left)
        if isinstance(came, Exception):
            raise came
        return came

    return Publisher(place, ask, told.append, clock=lambda: next(now)), told


def place_in(tmp_path: Path, *, public: bool = False) -> PublishPlace:
    place = PublishPlace(tmp_path / "www", tmp_path / "queue.prom", 60, public)
    check_place(place)
    return place


def test_a_queue_is_published_in_four_forms(answer: QueueForecast, tmp_path: Path) -> None:
    place = place_in(tmp_path)
    made, told = publisher(place, [answer])
    made.renew()
    assert told == ["renewed: 3 waiting jobs"]
    assert sorted(path.name for path in place.folder.iterdir()) == [
        "fragment.html",
        "index.html",
        "queue.json",
    ]
    document = json.loads((place.folder / "queue.json").read_text())
    head = ("format", "version", "printed", "every", "failure", "public", "running")
    assert [document[name] for name in head] == ["batchscope-queue", 1, answer.state.time, 60, "", False, 1]
    assert [job["job_id"] for job in document["waiting"]] == ["2", "3", "4"]
    assert document["waiting"][0]["planned"] == answer.forecast.waiting[0].planned
    page = (place.folder / "index.html").read_text()
    assert page.count("<tr>") == 4
    assert f'data-printed="{answer.state.time}" data-every="60"' in page
    fragment = (place.folder / "fragment.html").read_text()
    assert fragment.startswith('<section class="batchscope-queue" data-version="1" ')
    assert not any(tag in fragment for tag in ("<html", "<script", "<style"))


@pytest.mark.parametrize("public", [False, True])
def test_the_guide_names_each_field_of_the_document(answer: QueueForecast, public: bool) -> None:
    guide = (ROOT / "resources" / "guide" / "sites.md").read_text("utf-8")
    (about,) = re.findall(r"^- `queue\.json` .*?(?=^- )", guide, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([a-z_]+)`", about))
    document = queue_document(PublishedQueue(answer, PRINTED, PRINTED, 60, public=public))
    jobs = document["waiting"]
    assert isinstance(jobs, list)
    fields = {*document, *(name for job in jobs for name in job)}
    assert fields <= named
    # Without `--public` nothing is left out that the guide names.
    private = {"user", "account", "reason", "why", "notes", "evidence", "track_record"}
    assert named - fields <= (private if public else set())
    assert not public or not fields & private


def schema(version: int) -> dict[str, object]:
    """The schema of the document's version, as the guide has it."""
    path = ROOT / "resources" / "guide" / f"queue-{version}.schema.json"
    found: dict[str, object] = json.loads(path.read_text("utf-8"))
    return found


@pytest.mark.parametrize("public", [False, True])
def test_the_document_follows_its_schema(answer: QueueForecast, public: bool) -> None:
    rules = schema(VERSION)
    views = [PublishedQueue(None, PRINTED, None, 60, failure="it printed nothing", public=public)]
    views += [PublishedQueue(answer, PRINTED, PRINTED, 60, public=public)]
    for view in views:
        # As programs read it: a tuple of Python is a list there.
        document = json.loads(json.dumps(queue_document(view)))
        assert list(violations(document, rules)) == []
    wrong = {**document, "public": not public, "running": "1", "extra": 0, "version": True}
    wrong["waiting"] = [{**job, "cpus": None} for job in document["waiting"]]
    found = "\n".join(violations(wrong, rules))
    for part in (
        "document.running is '1'",
        "document.extra must not",
        "version is True",
        "waiting[2].cpus is None",
    ):
        assert part in found
    assert ("waiting[0] lacks user" if public else "waiting[0].user must not be there") in found


@pytest.mark.parametrize("path", sorted(KEPT.glob("queue-*.json")), ids=lambda path: path.stem)
def test_documents_of_earlier_releases_follow_the_schema_of_their_version(path: Path) -> None:
    """A field that goes or changes its meaning needs another version: programs rely on those that were."""
    document = json.loads(path.read_text("utf-8"))
    assert len(document["waiting"]) > 1
    assert list(violations(document, schema(document["version"]))) == []


def test_metrics_are_the_medians_of_groups(answer: QueueForecast) -> None:
    view = PublishedQueue(answer, PRINTED, PRINTED, 60)
    lines = queue_metrics(view).splitlines()
    starts = [job.planned for job in answer.forecast.waiting]
    assert None in starts, "a held job has no start"
    known = [start for start in starts if start is not None]
    assert len(known) == 2
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values["batchscope_waiting_jobs"] == "3"
    assert values["batchscope_running_jobs"] == "1"
    assert values["batchscope_up"] == "1"
    assert values['batchscope_account_waiting_jobs{account="secret_lab"}'] == "3"
    assert float(values['batchscope_partition_expected_wait_seconds{partition="batch"}']) == sum(known) / 2
    assert any('qos="q\\\\\\"1"' in line for line in lines), "marks of the format are escaped in labels"
    for number, line in enumerate(lines):
        if line.startswith("# HELP"):
            name = line.split()[2]
            assert lines[number + 1] == f"# TYPE {name} gauge"
            assert lines[number + 2].startswith(name) or lines[number + 2].startswith("# HELP")


def test_the_public_form_names_nobody(answer: QueueForecast, tmp_path: Path) -> None:
    place = place_in(tmp_path, public=True)
    failure = InputError("ssh secret_host squeue: secret_ann is not known")
    made, _ = publisher(place, [answer, failure])
    for _ in range(2):
        made.renew()
        for path in (*place.folder.iterdir(), tmp_path / "queue.prom"):
            text = path.read_text()
            assert "secret" not in text, path
            assert "q\\" not in text, path
    document = json.loads((place.folder / "queue.json").read_text())
    assert [job["job_id"] for job in document["waiting"]] == ["2", "3", "4"]
    assert [job["held_by"] for job in document["waiting"]][:2] == ["cpus", "priority"]
    page = (place.folder / "index.html").read_text()
    assert ">resources<" in page
    assert ">priority<" in page


def test_a_failure_keeps_the_last_queue_and_shows_its_age(answer: QueueForecast, tmp_path: Path) -> None:
    place = place_in(tmp_path)
    failure = InputError("squeue: it printed nothing")
    made, told = publisher(place, [failure, answer, failure, failure, answer])
    documents = []
    for _ in range(5):
        made.renew()
        documents.append(json.loads((place.folder / "queue.json").read_text()))
    assert [len(each["waiting"]) for each in documents] == [0, 3, 3, 3, 3]
    assert [bool(each["failure"]) for each in documents] == [True, False, True, True, False]
    assert documents[2]["printed"] == documents[1]["printed"] < documents[2]["written"]
    renewed, failed = "renewed: 3 waiting jobs", "not renewed: squeue: it printed nothing"
    assert told == [failed, renewed, failed, renewed], "a change is told, and nothing twice"
    late = PublishedQueue(answer, PRINTED + 3600, PRINTED, 60, failure="it printed nothing")
    assert "1 h old when this was written" in published_page(late)
    assert "\nbatchscope_up 0\n" in f"\n{queue_metrics(late)}"


def test_a_folder_with_files_of_somebody_else_is_refused(answer: QueueForecast, tmp_path: Path) -> None:
    place = PublishPlace(tmp_path / "www", None, 60, False)
    place.folder.mkdir()
    (place.folder / "index.html").write_text("<title>Mine</title>")
    with pytest.raises(InputError, match="was not written by"):
        check_place(place)
    (place.folder / "index.html").unlink()
    (tmp_path / "target").write_text("mine")
    (place.folder / "queue.json").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="link"):
        check_place(place)
    made, told = publisher(place, [answer])
    made.renew()
    assert (tmp_path / "target").read_text() == "mine"
    assert "queue.json" in told[-1]


def test_options_of_a_single_answer_are_refused(cli: Commands, tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "queue.txt").write_text(QUEUE)
    common = ("now", "--from-file", tmp_path / "queue.txt", "--site", tmp_path / "slurm.conf")
    assert "-o DIR" in cli(*common, "--every", 5).complaint
    published = (*common, "--every", 5, "-o", tmp_path / "www")
    assert "--job is for a single answer" in cli(*published, "--job", "1c/1h").complaint
    assert "give --every" in cli(*common, "--public").complaint


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_sigterm_ends_it_well(tmp_path: Path) -> None:
    """Of a command that prints the queue, once a second."""
    (tmp_path / "slurm.conf").write_text(CONF)
    (tmp_path / "queue.txt").write_text(QUEUE)
    call = [sys.executable, "-c", "from app.cli.main import run_process; run_process()"]
    words = ["now", "--command", f"cat {tmp_path / 'queue.txt'}", "--site", str(tmp_path / "slurm.conf")]
    words += ["--replays", "0", "--every", "1", "-o", str(tmp_path / "www")]
    document = tmp_path / "www" / "queue.json"
    with subprocess.Popen([*call, *words], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        last = time.monotonic() + 60
        seen: set[int] = set()
        while len(seen) < 2 and time.monotonic() < last:
            if document.exists():
                seen.add(json.loads(document.read_text())["written"])
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr is not None
        said = process.stderr.read()
    assert len(seen) == 2, said
    assert said.splitlines()[-1].endswith("ended by SIGTERM")


def test_a_queue_without_a_date_is_of_when_it_was_read(answer: QueueForecast, tmp_path: Path) -> None:
    undated = replace(answer, queue=replace(answer.queue, state=replace(answer.state, time=None)))
    made, _ = publisher(place_in(tmp_path), [undated])
    made.renew()
    assert made.last is not None
    assert made.last.read == PRINTED
