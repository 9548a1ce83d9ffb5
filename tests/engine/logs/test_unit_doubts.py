"""Logs of numbers in other units than their format says: the question, and what its answers give."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.tables.unit_doubts import UnitsError
from engine.reading.options import OptionError, Reading
from engine.reading.read import read_log_as
from engine.trace import Trace
from tests.engine.logs.formats.test_gwf import record
from tests.engine.logs.lines import line, write_log
from tests.paths import SHARED, needs

SACCT = SHARED / "cases" / "files" / "s06-fixed-width.txt"
LIMIT = "more than half of the jobs ran for more than twice their limit if the requested time is in s"
RAM = "more than half of the jobs have more than 256 GiB of RAM a processor if RAM is in kb"


def swf(folder: Path, **values: int) -> Path:
    """Twenty jobs in the standard format; each ran for an hour on four processors."""
    jobs = (line(job=k, submit=600 * k, runtime=3600, procs=4, **values) for k in range(1, 21))
    return write_log(folder / "log.swf", *jobs)


def gwf(folder: Path, **values: int) -> Path:
    """Such jobs in the Grid Workload Format."""
    jobs = (record(job=k, submit=600 * k, runtime=3600, procs=4, **values) for k in range(1, 21))
    (folder / "log.gwf").write_text("".join(f"{job}\n" for job in jobs))
    return folder / "log.gwf"


def read(path: Path, units: str = "") -> Trace:
    return read_log_as(path, Reading(units=units)).trace


@pytest.mark.parametrize("made", [swf, gwf])
@pytest.mark.parametrize(
    ("values", "question", "answers"),
    [
        ({"walltime": 120}, LIMIT, "walltime=min, or walltime=s"),
        ({"walltime": 7200, "ram": 4 << 30}, RAM, "ram=b, or ram=kb"),
    ],
)
def test_a_unit_that_cannot_be_is_asked_for(
    tmp_path: Path,
    made: Callable[..., Path],
    values: dict[str, int],
    question: str,
    answers: str,
) -> None:
    path = made(tmp_path, **values)
    with pytest.raises(UnitsError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {question}; say its unit with --units {answers}"
    assert caught.value.example == answers.partition(",")[0]


@pytest.mark.parametrize("made", [swf, gwf])
def test_the_unit_that_is_said_holds(tmp_path: Path, made: Callable[..., Path]) -> None:
    trace = read(made(tmp_path, walltime=120, ram=4 << 30), "walltime=min, ram=b")
    assert set(trace.walltime.tolist()) == {7200}
    assert set(trace.runtime.tolist()) == {3600}
    assert set(trace.ram.tolist()) == {4 * 4096}  # MiB, of four processors
    kept = read(made(tmp_path, walltime=120), "walltime=s")
    assert set(kept.runtime.tolist()) == {120}  # cut to the limit, as was said
    days = read(made(tmp_path, walltime=7200), "runtime=ms,submit=min,walltime=d")
    assert set(days.runtime.tolist()) == {4}  # of 3.6 s
    assert days.submit.tolist() == [36_000 * k for k in range(1, 21)]


def test_nothing_is_asked_of_half_of_the_jobs(tmp_path: Path) -> None:
    jobs = [
        line(job=k, submit=k, runtime=3600, procs=1, walltime=120 if k % 2 else 7200) for k in range(1, 21)
    ]
    trace = read(write_log(tmp_path / "log.swf", *jobs))
    assert sorted(trace.runtime.tolist()) == [120] * 10 + [3600] * 10


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ("walltime", "walltime: expected NAME=UNIT, such as walltime=min"),
        ("walltime=fortnights", "the unit of walltime is one of ms, s, min, h, d"),
        ("user=s", "'user' has no unit"),
    ],
)
def test_units_that_are_none(tmp_path: Path, units: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        read(swf(tmp_path, walltime=120), units)
    assert caught.value.option == "units"
    assert caught.value.message.startswith(message)


def test_units_of_what_a_log_of_numbers_has_not(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--units end=s: this log has numbers of submit, wait, runtime,"):
        read(swf(tmp_path, walltime=120), "end=s")
    with pytest.raises(InputError, match=r"days of a spreadsheet \(serial\) are for tables"):
        read(swf(tmp_path, walltime=120), "submit=serial")


@needs(SACCT)
def test_formats_that_say_their_units_take_no_others() -> None:
    with pytest.raises(InputError, match="--units has no use for a dump of sacct"):
        read(SACCT, "walltime=min")


def test_units_of_a_table_add_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("at,runtime,walltime,procs\n0,3600,120,4\n60,3600,120,4\n")
    names = "".join(f'{role} = "{role}"\n' for role in ("runtime", "walltime", "procs"))
    mapping = f'submit = "at"\n{names}[units]\nsubmit = "min"\n'
    trace = read_log_as(tmp_path / "t.csv", Reading(columns=mapping, units="walltime=min")).trace
    assert (trace.submit.tolist(), trace.walltime.tolist()) == ([0, 3600], [7200, 7200])
