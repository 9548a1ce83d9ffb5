"""Logs of other formats after public reports: each case's right values."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine.audit.columns import read_columns
from engine.errors import InputError
from engine.logs.read import read_trace
from tests.paths import ROOT, SHARED, needs

FILES = SHARED / "cases" / "files"
TABLE = SHARED / "cases" / "cases.tsv"

pytestmark = needs(TABLE)


@dataclass(frozen=True)
class Right:
    """The right columns of a log; `more` are further files of it."""

    file: str
    columns: dict[str, list[Any]]
    more: tuple[str, ...] = field(default=())


NOON = 1_704_103_200  # 1 January 2024, 10:00 UTC
PLAIN = {"submit": [NOON], "wait": [300], "runtime": [3600], "procs": [4], "walltime": [7200]}

RIGHT = {
    "B008": Right("b01-workload.json", {"jobs": [5]}, ("b02-workload.json",)),
    "B044": Right("s17b-utf16.txt", {**PLAIN, "user": ["müller"]}),
    "B045": Right("x08-names.txt", {"runtime": [3600] * 5, "jobs": [5]}),
    "B088": Right("accasim-workload.swf", {"jobs": [25]}),
    "B089": Right("cqsim-test.swf", {"jobs": [9], "procs": [40, 80, 90, 20, 60, 50, 50, 50, 10]}),
    "B090": Right("w05-evalys-head.swf", {"job_id": [0, 10, 2050, 2060, 4140], "wait": [0] * 5}),
    "B094": Right("w01-das2.gwf", {"runtime": [900, 60], "procs": [4, 1], "user": ["U12", "U13"]}),
    "B095": Right("w02-das2-numeric.gwf", {"runtime": [900, 60], "procs": [4, 1], "user": ["12", "13"]}),
    "B102": Right("apel-sge.log", {"runtime": [1, 180001, 180001, 20572, 359, 220], "jobs": [6]}),
    "B105": Right("p01-bluewaters.log", {"procs": [128, 16], "runtime": [14157, 14157]}),
    "B106": Right(
        "p03-midnight-rotated-1", {"runtime": [3600], "wait": [300], "jobs": [1]}, ("p03-midnight-rotated-2",)
    ),
    "B112": Right("x03-two-members.txt.gz", {"jobs": [4]}),
    "B113": Right("x03-two-streams.txt.xz", {"jobs": [4]}),
    "B114": Right("x03-two.txt.bz2", {"jobs": [4]}),
    "B121": Right("j01-condor.json", {"job_id": ["12.0", "12.1"], "wait": [300, 400], "procs": [4, 4]}),
    "B123": Right("j02-flux.json", {**PLAIN, "user": ["u1"]}),
    "B125": Right("x07-huge.txt", {"procs": [99_999_999, 4000, 4, 4], "wait": [300] * 4}),
}

REFUSED = {
    "B087": ("ubccr-jobs500.events", "these are events for a simulator of Slurm"),
    "B085": ("ubccr-small.csv", "no column holds submit, procs, runtime of jobs"),
    "B099": ("ood-sacct.txt", "do not contain Submit, Start, End"),
    "B100": ("apel-slurm.log", "no line names the fields of this log"),
    "B117": ("x03-truncated.txt.gz", "this gzip archive is cut off"),
    "B120, squeue": ("s21-squeue.txt", "this is what squeue prints"),
    "B120, scontrol": ("s22-scontrol.txt", "this is what scontrol show job prints"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_right_values(case: str) -> None:
    right = RIGHT[case]
    trace = read_trace(FILES / right.file, further=[FILES / name for name in right.more])
    for name, values in right.columns.items():
        column: Any = [len(trace)] if name == "jobs" else getattr(trace, name)
        if name == "user":
            column = [trace.user.names[code] for code in trace.user.codes]
        assert list(column) == values, name


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_is_and_what_to_do(case: str) -> None:
    name, message = REFUSED[case]
    with pytest.raises(InputError) as error:
        read_trace(FILES / name)
    assert message in str(error.value)
    assert str(error.value).startswith(str(FILES / name))


def test_pbs_waits_and_walltimes_are_those_that_another_warehouse_expects() -> None:
    """B101. Of the fourth record, 24940336, the pieces contradict each other: it is not judged."""
    trace = read_trace(FILES / "apel-pbs.log")
    found = {
        job: (runtime, walltime)
        for job, runtime, walltime in zip(trace.job_id, trace.runtime, trace.walltime, strict=True)
    }
    assert found[21048463] == (24159, 345600)
    assert found[21414868] == (12144, 57600)
    assert found[37803854] == (56, 180000)


@pytest.mark.parametrize("name", ["evalys-oppshut-out_jobs.csv", "evalys-subpart5-out_jobs.csv"])
def test_schedules_of_batsim_have_all_their_rows(name: str) -> None:
    """B091, B092."""
    assert len(read_columns(FILES / name).ids) == 801


def test_jobcomp_is_read() -> None:
    """B120."""
    trace = read_trace(FILES / "s23-jobcomp.log")
    assert trace.job_id.tolist() == [31117, 31118]
    assert trace.wait.tolist() == [300, 240]
    assert trace.walltime.tolist() == [7200, 3600]


NOT_YET = ("RS10",)
"""Slurm's main scheduler, which starts jobs between the passes of its backfiller, is not simulated: this case
is left to later on purpose, and no test counts its wrong wait as right."""


def test_every_case_has_a_test() -> None:
    """A case is tested where its id or one of its files is named."""
    tested = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    missing = []
    for line in TABLE.read_text("utf-8").splitlines()[1:]:
        case, _, _, inputs = line.split("\t")[:4]
        names = [Path(word.rstrip(",")).name for word in inputs.split()]
        if (
            case not in NOT_YET
            and case not in tested
            and not any(name in tested for name in names if "." in name)
        ):
            missing.append(f"{case}: {inputs}")
    assert missing == []
