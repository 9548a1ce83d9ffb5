"""A log of several files, of some partitions, in its time zone; and how many jobs each option leaves."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.dates import date_of
from engine.errors import InputError
from engine.reading.options import OptionError, Reading, further_names
from engine.reading.read import cut_log, read_log_as, records_as
from tests.engine.logs.lines import counts, line, write_log

HEADER = ("; MaxProcs: 64", "; UnixStartTime: 1000000000")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Eight jobs, one every 100 s, of users 1 and 2, in partitions 1 (of 4 processors) and 2 (of 32)."""
    lines = [
        line(
            job=number,
            submit=100 * number,
            user=1 + number % 2,
            queue=1 + number // 4,
            partition=1 + number // 6,
            procs=4 if number < 6 else 32,
            allocated=4 if number < 6 else 32,
            runtime=-1 if number == 0 else 10,
        )
        for number in range(8)
    ]
    return write_log(tmp_path / "log.swf", *HEADER, *lines)


def left(path: Path, reading: Reading) -> dict[str, int]:
    return {step.option: step.jobs for step in read_log_as(path, reading).left}


def test_each_option_tells_how_many_jobs_it_leaves(log: Path) -> None:
    assert left(log, Reading()) == {"log": 8, "clean": 7, "machine": 7}
    assert left(log, Reading(clean=("drop_no_runtime=off",))) == {"log": 8, "clean": 8, "machine": 8}
    asked = Reading(jobs="1:6", start="300", end="600", users="1", queues="2", machine="16c")
    assert left(log, asked) == {
        "log": 8,
        "clean": 7,
        "jobs": 5,  # 2 to 6
        "from": 4,
        "to": 3,
        "users": 1,  # 4
        "queues": 1,
        "machine": 1,
    }
    assert left(log, Reading(machine="16c"))["machine"] == 5, "those of 32 processors do not fit"


def test_a_part_of_a_log_says_so_in_its_name_and_its_notes(log: Path) -> None:
    trace = read_log_as(log, Reading(jobs="0:3", users="2")).trace
    assert trace.name == "log, jobs 0:3, users 2"
    assert (len(trace), counts(trace)["part"]) == (2, 2)
    assert read_log_as(log, Reading(clean=("clamp_procs=off",))).trace.name == "log"


def test_records_are_read_once_for_many_readings(log: Path) -> None:
    records = records_as(log, Reading())
    for users, jobs in (("1", 3), ("2", 4), ("-1", 4)):
        asked = Reading(users=users)
        assert len(cut_log(log, asked, records).trace) == jobs == len(read_log_as(log, asked).trace)


def test_a_partition_alone_is_a_machine_of_its_own(log: Path) -> None:
    whole, small = read_log_as(log, Reading()), read_log_as(log, Reading(partitions="1"))
    assert (whole.cluster.cpus, small.cluster.cpus) == (64, 4)
    assert [step.jobs for step in small.left] == [8, 6, 5, 5]
    assert read_log_as(log, Reading(partitions="-1")).cluster.cpus == 32
    assert read_log_as(log, Reading(partitions="1,2")).cluster.cpus == 64
    assert read_log_as(log, Reading(partitions="1", machine="8c")).cluster.cpus == 8


