from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.run_source import faults_of, given_schedule, schedule_of, schedules_of
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import NOT_RUN
from engine.schedule.write import write_swf
from engine.simulation.control import Cancelled, Control
from engine.simulation.stages import Stages
from tests.paths import SHARED, needs
from tests.traces import make_trace

HPC2N = SHARED / "other-formats" / "alea-hpc2n.swf.gz"
ALEA = SHARED / "reference" / "alea" / "hpc2n_easy_est.csv.gz"


@pytest.fixture
def given(tmp_path):
    def given(text: str):
        path = tmp_path / "schedule.csv"
        path.write_text(text)
        return parse_policy(f"recorded:{path}")

    return given


TRACE = make_trace([0, 5, 9], [10, 20, 30], [2, 4, 8], cluster=Cluster.pool(8))


def test_starts_ends_and_processors_are_the_files(given):
    policy = given("job_id,submit,start,end,procs\n1,0,0.9,10.9,2\n3,9,40,71,3\n")
    schedule = schedule_of(TRACE, TRACE.cluster, policy)
    assert schedule.start.tolist() == [0, NOT_RUN, 40]
    assert schedule.end.tolist() == [10, NOT_RUN, 71]
    assert schedule.procs.tolist() == [2, 4, 3]
    assert schedule.policy == policy


def test_no_job_starts_before_its_submission_or_takes_no_time(given):
    schedule = schedule_of(TRACE, TRACE.cluster, given("job_id,start,end\n1,0,0\n2,3,25\n3,9,39\n"))
    assert (schedule.start >= TRACE.submit).all()
    assert (schedule.end > schedule.start).all()


def test_of_several_runs_the_first_counts(given):
    schedule = schedule_of(TRACE, TRACE.cluster, given("job_id,start,end\n1,0,9\n1,20,29\n"))
    assert schedule.start.tolist() == [0, NOT_RUN, NOT_RUN]


@pytest.mark.parametrize("machine", ["8c", "2x4c"])
def test_it_is_measured_and_drawn_like_any_other(given, machine):
    cluster = parse_cluster(machine)
    schedule = schedule_of(TRACE, cluster, given("job_id,start\n1,0\n2,10\n3,30\n"))
    assert summary(schedule)["wait_mean"] == np.mean([0, 5, 21])
    boxes = assign_processors(schedule)
    assert len(boxes.order) == 3


def test_what_was_simulated_and_written_comes_back(tmp_path):
    path = tmp_path / "easy.swf"
    easy = schedule_of(TRACE, TRACE.cluster, parse_policy("easy"))
    write_swf(easy, path)
    again = schedule_of(TRACE, TRACE.cluster, parse_policy(f"recorded:{path}"))
    assert (again.start.tolist(), again.end.tolist()) == (easy.start.tolist(), easy.end.tolist())
    assert faults_of(TRACE, TRACE.cluster, again.policy) == ()


def test_faults_are_reported(given):
    policy = given("job_id,submit,start\n1,0,0\n2,5,5\n3,9,9\n")
    (fault, *_) = faults_of(TRACE, TRACE.cluster, policy)
    assert fault == "1 time at which more processors were in use than there are; at worst by 6"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("job_id,start\n9,1\n", "no job of this schedule is in the trace"),
        ("job_id,start,end\n1,0,1e14\n", "that no log can hold"),
        ("a,b\n", "no column of job ids"),
    ],
)
def test_files_that_are_no_schedule_of_the_trace(given, text, says):
    policy = given(text)
    with pytest.raises(InputError, match=says) as caught:
        given_schedule(TRACE, TRACE.cluster, policy)
    assert str(caught.value).startswith(policy.file)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.swf.gz", "/x y/a,b=c.CSV"])
def test_the_spelling_of_such_a_run(name):
    policy = parse_policy(f"recorded:{name}", estimate="last2", seed=3)
    assert (policy.file, policy.recorded, policy.simulated) == (name, False, False)
    assert parse_policy(policy.spelling) == policy
    assert policy.absolute.file == str(Path(name).absolute())
    with pytest.raises(InputError, match="takes no keys"):
        policy.with_keys(order="fcfs")


def test_other_words_behind_recorded_are_keys_still():
    with pytest.raises(InputError, match="takes no keys"):
        parse_policy("recorded:order=fcfs")
    with pytest.raises(InputError, match="should be key=value"):
        parse_policy("recorded:file")


@needs(ALEA)
def test_a_schedule_of_alea_beside_ours():
    trace = read_trace(HPC2N)
    alea = schedule_of(trace, trace.cluster, parse_policy(f"recorded:{ALEA}"))
    assert alea.ran.all()
    assert 3000 < float(np.mean(alea.wait)) < 4000
    assert set((alea.runtime - trace.runtime).tolist()) == {1}  # Alea ends jobs a second later
    assert list(faults_of(trace, trace.cluster, alea.policy)) == [
        "3,145 jobs that ran for another time than in the trace; at worst by 1 s",
        "213 jobs that ran on another number of processors; at worst by 27 processors",
    ]


def test_runs_at_the_same_time_are_those_in_turn_in_the_order_asked_for():
    jobs = range(60)
    runtimes = [500 - 7 * (job % 40) for job in jobs]
    trace = make_trace([10 * job for job in jobs], runtimes, [1 + job % 4 for job in jobs], wait=[0] * 60)
    machine = parse_cluster("4c")
    spellings = ("fcfs", "easy", "conservative", "easy:order=sjf", "recorded")
    runs = [(machine, parse_policy(text)) for text in spellings]
    stages = Stages(Control(), len(runs))
    together = schedules_of(trace, runs, log=True, stages=stages)
    assert stages.progress == 1
    for (cluster, policy), schedule in zip(runs, together, strict=True):
        alone = schedule_of(trace, cluster, policy, log=True)
        assert schedule.policy == policy
        assert schedule.start.tolist() == alone.start.tolist()


def test_of_runs_at_the_same_time_the_first_error_is_told_and_the_rest_is_cancelled(tmp_path):
    trace = make_trace([10 * job for job in range(60)], [500] * 60)
    machine = parse_cluster("4c")
    stages = Stages(Control(), 3)
    absent = [parse_policy(f"recorded:{tmp_path / name}.csv") for name in ("a", "b")]
    with pytest.raises(InputError, match=r"a\.csv"):
        schedules_of(
            trace, [(machine, parse_policy("easy")), *((machine, each) for each in absent)], stages=stages
        )
    assert stages.control.cancelled
    with pytest.raises(Cancelled):
        schedules_of(trace, [(machine, parse_policy("easy"))] * 2, stages=stages)
