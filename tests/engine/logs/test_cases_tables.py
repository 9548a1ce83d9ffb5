"""Tables as sites and data sets have them, each with the values that it means."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace.trace import Trace
from tests.engine.logs.lines import counts
from tests.paths import SHARED, needs

FILES = SHARED / "cases" / "files"
TEN = 1_704_103_200  # 2024-01-01 10:00:00 UTC


def read(name: str, columns: str = "", timezone: str = "") -> Trace:
    mapping = (FILES / columns).read_text("utf-8") if columns else ""
    return read_log_as(FILES / name, Reading(columns=mapping, timezone=timezone)).trace


def column(trace: Trace, name: str) -> list[object]:
    """A column by name; submissions as s since 1970, names spelled."""
    if name == "submit":
        return (trace.submit + trace.zero).tolist()
    if name in ("user", "queue", "group", "executable"):
        names = getattr(trace, name)
        return [names.names[code] for code in names.codes.tolist()]
    if name == "runtime":
        return trace.recorded_runtime.tolist()
    return getattr(trace, name).tolist()


def case(id: str, file: str, columns: str = "", timezone: str = "", **expected: list[object]) -> object:
    return pytest.param(file, columns, timezone, expected, id=id)


@needs(FILES / "t01-helios.csv")
@pytest.mark.parametrize(
    ("file", "columns", "timezone", "expected"),
    [
        case("B047", "t09-date00.csv", submit=[TEN] * 2, runtime=[100] * 2),
        case("B048", "t09-date01.csv", submit=[TEN] * 2),
        case("B050", "t09-date03.csv", submit=[TEN + 31 * 86_400] * 2),
        case("B052", "t09-date05.csv", submit=[TEN] * 2),
        case("B053", "t09-date06.csv", submit=[TEN - 3600] * 2),
        case("B054", "t09-date07.csv", submit=[TEN] * 2),
        case("B055", "t09-date08.csv", submit=[TEN] * 2),
        case("B057", "t09-date10.csv", submit=[TEN] * 2),
        case("B059", "t09-date12.csv", submit=[TEN - 36_000] * 2),
        case(
            *("B060", "t01-helios.csv", "t01-helios.toml"),
            job_id=[23, 24, 26],
            status=[1, 0, 0],
            wait=[300, 0, 600],
            runtime=[3600, 600, 7200],
            procs=[32, 4, 256],
            gpus=[8, 1, 64],
            queue=["vc1", "vc2", "vc1"],
        ),
        case(
            *("B061", "t02-pm100.parquet", "t02-pm100.toml"),
            submit=[1_588_586_400, 1_588_586_460, 1_588_586_520],
            wait=[300, 300, 240],
            runtime=[7200, 86_400, 1800],
            walltime=[86_400, 86_400, 3600],
            procs=[32, 256, 4],
            ram=[102_400, 409_600, 10_240],
            gpus=[1, 8, 0],
            status=[1, 0, 0],
            user=["1", "2", "1"],
        ),
        case(
            *("B063", "t04-eagle.parquet", "t04-eagle.toml"),
            job_id=["1", "2", "3_4"],
            walltime=[7200, 86_400, 1800],
            runtime=[1800, 7200, 1800],
            ram=[92_000, 184_000, -1],
            status=[1, 1, 0],
            gpus=[0, 4, 0],
        ),
        case(
            *("B064", "t04b-eagle-seconds.parquet", "t04-eagle.toml", "America/Denver"),
            submit=[1_552_206_600, 1_552_207_500, 1_572_766_200],
            wait=[1200, 1500, 1200],
            runtime=[1800, 7200, 1800],
        ),
        case(
            *("B065", "t10-naive.parquet", "", "America/Denver"),
            submit=[1_719_849_600, 1_719_853_200],
            user=["a", "b"],
        ),
        case("B066", "z05-duration.parquet", runtime=[100, 90_000], submit=[TEN, TEN + 60]),
        case(
            *("B068", "t11-kinds.parquet", "", "Europe/Paris"),
            submit=[TEN, TEN + 60],
            walltime=[7200, 90_000],
            status=[1, 0],
            procs=[4, 8],
            ram=[1025, -1],
            user=["x", "y"],
        ),
        case("B069", "z02-binary.parquet", job_id=[1, 2], user=["x", "y"], procs=[4, 8], wait=[100, 100]),
        case("B070", "z04-nested.parquet", job_id=[1, 2], runtime=[100, 200], procs=[4, 8]),
        case("B071", "z03-date32.parquet", submit=[TEN - 36_000, TEN - 36_000 + 86_400], runtime=[100, 200]),
        case("B074", "t06-alcf.csv", "t06-alcf.toml", runtime=[3602, 1800], procs=[128, 8], wait=[300, 300]),
        case("B075", "t07-ms.csv", "t07-ms.toml", submit=[TEN, TEN + 60], wait=[300] * 2, runtime=[3600] * 2),
        case("B076", "t07-ms.csv", submit=[TEN, TEN + 60], wait=[300] * 2, runtime=[3600] * 2),
        case("B077", "t08-decimal-comma.csv", submit=[0, 10], runtime=[101, 100], walltime=[200, 200]),
        case(
            *("B078", "t14-cells.csv"),
            procs=[1024, 4, 4, 4, 100],
            runtime=[3600, 3600, 3600, 3600, 600],
            walltime=[86_400, 7200, 7200, 7200, 7200],
            ram=[16_384, 16_384, 16_384, 1000, 2],
            user=["u1", "u2", "u3", "u4", "u5"],
        ),
        case("B081", "t17-missing.csv", job_id=[1, 5], wait=[10, 0], runtime=[10, 30]),
    ],
)
def test_what_tables_say(file, columns, timezone, expected):
    trace = read(file, columns, timezone)
    assert {name: column(trace, name) for name in expected} == expected
    assert not {"unreadable_cell", "unreadable_line"} & set(counts(trace))


@needs(FILES / "z04-nested.parquet")
def test_a_job_has_a_task_on_each_node_of_a_list():
    trace = read("z04-nested.parquet")
    assert (trace.tasks["count"].tolist(), trace.tasks["cpus"].tolist()) == ([1, 2], [4, 4])


@needs(FILES / "t07-ms.csv")
def test_milliseconds_are_noted():
    (note,) = (
        note.text for note in read("t07-ms.csv").notes if note.rule == "moments" and "start" in note.text
    )
    assert note == "numbers in 'start_time' were taken for milliseconds since 1970"


@needs(FILES / "ubccr-jobs500.csv")
@pytest.mark.parametrize(
    ("file", "says"),
    [
        pytest.param(
            "t09-date02.csv",
            ":1: dates of 'submit' like '01/02/2024' do not show the order of day and month; say it with a "
            "line dates = 'dmy' or dates = 'mdy' in --columns FILE.toml",
            id="B049",
        ),
        pytest.param(
            "ubccr-jobs500.csv",
            ":1: no column holds submit, procs, runtime of jobs; there are: , sim_job_id, sim_submit, ",
            id="B083",
        ),
        pytest.param("ubccr-small.csv", ":1: no column holds submit, procs, runtime of jobs", id="B085"),
    ],
)
def test_what_has_to_be_asked_for(file, says):
    with pytest.raises(InputError) as caught:
        read(file)
    assert str(caught.value).removeprefix(str(FILES / file)).startswith(says)


@needs(FILES / "t09-date02.csv")
@pytest.mark.parametrize(("dates", "submit"), [("dmy", TEN + 31 * 86_400), ("mdy", TEN + 86_400)])
def test_the_order_of_day_and_month_may_be_named(tmp_path: Path, dates, submit):
    trace = read_log_as(FILES / "t09-date02.csv", Reading(columns=f'dates = "{dates}"')).trace
    assert column(trace, "submit") == [submit] * 2


BROKEN = SHARED / "cases" / "broken"


@needs(BROKEN / "columns-huge-int.toml")
@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("columns-huge-int.toml", "columns: this is no TOML: "),
        ("columns-unit-list.toml", "columns: the unit of runtime is one of ms, s, min, h, d"),
    ],
    ids=["BR03-int", "BR03-list"],
)
def test_columns_files_that_are_broken(file, says, capsys):
    from app.cli.main import main

    assert main(["info", str(BROKEN / "t.csv"), "--columns", str(BROKEN / file)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says.removeprefix("columns") in error
