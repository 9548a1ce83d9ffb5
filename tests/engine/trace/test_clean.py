import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.trace.clean import RULES, _peak, switches
from tests.engine.logs.lines import counts, line, read_lines, text_of, where


@pytest.mark.parametrize(
    ("rule", "broken", "column", "kept"),
    [
        ("drop_no_runtime", {"runtime": 0}, "runtime", 1),
        ("drop_no_runtime", {"runtime": -5}, "runtime", 1),
        ("drop_no_procs", {"procs": -1, "allocated": 0}, "procs", 1),
        ("drop_negative_submit", {"submit": -7}, "submit", 0),
        ("drop_no_walltime", {"walltime": -1}, "walltime", 10),
    ],
)
def test_what_a_rule_drops_and_what_becomes_of_it_without_the_rule(tmp_path, rule, broken, column, kept):
    lines = ("; MaxProcs: 10", line(submit=5), line(job=2, **broken))
    dropped = read_lines(tmp_path, *lines, clean={rule: True})
    assert dropped.job_id.tolist() == [1]
    assert where(dropped, rule) == (1, (3,))
    whole = read_lines(tmp_path, *lines, clean={rule: False})
    assert len(whole) == 2
    assert getattr(whole, column)[whole.job_id == 2].tolist() == [kept]
    assert rule not in counts(whole)


def test_what_has_to_be_asked_for():
    assert [name for name, rule in RULES.items() if not rule.on] == ["drop_no_walltime", "from_eligible"]
    assert switches({"drop_no_walltime": True})["drop_no_walltime"]


def test_a_job_that_breaks_several_rules_counts_once(tmp_path):
    trace = read_lines(tmp_path, line(), line(runtime=-1, procs=-1, allocated=-1, submit=-1))
    assert {k: v for k, v in counts(trace).items() if k.startswith("drop")} == {"drop_no_runtime": 1}


def test_processors_are_cut_to_the_machine(tmp_path):
    lines = ("; MaxProcs: 8", line(procs=20, allocated=20, ram=2048), line(procs=8))
    trace = read_lines(tmp_path, *lines)
    assert trace.procs.tolist() == trace.tasks["count"].tolist() == [8, 8]
    assert trace.recorded_procs.tolist() == [20, 1]
    assert trace.ram.tolist() == [16, -1]
    assert where(trace, "clamp_procs") == (1, (2,))
    whole = read_lines(tmp_path, *lines, clean={"clamp_procs": False})
    assert whole.procs.tolist() == [20, 8]
    assert whole.ram.tolist() == [40, -1]


def test_runtimes_are_cut_to_the_walltime_and_the_log_keeps_its_own(tmp_path):
    lines = (line(runtime=30, walltime=20), line(runtime=20, walltime=20), line(runtime=30, walltime=-1))
    trace = read_lines(tmp_path, *lines)
    assert trace.runtime.tolist() == [20, 20, 30]
    assert trace.walltime.tolist() == [20, 20, 30]
    assert trace.recorded_runtime.tolist() == [30, 20, 30]
    assert counts(trace)["clamp_runtime"] == counts(trace)["no_walltime"] == 1
    whole = read_lines(tmp_path, *lines, clean={"clamp_runtime": False})
    assert whole.runtime.tolist() == [30, 20, 30]
    assert "clamp_runtime" not in counts(whole)


def test_columns_that_say_the_same_are_one_array(tmp_path):
    trace = read_lines(tmp_path, line(), line(runtime=7))
    assert trace.preceding is trace.think_time
    assert trace.runtime is trace.recorded_runtime
    cut = read_lines(tmp_path, line(runtime=30, walltime=20))
    assert (cut.runtime.tolist(), cut.recorded_runtime.tolist()) == ([20], [30])


def test_cancelled_and_failed_jobs_that_ran_are_kept(tmp_path):
    trace = read_lines(tmp_path, line(status=0), line(status=5), line(status=5, runtime=0))
    assert trace.status.tolist() == [0, 5]