@pytest.mark.parametrize(
    ("asked", "option", "expected"),
    [
        (Reading(jobs="5"), "jobs", "5: expected A:B, like 0:5000"),
        (Reading(start="soon"), "from", "cannot read the time 'soon'"),
        (Reading(end="2013-13-01"), "to", "cannot read the time"),
        (Reading(users="7"), "users", "there is no user '7'"),
        (Reading(queues="short"), "queues", "there is no queue 'short'"),
        (Reading(partitions="9"), "partitions", "there is no partition '9'"),
        (Reading(clean=("drop=on",)), "clean", "there is no cleaning rule 'drop'"),
        (Reading(clean=("drop_no_procs",)), "clean", "expected RULE=on or RULE=off"),
        (Reading(timezone="Europe/Atlantis"), "timezone", "no time zone 'Europe/Atlantis'"),
        (Reading(timezone="../../etc/passwd"), "timezone", "there is no time zone"),
    ],
)
def test_what_is_wrong_names_its_option(log: Path, asked: Reading, option: str, expected: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_log_as(log, asked)
    assert caught.value.option == option
    assert expected in caught.value.message
    assert str(caught.value) == f"--{option} {caught.value.message}"


def test_a_log_without_partitions_has_none_alone(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.swf", *HEADER, line(partition=1), line(job=2, partition=1))
    with pytest.raises(OptionError, match="has no partitions"):
        read_log_as(log, Reading(partitions="1"))


def test_nothing_left_is_an_error(log: Path) -> None:
    with pytest.raises(InputError, match="none of the 7 jobs is selected"):
        read_log_as(log, Reading(start="300", end="300"))


def test_several_files_are_one_log(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "older"
    folder.mkdir()
    older = write_log(folder / "log.1.swf.gz", *HEADER, line(job=90, submit=50), line(job=91, submit=450))
    beside = write_log(tmp_path / "log.2.swf", line(job=92, submit=10_000))
    names = further_names(log, [older, beside])
    assert names == (str(older.resolve()), "log.2.swf")
    trace = read_log_as(log, Reading(further=names)).trace
    assert trace.job_id.tolist() == [90, 1, 2, 3, 4, 91, 5, 6, 7, 92]
    assert trace.name == "log"
    assert read_log_as(log, Reading(further=(str(folder),))).trace.job_id.tolist()[0] == 90


def test_tables_of_several_files_name_their_columns_in_each(tmp_path: Path) -> None:
    for name, submit in (("a.csv", 100), ("b.csv", 50)):
        (tmp_path / name).write_text(f"id,submit,runtime,procs\n{submit},{submit},10,1\n", "utf-8")
    trace = read_log_as(tmp_path / "a.csv", Reading(further=("b.csv",))).trace
    assert trace.job_id.tolist() == [50, 100]
    assert "unreadable_cell" not in counts(trace)


def test_the_time_zone_of_a_log_that_counts_seconds_changes_dates_alone(log: Path) -> None:
    plain = read_log_as(log, Reading()).trace
    zoned = read_log_as(log, Reading(timezone="Europe/Prague")).trace
    assert zoned.timezone == "Europe/Prague"
    assert (zoned.submit == plain.submit).all()
    here, there = date_of(plain, 0), date_of(zoned, 0)
    assert here == there
    assert here is not None
    assert there is not None
    assert (here.hour, there.hour) == (1, 3)


def sacct(path: Path, *jobs: tuple[str, str, str]) -> Path:
    rows = [f"{k}|a|COMPLETED|1|{times[0]}|{times[1]}|{times[2]}" for k, times in enumerate(jobs, 1)]
    path.write_text("\n".join(["JobID|User|State|NCPUS|Submit|Start|End", *rows]) + "\n", "utf-8")
    return path


def test_times_that_clocks_showed_are_of_their_zone(tmp_path: Path) -> None:
    """Clocks in Prague are two hours ahead of UTC in summer; on 2021-10-31 they went from 3:00 to 2:00."""
    log = sacct(
        tmp_path / "sacct.txt",
        ("2021-07-01T12:00:00", "2021-07-01T12:10:00", "2021-07-01T13:00:00"),
        ("2021-10-31T00:30:00", "2021-10-31T01:00:00", "2021-10-31T05:00:00"),
    )
    trace = read_log_as(log, Reading(timezone="Europe/Prague")).trace
    noon = int(datetime(2021, 7, 1, 10, tzinfo=UTC).timestamp())
    assert trace.zero + trace.submit[0] == noon
    assert trace.wait.tolist() == [600, 1800]
    assert trace.runtime.tolist() == [3000, 4 * 3600 + 3600]
    assert str(date_of(trace, float(trace.submit[0]))) == "2021-07-01 12:00:00+02:00"
    assert "time_zone" not in counts(trace)
    as_utc = read_log_as(log, Reading()).trace
    assert as_utc.runtime.tolist() == [3000, 4 * 3600]
    assert counts(as_utc)["time_zone"] == 1


@pytest.mark.parametrize(("suffix", "ahead"), [("", 2), ("Z", 0), ("+05:00", 0)])
def test_dates_that_name_their_distance_to_utc_need_no_zone(tmp_path: Path, suffix: str, ahead: int) -> None:
    table = tmp_path / "jobs.csv"
    table.write_text(f"submit,runtime,procs\n2021-07-01T12:00:00{suffix},10,1\n", "utf-8")
    plain = read_log_as(table, Reading()).trace
    zoned = read_log_as(table, Reading(timezone="Europe/Prague")).trace
    assert plain.submit[0] - zoned.submit[0] == ahead * 3600


def test_the_part_of_a_reading_in_words() -> None:
    asked = Reading(jobs="0:9", queues="a")
    assert asked.part == "jobs 0:9, queues a"
    assert replace(asked, jobs="", queues="", timezone="UTC").part == ""


def test_what_is_measured_is_counted_and_cuts_nothing(log: Path) -> None:
    whole = read_log_as(log, Reading()).trace
    first, last = int(whole.submit[1]), int(whole.submit[4])
    read = read_log_as(log, Reading(measure=f"{first}:{last}"))
    assert len(read.trace) == len(whole)
    inside = int(((whole.submit >= first) & (whole.submit < last)).sum())
    assert {option.option: option.jobs for option in read.left}["measure"] == inside
    for text, expected in (("5", "expected FROM:TO"), ("9999999:", "no job was submitted"), ("x:", "'x'")):
        with pytest.raises(OptionError, match=expected) as caught:
            read_log_as(log, Reading(measure=text))
        assert caught.value.option == "measure"


def test_dependencies_are_replayed_where_that_is_asked_for(tmp_path: Path) -> None:
    lines = [
        line(1, submit=0),
        line(2, submit=90, preceding=1, think_time=5),
        line(3, submit=99, preceding=8),
    ]
    log = write_log(tmp_path / "log.swf", *HEADER, *lines)
    plain = read_log_as(log, Reading()).trace
    assert not plain.dependencies
    trace = read_log_as(log, Reading(dependencies="on")).trace
    assert trace.dependencies
    assert trace.name == "log, dependencies on"
    assert trace.submit.tolist() == plain.submit.tolist()
    assert (counts(trace)["follow"], counts(trace)["follow_unknown"]) == (1, 1)
    with pytest.raises(OptionError, match="expected on or off"):
        read_log_as(log, Reading(dependencies="perhaps"))
