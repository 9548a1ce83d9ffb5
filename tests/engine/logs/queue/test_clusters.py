"""The queues of several clusters in a print, and the time of a print that has none."""

import gzip
import json
import os
import time
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.queue.clusters import (
    PrintTime,
    UndatedError,
    print_time_of,
    queue_of_cluster,
    read_queues,
    read_queues_at,
)
from engine.logs.queue.state import QueueState, clock_of
from tests.engine.logs.queue.prints import SCONTROL, SQUEUE, SQUEUE_JSON

TABLE = "JOBID PARTITION USER ST TIME TIME_LIMIT CPUS NODES NODELIST(REASON)\n"
ROW = "{} batch ann R 1:00 1:00:00 4 1 n1\n"
TEN = 1_795_946_400  # 2026-11-29T10:00:00+00:00


def _ids(states: tuple[QueueState, ...]) -> dict[str, list[str]]:
    return {state.cluster: [job.job_id for job in state.jobs] for state in states}


def test_a_table_for_each_cluster() -> None:
    one = read_queues(f"CLUSTER: alpha\n{TABLE}{ROW.format(7)}")
    assert (_ids(one), one[0].notes) == ({"alpha": ["7"]}, ())
    text = f"hello\nCLUSTER: alpha\n{TABLE}{ROW.format(7)}\nCLUSTER: beta\n{TABLE}{ROW.format(8)}"
    states = read_queues(text, PrintTime(5))
    assert _ids(states) == {"alpha": ["7"], "beta": ["8"]}
    assert [state.time for state in states] == [5, 5]
    assert states[0].notes == ("1 line beside the queue passed over",)
    assert states[1].notes == ()
    assert queue_of_cluster(states, "beta") is states[1]
    with pytest.raises(InputError, match="queues of alpha, beta: choose a cluster"):
        queue_of_cluster(states)
    with pytest.raises(InputError, match="no queue of a cluster gamma: it has alpha, beta"):
        queue_of_cluster(states, "gamma")
    with pytest.raises(InputError, match="it names no cluster"):
        queue_of_cluster(read_queues(SQUEUE), "gamma")


def test_a_cluster_that_does_not_answer_has_no_jobs() -> None:
    first, second = read_queues(f"CLUSTER: alpha\n\nCLUSTER: beta\n{TABLE}{ROW.format(8)}", PrintTime(5))
    assert (first.jobs, first.time, first.cluster) == ((), 5, "alpha")
    assert first.notes == ("nothing was printed of this cluster",)
    assert [job.job_id for job in second.jobs] == ["8"]


@pytest.mark.parametrize("joined", [True, False])
def test_json_of_several_clusters(joined: bool) -> None:
    """In one document, as of a federation, or in one for each cluster."""
    rows = [{**SQUEUE_JSON["jobs"][0], "job_id": k, "cluster": "ab"[k % 2]} for k in range(3)]
    documents = [rows] if joined else [rows[::2], rows[1::2]]
    text = "\n".join(json.dumps({"last_update": 1600, "jobs": jobs}) for jobs in documents)
    states = read_queues(text)
    assert _ids(states) == {"a": ["0", "2"], "b": ["1"]}
    assert [state.time for state in states] == [1600, 1600]
    assert not any(state.notes for state in states)


def test_what_else_a_job_has_changes_nothing() -> None:
    """Values that are not read are forgotten while a print is read; rows that are no jobs are counted."""
    row = SQUEUE_JSON["jobs"][0]
    long = {**row, "job_resources": {"jobs": [1, 2], "cores": [{"index": k} for k in range(64)]}}
    (bare,) = read_queues(json.dumps({**SQUEUE_JSON, "jobs": [row]}))
    (state,) = read_queues(json.dumps({**SQUEUE_JSON, "jobs": [long, 3]}))
    assert state.jobs == bare.jobs
    assert state.notes == ("1 of 2 jobs could not be read",)


def test_broken_json_is_told_with_its_line() -> None:
    with pytest.raises(InputError, match=r"^line 2: this JSON is broken: Expecting value$"):
        read_queues('{"jobs": [\n{"job_id": }]}')


def test_a_file_needs_a_time_where_it_has_none(tmp_path: Path) -> None:
    """A copy is of the same moment as the file, whenever it was copied."""
    path = tmp_path / "queue.json"
    for text in ('{"jobs": []}', SQUEUE, f"CLUSTER: a\n{SCONTROL}\nCLUSTER: b\n{SQUEUE}"):
        path.write_text(text)
        with pytest.raises(
            UndatedError, match=r"queue\.json: it does not say when it was printed: give --at"
        ):
            read_queues_at(path)
    path.write_text(SQUEUE)
    for written in (1000, 2000):
        os.utime(path, (written, written))
        (state,) = read_queues_at(path, PrintTime(TEN, TEN + 3600))
        assert (state.time, state.clock, state.dated) == (TEN + 3600, TEN + 3600, False)
    path.write_text(json.dumps(SQUEUE_JSON))
    (dated,) = read_queues_at(path)
    (given,) = read_queues_at(path, PrintTime(TEN, TEN))
    assert (dated.time, given.time, given.clock, dated.dated) == (1600, 1600, None, True)
    assert given.notes[-1] == "the print says when it was made: the time that was given is not used"
    path.write_text("hello")
    with pytest.raises(InputError, match=r"queue\.json: 'hello' begins no queue"):
        read_queues_at(path)


def test_what_comes_through_a_pipe_is_of_now() -> None:
    read, write = os.pipe()
    try:
        os.write(write, SQUEUE.encode())
        os.close(write)
        (state,) = read_queues_at(Path(f"/dev/fd/{read}"))
    finally:
        os.close(read)
    assert state.time == pytest.approx(time.time(), abs=30)


def test_times_that_are_given() -> None:
    assert print_time_of("2026-11-29T10:00", "UTC") == (TEN, TEN)
    assert print_time_of("2026-11-29 11:00", "Europe/Prague") == (TEN, TEN + 3600)
    assert print_time_of("2026-11-29T12:00+02:00") == (TEN, TEN + 7200)
    assert print_time_of("2026-11-29T10:00Z", "Europe/Prague") == (TEN, TEN + 3600)
    assert print_time_of(str(TEN), "Asia/Tokyo") == (TEN, TEN + 9 * 3600)
    for odd in ("", "noon", "9" * 30, "1960-01-01", "-5", "²"):
        with pytest.raises(InputError):
            print_time_of(odd, "UTC")
    with pytest.raises(InputError, match="no time zone"):
        print_time_of("2026-11-29", "Nowhere/Here")


def test_a_given_time_is_the_clock_of_reservations() -> None:
    (state,) = read_queues('{"jobs": []}', print_time_of("2026-11-29T11:00", "Europe/Prague"))
    assert (state.time, clock_of(state, "Asia/Tokyo")) == (TEN, TEN + 3600)


def test_a_compressed_print_is_read_as_a_log_is(tmp_path: Path) -> None:
    packed = tmp_path / "squeue.txt.gz"
    packed.write_bytes(gzip.compress(f"{TABLE}{ROW.format(7)}".encode()))
    assert _ids(read_queues_at(packed, PrintTime(5))) == {"": ["7"]}
    packed.write_bytes(gzip.compress(b"JOBID\n\xff\n"))
    with pytest.raises(InputError, match=r"squeue\.txt\.gz:2: this is not UTF-8 text"):
        read_queues_at(packed, PrintTime(5))
