"""Names that try to break what they are written into, in all that a log, a queue or a site brings."""

import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.errors import LONGEST
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.shown_text import MOST, printable, shown_name
from tests.app.cli.commands import Commands
from tests.app.export.test_hostile_names import page_of, rows_of
from tests.engine.logs.sacct.documents import NOON, document, job, number

RED, BACK, TAG, LONG = "\x1b[31mred", "\u202eevil", "<b>x</b>", "x" * 3000
WORDS = (RED, BACK, r"\u202eevil", TAG, LONG, "=1+1", "$x_1$", "|`*_[x]")
"""Names without blanks, as a `slurm.conf` may have them too."""

NAMES = (*WORDS, "two\nlines", "ta\tb", "a\rb", "line\u2028end", "half\ud800", "nul\0", "plain")
HOSTS = ("n1\u202e", "n2\x1b", "n3")
JOBS = 200
STEP_S = 60


class Place(NamedTuple):
    """A log, a site, a queue and a study, all with such names."""

    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "lo\u202eg.json"

    @property
    def site(self) -> Path:
        return self.folder / "site"

    @property
    def queue(self) -> Path:
        return self.folder / "queue.json"

    @property
    def study(self) -> Path:
        return self.folder / "study.toml"


CONF = f"""\
NodeName={",".join(HOSTS)} CPUs=8 RealMemory=8192 Feature={BACK},{RED}
PartitionName={BACK} Nodes=ALL Default=YES State=UP
PartitionName={RED} Nodes={HOSTS[0]} MaxTime=60 OverSubscribe={BACK}
PartitionName={TAG} Nodes=ALL
PriorityType=priority/multifactor
PriorityWeightAge=10
PriorityWeightFairshare=100
SchedulerParameters=bf_interval=30
{BACK}={RED}
"""
STUDY = r"""
title = "Whi\u202ech\u001b\nof them?"
source = "so\u202eme\u001b\npaper"
policies = ["easy", "fcfs"]
metrics = ["wait_mean"]
against = "fcfs"
findings = [{ text = "easy \u202e waits\u001b\nless", policy = "easy", most = 100 }]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("place"))
    place.site.mkdir()
    (place.site / "slurm.conf").write_text(CONF, "utf-8")
    place.log.write_text(document(*(logged(k) for k in range(JOBS))), "utf-8")
    queued = [waiting(k) for k in range(6)]
    place.queue.write_text(json.dumps({"last_update": NOON, "jobs": queued}), "utf-8")
    place.study.write_text(STUDY, "utf-8")
    return place


def name(k: int, shift: int) -> str:
    return NAMES[(k + shift) % len(NAMES)]


def logged(k: int) -> dict[str, Any]:
    """A job of the log: each of its texts is another name."""
    begin = NOON + STEP_S * k + 20 * (k % 4)
    times = {
        "submission": NOON + STEP_S * k,
        "eligible": NOON + STEP_S * k,
        "start": begin,
        "end": begin + 200,
    }
    return job(
        job_id=k + 1,
        association={"account": name(k, 1), "cluster": BACK, "partition": None, "user": name(k, 2)},
        account=name(k, 1),
        user=name(k, 2),
        group=name(k, 3),
        partition=(BACK, RED, TAG)[k % 3],
        qos=name(k, 4),
        name=name(k, 5),
        nodes=HOSTS[k % 3],
        constraints=WORDS[k % len(WORDS)],
        licenses=name(k, 6),
        comment={"administrator": name(k, 7), "job": name(k, 8), "system": name(k, 9)},
        submit_line=name(k, 10),
        state={"current": ["COMPLETED"], "reason": name(k, 11)},
        reservation={"id": 1, "name": name(k, 12)},
        time={**times, "elapsed": 200, "limit": number(10)},
    )


def waiting(k: int) -> dict[str, Any]:
    """A job of the queue: the first two run, and the others wait for an odd reason."""
    runs = k < 2
    return {
        "job_id": k + 1,
        "job_state": ["RUNNING" if runs else "PENDING"],
        "state_reason": "None" if runs else name(k, 7),
        "user_name": name(k, 0),
        "account": name(k, 1),
        "partition": (BACK, RED)[k % 2],
        "qos": name(k, 3),
        "resv_name": name(k, 4) if k == 5 else "",
        "features": BACK if k == 4 else "",
        "name": name(k, 5),
        "comment": name(k, 6),
        "nodes": HOSTS[k] if runs else "",
        "cpus": number(4),
        "node_count": number(1),
        "time_limit": number(20),
        "submit_time": number(NOON - 900),
        "start_time": number(NOON - 600 if runs else None),
        "priority": number(10 - k),
    }


def texts_in(found: object) -> Iterator[str]:
    """All texts of a document."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for part in found.values():
            yield from texts_in(part)
    elif isinstance(found, list):
        for part in found:
            yield from texts_in(part)


