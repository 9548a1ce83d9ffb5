import pytest

from engine.errors import InputError
from engine.machine.outages import Outages
from tests.engine.logs.lines import counts, line, read_lines, where, write_log

MACHINES = "0\tzewura\t2\t80\t1\t529426432\n1\tzegox\t3\t12\t1\t94035968\n"
JOBS = (line(submit=100), line(submit=900))


def read(folder, text, *, machines=MACHINES, beside=True, header=()):
    if machines:
        (folder / "log.swf.machines").write_text(machines)
    path = folder / ("log.swf.failures" if beside else "elsewhere.txt")
    path.write_text(text)
    return read_lines(folder, *header, *JOBS, **({} if beside else {"failures": path}))


def rows(trace):
    table = trace.cluster.failures
    assert isinstance(table, Outages)
    return list(zip(table.node.tolist(), table.start.tolist(), table.end.tolist(), strict=True))


@pytest.mark.parametrize("beside", [True, False])
def test_each_node_of_a_line_is_down_for_its_time(tmp_path, beside):
    text = "# a comment\n\n200\tzegox\t50\t0 2\n120 zewura 10 1\n230\tzegox\t100\t2\n"
    trace = read(tmp_path, text, beside=beside)
    assert rows(trace) == [(1, 120, 130), (2, 200, 250), (4, 200, 330)]
    assert trace.cluster.spelling == "2x80c517018m+3x12c91832m~log"
    assert not [rule for rule in counts(trace) if rule.startswith("failures")]


def test_a_line_without_nodes_is_of_the_whole_group(tmp_path):
    assert rows(read(tmp_path, "200 zegox 50\n")) == [(node, 200, 250) for node in (2, 3, 4)]


def test_unix_times_count_from_the_log_s_zero(tmp_path):
    trace = read(tmp_path, "1230768300 zewura 60 0\n", header=["; UnixStartTime: 1230768000"])
    assert rows(trace) == [(0, 300, 360)]


def test_what_means_nothing_is_counted_with_its_lines(tmp_path):
    text = (
        "200 zewura 50 0\n"
        "200 nowhere 50 0\n"
        "200 zewura 50 2\n"
        "200 zewura 50 -1\n"
        "200 zewura\n"
        "200 zewura 0 1\n"
        "x zewura 50 1\n"
        "99999999999999 zewura 50 1\n"
        "5000 zewura 50 1\n"
    )
    trace = read(tmp_path, text)
    assert where(trace, "failures_unknown") == (3, (2, 3, 4))
    assert where(trace, "failures_unreadable") == (4, (5, 6, 7, 8))
    assert where(trace, "failures_outside") == (1, (9,))
    assert rows(trace) == [(0, 200, 250), (1, 5000, 5050)]


def test_a_file_without_a_failure_says_so(tmp_path):
    with pytest.raises(InputError) as caught:
        read(tmp_path, "# nothing\n200 nowhere 50 0\n")
    assert str(caught.value) == (
        f"{tmp_path / 'log.swf.failures'}:2: no failure here: expected 'time group seconds node node ...' "
        "of zewura, zegox"
    )


def test_on_a_pool_a_file_beside_the_log_is_noted_and_one_that_is_asked_for_refused(tmp_path):
    trace = read(tmp_path, "200 zewura 50 0\n", machines="")
    assert trace.cluster.pooled
    assert where(trace, "failures_of_pool") == (1, ())
    with pytest.raises(InputError, match="failures need nodes, and the machine is a pool, 1c"):
        read(tmp_path, "200 zewura 50 0\n", machines="", beside=False)


def test_a_file_that_is_not_there_is_named(tmp_path):
    (tmp_path / "log.swf.machines").write_text(MACHINES)
    write_log(tmp_path / "log.swf", *JOBS)
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        read_lines(tmp_path, *JOBS, failures=tmp_path / "none.txt")
