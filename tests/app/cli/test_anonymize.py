"""A log and its site under other names: the same numbers, and none of the old names."""

import csv
import gzip
import re
from pathlib import Path

import pytest

from engine.anonymous.export import anonymize as write_anonymized
from engine.logs.read import read_trace
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import TABLE
from tests.app.cli.commands import Commands, small_log
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers" / "base"

SITE = {
    "slurm.conf": "ClusterName=ccluster # of the dean\nSlurmctldHost=chost\nSelectType=select/cons_tres\n"
    "NodeName=cnode[1-3] CPUs=4 NodeAddr=caddress Reason=creason\nPartitionName=batch Nodes=cnode[1-3] "
    "AllowAccounts=cacct2 Default=YES\nPriorityType=priority/multifactor\n",
    "assoc": "Cluster|Account|Par Name|User|Share\nccluster|cacct2|root||5\nccluster|cacct2||cuser1|2\n",
    "reservation": "ReservationName=cresv StartTime=2026-01-01T00:00:00 EndTime=2026-01-02T00:00:00\n   "
    "Nodes=cnode3 Users=cuser9 Accounts=(null) Comment=ccomment\n",
}
DUMP = """JobID|JobName|User|Account|Cluster|Partition|Submit|Start|End|NCPUS|ReqNodes|NodeList|State|Comment|SubmitLine
1|cjob one|cuser1|cacct2|ccluster|batch|2026-01-01T08:00:00|2026-01-01T08:05:00|2026-01-01T09:05:00|4|1|cnode1|CANCELLED by 1001|ccomment|sbatch -N 1 --dependency=singleton -A cacct2 --chdir /chome/cuser1 cscript.sh carg
1.batch|batch||cacct2|ccluster||2026-01-01T08:05:00|2026-01-01T08:05:00|2026-01-01T09:05:00|4||cnode1|COMPLETED||
2|cjob2|cuser2|cacct1|ccluster|batch|2026-01-01T08:01:00|2026-01-01T08:06:00|2026-01-01T09:06:00|8|2|cnode[2-3]|COMPLETED||srun -n 8 cprog
"""  # noqa: E501


def words_in(folder: Path) -> set[str]:
    """All words of all files of a folder."""
    texts = (path.read_text("utf-8") for path in folder.rglob("*") if path.is_file())
    return set(re.findall(r"[\w.-]+", " ".join(texts)))


def test_no_name_is_left(cli: Commands, tmp_path: Path) -> None:
    """All names of this log and site begin with a letter by which they are known."""
    site = tmp_path / "site"
    site.mkdir()
    for name, text in SITE.items():
        (site / name).write_text(text)
    (tmp_path / "log").write_text(DUMP)
    out, key = tmp_path / "out", tmp_path / "key.csv"
    cli.done("anonymize", tmp_path / "log", "--site", site, "-o", out, "--key", key)
    own = {
        word
        for word in re.findall(r"[\w.-]+", DUMP + "".join(SITE.values()))
        if re.match("c(?!pu|ons)", word)
    }
    assert {"cuser1", "cnode1", "cacct2", "cjob", "ccluster"} <= own
    left = words_in(out) & (own | {"dean", "1001"})
    assert not left
    rows = list(csv.reader(key.read_text().splitlines()))
    assert ["user", "cuser2", "user002"] in rows
    assert key.stat().st_mode & 0o077 == 0
    trace = read_trace(out / "sacct.txt")
    assert (trace.job_id.tolist(), trace.wait.tolist(), trace.procs.tolist()) == ([1, 2], [300, 300], [4, 8])


def numbers_of(cli: Commands, *words: object) -> list[dict[str, object]]:
    document = cli.done("compare", *words, "--json", "--quiet").document
    return [run["metrics"] for run in document["runs"]]