def test_jobs_are_ordered_by_submission_and_ties_stay_in_file_order(tmp_path):
    submits = [5, 3, 5, 1, 3]
    trace = read_lines(tmp_path, *(line(job=k, submit=s, user=k) for k, s in enumerate(submits, 1)))
    assert trace.job_id.tolist() == [4, 2, 5, 1, 3]
    assert [trace.user.names[code] for code in trace.user.codes] == ["4", "2", "5", "1", "3"]
    assert where(trace, "out_of_order") == (2, (2, 4))


def test_without_a_header_the_machine_is_the_largest_job_or_the_recorded_peak(tmp_path):
    apart = read_lines(tmp_path, line(procs=6, allocated=6), line(submit=10, procs=4, allocated=4))
    assert apart.cluster == Cluster.pool(6)
    together = read_lines(tmp_path, line(procs=6, allocated=6), line(submit=9, procs=4, allocated=4))
    assert together.cluster == Cluster.pool(10)
    assert counts(together)["machine_guessed"] == 1


def test_a_given_machine_goes_before_that_of_the_header(tmp_path):
    trace = read_lines(tmp_path, "; MaxProcs: 100", line(procs=30), cluster=parse_cluster("2x8c"))
    assert trace.cluster == parse_cluster("2x8c")
    assert trace.procs.tolist() == [16]


def test_a_recorded_peak_above_the_machine_is_a_note(tmp_path):
    lines = (line(procs=3, allocated=3), line(submit=9, procs=3, allocated=3))
    text = text_of(read_lines(tmp_path, "; MaxProcs: 5", *lines), "peak")
    assert text == "machine smaller than what the log has in use at once, 6 processors of 5"
    assert "peak" not in counts(read_lines(tmp_path, "; MaxProcs: 6", *lines))


def test_jobs_that_are_not_done_when_the_log_ends_are_counted(tmp_path):
    trace = read_lines(
        tmp_path,
        line(),
        line(runtime=-1, status=-1),
        line(runtime=-1, wait=-1, status=2),
        line(runtime=-1, status=5),
    )
    assert where(trace, "unfinished") == (2, (2, 3))


def test_odd_records_are_counted_and_kept(tmp_path):
    trace = read_lines(
        tmp_path,
        line(job=4),
        line(job=4, status=2),
        line(job=4, status=3),
        line(job=5, wait=-1),
        line(job=6, status=4),
    )
    assert len(trace) == 5
    assert where(trace, "same_id") == (2, (2, 3))
    assert where(trace, "partial") == (3, (2, 3, 5))
    assert counts(trace)["no_wait"] == 1


def test_only_the_first_few_lines_are_named(tmp_path):
    trace = read_lines(tmp_path, line(), *[line(runtime=0)] * 100)
    assert where(trace, "drop_no_runtime") == (100, (2, 3, 4, 5, 6))


def test_no_usable_job_says_why(tmp_path):
    lines = [line(runtime=0)] * 3 + [line(procs=-1, allocated=-1)] * 2 + ["?"]
    with pytest.raises(InputError) as caught:
        read_lines(tmp_path, *lines)
    assert str(caught.value) == (
        f"{tmp_path / 'log.swf'}: no usable job among 5 records; "
        "dropped: no positive runtime (3, drop_no_runtime); dropped: no processor count (2, drop_no_procs); "
        "lines left out: not 18 numbers (the first: field 1 is not a number) (1, unreadable_line)"
    )


def test_an_unknown_rule_names_the_nearest(tmp_path):
    with pytest.raises(
        InputError, match="no cleaning rule 'drop_nowalltime'; did you mean 'drop_no_walltime'"
    ):
        read_lines(tmp_path, line(), clean={"drop_nowalltime": True})


def test_everything_a_trace_holds_is_read_only(tmp_path):
    trace = read_lines(tmp_path, line(), line(user=2, runtime=0), line(user=3))
    for array in (
        trace.submit,
        trace.user.codes,
        trace.tasks.offset,
        trace.tasks["ram"],
        trace.tasks["count"],
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


JOBS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 10), st.integers(1, 5), st.booleans()),
    min_size=1,
    max_size=12,
)


@given(JOBS)
def test_the_recorded_peak_second_by_second(jobs):
    columns = [np.array(column) for column in zip(*jobs, strict=True)]
    use = [sum(r for s, d, r, known in jobs if known and s <= t < s + d) for t in range(40)]
    assert _peak(*columns) == max(use)
