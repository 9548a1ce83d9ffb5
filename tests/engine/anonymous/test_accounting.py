"""Logs of every batch system under other names: the same jobs in the same order, and no old name."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from engine.anonymous.export import anonymize
from engine.logs.read import read_records
from engine.trace.names import Names
from engine.trace.records import Records
from engine.trace.trace import Pieces
from tests.engine.logs.formats import lsf, pbs, sge
from tests.engine.logs.sacct import documents
from tests.engine.logs.sacct.prints import jobcomps
from tests.paths import SHARED, needs

PBS = (
    pbs.ended(1, user="zoe", group="zphys", jobname="zrun", exec_host="zn2.zsite.org/0*4+zn10.zsite.org/1"),
    pbs.ended(2, user="zann", group="zbio", jobname="zrun=b", start=20, exec_host="zn[03-04]/0-3"),
    pbs.ended("3[7]", user="zann", account="zacct", Resource_List__select="1:ncpus=4:host=zn2")
    + " project=zproj comment=zcomment Resource_List.place=scatter:excl:group=zrack "
    + "x=NACCESSPOLICY:SINGLEJOB",
    pbs.record("S", 21, user="zoe", start=pbs.NOON + 5, Resource_List__nodes="2:ppn=8:zbig+zn2:ppn=1"),
    pbs.record("D", 20, requestor="zadmin@zlogin"),
    pbs.record("L", "zlicense"),
)
ASKED = "-U zlist -u zann -q zq@zn1 -l h_rt=0:10:00,zres=3,gpu=1,exclusive=true -P zproj"
SGE = tuple(
    text.replace(":c1:phys:ann:run:", ":zn1.zsite.org:zphys:zann:zrun:").replace("defaultdepartment", "zdept")
    for text in (
        sge.record(1),
        sge.record(2, category=ASKED),
        sge.record(3, part="1.zn2", failed="100 zfailure"),
        sge.record(3, task=0, more=":zextra"),
    )
)
LSF = tuple(
    re.sub(r"\b(ann|phys|login|home|file|run)\b", r"z\1", text)
    for text in (
        lsf.record(1, asked="select[zmodel] rusage[mem=500] span[hosts=1]", hosts=("4*zn1", "zn2")),
        lsf.record(2, command="zprog --zarg; #BSUB -W 2:30", limit=None),
        lsf.record(3, index=4, status=32, cause=9, hosts=("zn7.zsite",)),
    )
)
JOBCOMP = tuple(
    jobcomps.record(
        job,
        **{"UserId": f"z{user}(1000)", "GroupId": "zgroup(7)", "Name": "zname b", "NodeList": f"zn{job}"},
        **{"WorkDir": "/zhome", "Account": "zphys", "Cluster": "zk"},
    )
    for job, user in ((1, "b"), (2, "a"))
)
LOGS = {"pbs": PBS, "sge": SGE, "lsf": LSF, "jobcomp": JOBCOMP}


def check_same_jobs(old: Records, new: Records) -> None:
    """All columns are the same; of names the order is."""
    for field in fields(Records):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if isinstance(before, Names) and field.name != "queue":
            assert ranks(before) == ranks(after), field.name
        elif isinstance(before, np.ndarray) and field.name not in ("line", "job_id"):
            assert before.tolist() == after.tolist(), field.name
        elif isinstance(before, Pieces):
            assert before.offset.tolist() == after.offset.tolist()
            for name in before.columns:
                assert before[name].tolist() == after[name].tolist(), name


def ranks(column: Names) -> list[int]:
    """The place of each job's name in the order of the names."""
    found: list[int] = np.unique([column.names[code] for code in column.codes], return_inverse=True)[
        1
    ].tolist()
    return found


def words_of(text: str) -> set[str]:
    """All words of a text, with and without what may stand within a name."""
    return {*re.findall(r"[\w.-]+", text), *re.findall(r"[A-Za-z]+", text)}


@pytest.mark.parametrize("system", LOGS)
def test_jobs_stay_and_no_name_does(system: str, tmp_path: Path) -> None:
    """All names of these logs begin with a z."""
    log = tmp_path / "log"
    log.write_text("".join(f"{line}\n" for line in LOGS[system]))
    done = anonymize(log, [], None, tmp_path / "out", None)
    assert len([word for word in words_of(log.read_text()) if word.startswith("z")]) > 8
    assert not [word for word in words_of(done.log.read_text()) if word.startswith("z")]
    assert len(read_records(log)) > 1
    check_same_jobs(read_records(log), read_records(done.log))


def test_a_walltime_in_days_stays(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(pbs.ended(Resource_List__walltime="2-03:10:00"))
    done = anonymize(log, [], None, tmp_path / "out", None)
    assert read_records(done.log).walltime.tolist() == [184_200]


def test_a_request_that_is_too_long_to_be_read_is_not_shortened(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(pbs.ended(nodes=3, Resource_List__select=f"1.{'0' * 1000}:ncpus=4"))
    done = anonymize(log, [], None, tmp_path / "out", None)
    check_same_jobs(read_records(log), read_records(done.log))


def test_jobs_of_json_become_a_dump(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    jobs = [documents.job(job_id=k, user=f"z{k}", nodes=f"zn{k}", name="zjob") for k in (1, 2)]
    log.write_text(documents.document(*jobs))
    done = anonymize(log, [], None, tmp_path / "out", None)
    assert done.log.name == "sacct.txt"
    assert not [word for word in words_of(done.log.read_text()) if word.startswith("z")]
    check_same_jobs(read_records(log), read_records(done.log))


OTHERS = SHARED / "other-formats"
REAL = (
    *(
        "openpbs-accounting.log.gz",
        "pbs-accounting-few-lines.log",
        "sge-accounting.log",
        "uge-accounting.log",
    ),
    *("lsf-acct.log", "lsf-acct-utf8.log"),
)


@needs(OTHERS)
@pytest.mark.parametrize("name", REAL)
def test_real_logs_have_the_same_jobs_and_none_of_their_names(name: str, tmp_path: Path) -> None:
    done = anonymize(OTHERS / name, [], None, tmp_path / "out", None)
    old = read_records(OTHERS / name)
    check_same_jobs(old, read_records(done.log))
    hosts = () if old.machine is None else old.machine.node_names()
    names = {*old.user.names, *old.group.names, *old.executable.names, *hosts}
    found = set(re.split(r"[\s:;,+/\"=*()]+", done.log.read_text()))
    kept = {"", "root", "batch", "default", *old.queue.names}
    assert not {own for own in names - kept if not own.isdigit()} & found