def test_compare_gives_the_same_numbers_of_a_standard_log(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    cli.done("anonymize", log, "-o", tmp_path / "out")
    run = ("-p", "fairshare-easy")
    assert numbers_of(cli, tmp_path / "out" / "log.swf", *run) == numbers_of(cli, log, *run)


LINES = 80
"""The first lines of a real log that are enough for jobs of several accounts to wait."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The beginning of a real log, and the folder where it lies under other names, with its site."""
    folder = tmp_path_factory.mktemp("real")
    text = gzip.decompress((TIERS / "sacct.txt.gz").read_bytes()).decode()
    log, out = folder / "sacct.txt", folder / "out"
    log.write_text("".join(text.splitlines(keepends=True)[: LINES + 1]))
    write_anonymized(log, [], TIERS / "site", out, None)
    return log, out


@needs(TIERS)
def test_compare_gives_the_same_numbers_of_a_site(cli: Commands, real: tuple[Path, Path]) -> None:
    log, out = real
    old = numbers_of(cli, log, "-p", f"site:{TIERS / 'site'}")
    assert old == numbers_of(cli, out / "sacct.txt", "-p", f"site:{out / 'site'}")


@needs(TIERS)
def test_no_name_of_a_real_log_is_left(real: tuple[Path, Path]) -> None:
    log, out = real
    rows = list(csv.DictReader(log.read_text().splitlines(), delimiter="|"))
    names = {row[field] for row in rows for field in ("User", "Account", "Group", "JobName", "WorkDir")}
    kept = {"", "batch", "extern", "root", "normal", "high", "scav", "capped", "gpu"}
    assert len(names - kept) > 20
    assert not words_in(out) & (names - kept)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "jobs.csv",
            "job_id,submit,start,end,procs\n1,0,5,9,2\n",
            "a table cannot be written under other names",
        ),
        (
            "log.json",
            '{"nb_res": 4, "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "p"}], '
            '"profiles": {"p": {"type": "delay", "delay": 5}}}',
            "JSON cannot be written under other names",
        ),
    ],
)
def test_other_formats_are_refused(name: str, text: str, why: str, cli: Commands, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert why in cli("anonymize", tmp_path / name, "-o", tmp_path / "out").complaint
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    assert "no new or empty folder" in cli("anonymize", log, "-o", tmp_path).complaint
    out = tmp_path / "out"
    assert "the key tells all names" in cli("anonymize", log, "-o", out, "--key", out / "key").complaint


@pytest.mark.parametrize("printed", [False, True])
def test_no_setting_is_left_that_no_simulation_reads(cli: Commands, tmp_path: Path, printed: bool) -> None:
    """Hosts, passwords, users and paths of a site stand in settings that Slurm alone reads."""
    unread = [option for option in TABLE if option.place is ConfigPart.SETTING and not option.sets]
    values = {
        option.name: f"/csecret{k}"
        for k, option in enumerate(unread)
        if not option.name.startswith(("PriorityWeight", "PriorityUsage"))
    }
    assert {"AccountingStoragePass", "JobCompPass", "SlurmctldHost", "SlurmUser", "MailDomain"} <= set(values)
    values |= {"ClusterName": "csecret", "AuthInfo": "socket=/csecret,cred_expire=70,ttl=csecret"}
    site = tmp_path / "site"
    site.mkdir()
    nodes = "NodeName=cnode[1-3] CPUs=4\nPartitionName=batch Nodes=cnode[1-3] Default=YES\n"
    if printed:
        lines = "".join(f"{name:<23} = {value}\n" for name, value in values.items())
        (site / "config.txt").write_text(f"Configuration data as of 2026-01-01T08:00:00\n{lines}")
    else:
        (site / "slurm.conf").write_text("".join(f"{key}={value}\n" for key, value in values.items()) + nodes)
    (tmp_path / "log").write_text(DUMP)
    out = tmp_path / "out"
    cli.done("anonymize", tmp_path / "log", "--site", site, "-o", out)
    text = next((out / "site").iterdir()).read_text()
    assert "csecret" not in text
    assert re.search(r"authinfo ?= ?cred_expire=70\n", text, re.IGNORECASE)