PRINTING = (
    "info {log}",
    "simulate {log} -p {site}",
    "compare {log} -p easy -p {site} {on} --by user",
    "compare {log} -p easy {on} --by queue",
    "compare {log} -p easy {on} --users plain --queues \u202eevil",
    "eet {log} -p easy {on}",
    "queue {log} -p easy --cluster 8c --at 2020-01-01T13:00 --replays 3",
    "queue {log} -p {site} --at 2020-01-01T12:30 --replays 3",
    "explain {log} -p easy {on} --job 7",
    "explain {log} -p recorded {on} --job 8 --answer",
    "explain {log} -p {site} --job 9 --answer",
    "difference {log} -p easy -p {site} {on} --by account",
    "search {log} {on} --minimize wait_mean --trials 3",
    "search {log} -p {site} --minimize wait_mean --trials 3",
    "sweep {study} {log} {on} -o {out}",
    "twin {log} --site {site_folder} --fit",
    "change {log} --at 2020-01-01T13:00 --before {site} --after {site}",
    "now --from-file {queue} --site {site_folder} --replays 3",
    "now --from-file {queue} --site {site_folder} --replays 3 --answer 3",
    "now --from-file {queue} --site {site_folder} --replays 3 --answer 4",
    "now --from-file {queue} --site {site_folder} --replays 3 --job 4c/10m --user \u202ex",
    "audit {log} recorded -p {site}",
    "audit {log} recorded -p easy:max_user_cpus=3 {on}",
    "policies --slurm {site}",
)


NAMED = re.compile(
    "^(compare .*--by user|queue .* easy|difference|twin|explain .* recorded|now .* --replays 3$)"
)
"""Those whose documents name users, partitions or jobs of the log."""

FILES = (
    "queue {log} -p easy --cluster 8c --at 2020-01-01T13:00 -o {out}.html",
    "now --from-file {queue} --site {site_folder} --replays 3 -o {out}.html",
    "now --from-file {queue} --site {site_folder} --replays 0 --job 1c/1h --map {out}.svg",
    "figure gantt {log} -p recorded -p {site} {on} --shown 0:1800 -o {out}.svg --data {out}.json",
    "figure heatmap {log} -p {site} {on} -o {out}.svg --data {out}.json",
    "sweep {study} {log} {on} -o {out} --figures {out}-figures",
)


def words_of(text: str, place: Place, out: Path) -> list[object]:
    """The words of a command; {on} is the machine of the site."""
    names = {
        "log": place.log,
        "site": f"site:{place.site}",
        "site_folder": place.site,
        "queue": place.queue,
        "study": place.study,
        "out": out,
    }
    text = text.replace("{on}", "--cluster {site_folder}/slurm.conf")
    return [word.format_map(names) for word in text.split(" ")]


@pytest.mark.parametrize("text", PRINTING)
def test_what_is_printed_can_be_shown_a_line_for_each_thing(
    cli: Commands, place: Place, tmp_path: Path, text: str
) -> None:
    done = cli(*words_of(text, place, tmp_path / "out"))
    assert done.status == (text.startswith("audit")), (
        done.err
    )  # an audit finds that the log is of another machine
    longest = LONGEST if text.startswith("audit") else MOST  # an audit cuts whole lines
    for printed in (done.out, done.err):
        assert printable(printed) == printed
        assert LONG[: longest + 1] not in printed
        assert not {"lines", "b", "end", "evil"} & set(printed.splitlines())


@pytest.mark.parametrize("text", [text for text in PRINTING if NAMED.search(text)])
def test_documents_have_the_names_of_the_log(cli: Commands, place: Place, tmp_path: Path, text: str) -> None:
    done = cli(*words_of(text, place, tmp_path / "out"), "--json")
    assert printable(done.out) == done.out
    assert {TAG, BACK, RED, LONG} & set(texts_in(done.document))


@pytest.mark.parametrize("text", FILES)
def test_files_are_read_by_their_own_parsers(cli: Commands, place: Place, tmp_path: Path, text: str) -> None:
    cli.done(*words_of(text, place, tmp_path / "out"))
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    for path in written:
        content = path.read_bytes()
        if path.suffix in PARSERS:
            PARSERS[path.suffix](path)
        if path.suffix in (".html", ".svg", ".json", ".tex", ".toml"):
            assert printable(content.decode()) == content.decode(), path.name


def parsed_page(path: Path) -> None:
    page = page_of(path)
    assert page.tags["script"] <= 1  # its own, which sorts
    assert not {"x", "img"} & set(page.tags)
    assert {shown_name(name) for name in NAMES} & set(page.cells)


PARSERS: dict[str, Callable[[Path], object]] = {
    ".html": parsed_page,
    ".svg": ElementTree.parse,
    ".json": lambda path: json.loads(path.read_text("utf-8")),
    ".toml": lambda path: tomllib.loads(path.read_text("utf-8")),
    ".csv": rows_of,
}


def test_kept_predictions_have_the_ids_of_the_queue(cli: Commands, place: Place, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    cli.done("now", "--from-file", place.queue, "--site", place.site, "--replays", 2, "--keep", kept)
    assert printable(kept.read_text("utf-8")) == kept.read_text("utf-8")
    assert json.loads(kept.read_text("utf-8"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_converted_log_has_the_names_of_all_columns(
    cli: Commands, place: Place, tmp_path: Path, suffix: str
) -> None:
    cli.done("convert", place.log, tmp_path / f"new{suffix}")
    before, after = (read_log_as(path, Reading()).trace for path in (place.log, tmp_path / f"new{suffix}"))
    for column in ("user", "group", "queue", "executable"):
        names = (getattr(trace, column) for trace in (before, after))
        own, other = (sorted({each.names[code] for code in each.codes.tolist()}) for each in names)
        assert own == other, column
