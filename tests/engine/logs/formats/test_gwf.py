import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from tests.engine.logs.lines import counts, where
from tests.paths import SHARED, needs

CASES = SHARED / "cases" / "files"
NAMES = (
    *("job", "submit", "wait", "runtime", "allocated", "cpu_time", "used_ram", "procs", "walltime", "ram"),
    *("status", "user", "group", "executable", "queue", "partition", "site", "ran_at", "structure"),
)


def record(part=" ", **values):
    """Job 1 of U1 with a processor for 10 of 20 seconds from second 0 on; `-1` for all else."""
    fields = dict.fromkeys(NAMES, "-1") | {"job": 1, "submit": 0, "wait": 0, "runtime": 10, "allocated": 1}
    fields |= {"procs": 1, "walltime": 20, "status": 1, "user": "U1", "structure": "UNITARY"} | values
    return part.join([*(str(value) for value in fields.values()), *["-1"] * (29 - len(NAMES))])


@pytest.fixture
def read(tmp_path):
    def read(*lines, **options):
        path = tmp_path / "log.gwf"
        path.write_text("".join(f"{line}\n" for line in lines))
        return read_trace(path, **options)

    return read


def spelled(names):
    return [names.names[code] for code in names.codes]


@needs(CASES)
@pytest.mark.parametrize(
    ("name", "users"), [("w01-das2", ["U12", "U13"]), ("w02-das2-numeric", ["12", "13"])]
)
def test_cases_from_the_field(name, users):
    trace = read_trace(CASES / f"{name}.gwf")
    assert trace.name == name
    assert trace.submit.tolist() == [1074297601, 1074297701]
    assert (trace.wait.tolist(), trace.runtime.tolist()) == ([5, 0], [900, 60])
    assert (trace.walltime.tolist(), trace.procs.tolist()) == ([1800, 900], [4, 1])
    assert (trace.status.tolist(), spelled(trace.user)) == ([1, 5], users)
    assert "no_start_time" not in counts(trace)


@pytest.mark.parametrize("part", [" ", "\t", "   "])
def test_a_record(read, part):
    trace = read("# comment", record(part, group="G2", queue="Q3", executable="X4", ram=2048, procs=3))
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (0, 0, 10, 20)
    assert (trace.procs[0], trace.recorded_procs[0], trace.ram[0]) == (3, 1, 6)
    names = (trace.user, trace.group, trace.queue, trace.executable)
    assert [spelled(column)[0] for column in names] == ["U1", "G2", "Q3", "X4"]


def test_a_text_between_tabs_may_hold_blanks(read):
    assert spelled(read(record("\t", user="Ann Lee", group="")).user) == ["Ann Lee"]


def test_what_is_missing(read):
    trace = read(
        record(user=-1, procs=-1, allocated=4, used_ram=1, walltime=-1),
        record(job=2, wait=-1),
        record(job=3, runtime=-1),
        record(job=4, wait=-60),
    )
    assert trace.job_id.tolist() == [1, 2, 4]
    assert spelled(trace.user) == ["", "U1", "U1"]
    assert (trace.procs.tolist(), trace.ram.tolist()) == ([4, 1, 1], [4, -1, -1])
    assert trace.wait.tolist() == [0, -1, 0]
    assert trace.walltime.tolist() == [10, 20, 20]
    assert where(trace, "drop_no_runtime") == (1, (3,))
    assert where(trace, "early_start") == (1, (4,))


def test_fractional_times(read):
    trace = read(record(submit=1.9, wait=2.9, runtime=3.1, walltime=4.1), record(job=2, submit="1e1"))
    assert (trace.submit.tolist(), trace.wait.tolist()) == ([1, 10], [2, 0])
    assert (trace.runtime.tolist(), trace.walltime.tolist()) == ([4, 10], [5, 20])
    assert where(trace, "fractional") == (1, (1,))


def test_comments_tell_of_the_machine_and_of_the_start(read):
    trace = read("# MaxProcs: 338 (in all)", "# UnixStartTime: 1074297600", record())
    assert (trace.cluster.spelling, trace.zero) == ("338c", 1074297600)
    assert counts(read(record()))["no_start_time"] == 1


def test_sites_are_partitions(tmp_path, read):
    read(record(site="S0", ran_at="S1"), record(job=2, site="S2"), record(job=3, runtime=-1))
    part = read_log_as(tmp_path / "log.gwf", Reading(partitions="S2")).trace
    assert part.job_id.tolist() == [2]


def test_broken_lines_are_counted(read):
    trace = read(record(), "1 2 3", record(submit="x"), record()[:-3], "", record(job=2))
    assert trace.job_id.tolist() == [1, 2]
    assert where(trace, "unreadable_line") == (3, (2, 3, 4))


def test_a_log_of_comments_alone(read):
    with pytest.raises(InputError, match="this is not a trace: field 1 is not a number"):
        read("# a", "# b")
