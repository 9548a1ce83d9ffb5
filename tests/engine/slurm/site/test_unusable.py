"""Half-written files of a site are named, with what they held; so are names of a log that no file has."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.slurm.site.folder import read_site_at
from engine.slurm.site.left_out import lines_left_out
from engine.slurm.site.site import Site
from engine.trace.names import Names
from tests.traces import make_trace

CONF = "NodeName=n[1-4] CPUs=4\nPartitionName=batch Nodes=n[1-4]\nPriorityType=priority/multifactor\n"
DUMP = """# To edit this file start with a cluster line for the new cluster
Cluster - 'k':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':Fairshare=1
Account - 'physics':Description='x':Fairshare=60
Parent - 'physics'
User - 'ann':DefaultAccount='physics':Fairshare=1
"""
QOS = "Name|Priority|GrpTRES\nnormal|0|\nhigh|100|cpu=4\n"
RESERVATION = (
    "ReservationName=maint StartTime={} EndTime={} Duration=01:00:00\n   Nodes=n[1-2] NodeCnt=2\n"
    "   TRES=cpu=8\n   Users=root Groups=(null) Accounts=(null)\n"
)
TIMES = RESERVATION.format("2026-12-01T00:00:00", "2026-12-01T01:00:00")


def site_with(folder: Path, **texts: str) -> Site:
    (folder / "slurm.conf").write_text(CONF)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return read_site_at(folder)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "qos",
            "slurm_load_qos error: Unable to contact slurm controller (connect failure)\n",
            "qos.txt: an error message of Slurm instead",
        ),
        ("qos", "sacctmgr: error: slurm_persist_conn_open: failed\n", "priorities and limits of qualities"),
        ("qos", QOS.split("\n")[0] + "\n", "qos.txt: it holds a heading without rows; priorities and limits"),
        ("shares", "", "shares.txt: the file is empty; shares of accounts and users are missing"),
        ("assoc", "Access/permission denied\n", "shares and limits of accounts and users are missing"),
        ("assoc", DUMP[:60], "assoc.txt: it holds a heading without rows; shares and limits of accounts"),
        ("assoc", DUMP[: DUMP.index("ann") + 2], "assoc.txt: it ends within a line, as if cut off"),
        ("assoc", DUMP[: DUMP.index("User - 'ann")], "assoc.txt: it ends after the heading of an account"),
        (
            "res",
            RESERVATION.format("2026-13-01T00:00:00", "2026-12-01T01:00:00"),
            "reservation maint: “2026-13-01T00:00:00” is not a date, and it is not simulated",
        ),
        ("notes", "remember the milk\n", "not read, since by content they are no files of a site: notes.txt"),
    ],
)
def test_what_a_file_does_not_say_is_named(tmp_path: Path, name: str, text: str, expected: str) -> None:
    notes = site_with(tmp_path, **{name: text}).notes
    assert any(expected in note for note in notes), notes


def test_whole_files_give_no_note(tmp_path: Path) -> None:
    """Nor does the print of a queue, which `now` reads."""
    queue = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n1 batch a ann PD 0:00 1 (Priority)\n"
    assert site_with(tmp_path, qos=QOS, assoc=DUMP, res=TIMES, queue=queue).notes == ()


@pytest.mark.parametrize(("name", "text"), [("qos", QOS), ("assoc", DUMP), ("res", TIMES + "\n" + TIMES)])
def test_a_file_that_was_cut_within_a_line_is_named_wherever_that_was(
    tmp_path: Path, name: str, text: str
) -> None:
    whole, silent = site_with(tmp_path, **{name: text}), []
    for cut in range(1, len(text)):
        if text[cut - 1] == "\n":
            continue
        site = site_with(tmp_path, **{name: text[:cut]})
        if not any(note.startswith((f"{name}.txt: ", "not read, ")) for note in site.notes):
            silent.append(text[:cut])
    assert silent == []
    assert whole.notes == ()


def test_a_slurm_conf_and_what_is_printed_of_it_are_named_where_they_were_cut(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(CONF[:-6])
    (alone,) = read_site_at(tmp_path).notes
    assert alone == (
        "slurm.conf: it ends within a line, as if cut off (“PriorityType=priority/multif”); more settings of "
        "the scheduler may be missing"
    )
    other = tmp_path / "old.conf"
    other.write_text(CONF.rstrip("\n"))
    assert "old.conf: it ends within a line" in "".join(read_site_at(other).notes)


def test_reservations_that_were_cut_between_lines_are_named(tmp_path: Path) -> None:
    cut = TIMES[: TIMES.index("   Users")]
    assert "as if cut off; more may be missing" in "".join(site_with(tmp_path, res=cut).notes)


def test_reservations_without_effect_are_named(tmp_path: Path) -> None:
    backwards = RESERVATION.format("2026-12-01T01:00:00", "2026-12-01T00:00:00")
    elsewhere = RESERVATION.replace("n[1-2]", "m[1-2]").replace("maint", "other")
    elsewhere = elsewhere.format("2026-12-01T00:00:00", "2026-12-01T01:00:00")
    lines = lines_left_out(site_with(tmp_path, res=backwards + "\n" + elsewhere))
    assert "reservation maint: it ends before it starts" in lines
    assert "reservation other: the machine has none of its nodes" in lines


def test_names_of_the_log_that_no_file_has_are_named_with_their_jobs(tmp_path: Path) -> None:
    site = site_with(tmp_path, qos=QOS, assoc=DUMP)
    trace = replace(
        make_trace(submit=[0, 1, 2], runtime=[9, 9, 9], procs=[1, 1, 1]),
        group=Names(np.array([0, 1, 1]), ("physics", "bio")),
        qos=Names(np.array([0, 0, 1]), ("normal", "long")),
    )
    lines = lines_left_out(site, trace)
    assert "accounts of the log that no file has: bio; they get a share of 1 each (2 jobs)" in lines
    assert "QOS of the log that no file has: long; they have priority 0 and no limits (1 job)" in lines
    assert not any("that no file has" in line for line in lines_left_out(site))
