import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.machine.outages import NO_OUTAGES, Failures, Outages, parse_failures

YEAR = 365 * 86_400

spans = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 6)), max_size=20)
failures = st.builds(
    Failures,
    st.integers(1, 10**9),
    st.integers(1, 10**9),
    st.integers(0, 2**32 - 1),
    st.integers(100_000, 10_000_000).map(lambda millionths: millionths / 1_000_000),
)


def merged(rows: list[tuple[int, int, int]]) -> Outages:
    node, start, length = np.array(rows, np.int64).reshape(-1, 3).T
    return Outages.merged(node, start, start + length)


@given(spans)
def test_merged_outages_cover_the_same_seconds_and_never_touch(rows):
    table = merged(rows)
    wanted = {(node, second) for node, start, length in rows for second in range(start, start + length)}
    parts = [(n, range(b, e)) for n, b, e in zip(table.node, table.start, table.end, strict=True)]
    assert {(node, second) for node, seconds in parts for second in seconds} == wanted
    assert all(seconds and (node, seconds.stop) not in wanted for node, seconds in parts)
    assert all((node, seconds.start - 1) not in wanted for node, seconds in parts)
    assert sorted((s.start, n) for n, s in parts) == [(s.start, n) for n, s in parts]


@given(spans, st.integers(-1, 40))
def test_what_is_down_at_a_time(rows, time):
    down = {node for node, start, length in rows if start <= time < start + length}
    assert merged(rows).down_at(time).tolist() == sorted(down)


@given(spans, st.integers(0, 20), st.integers(0, 20))
def test_what_of_them_lies_in_a_span(rows, begin, length):
    clipped = merged(rows).clipped(begin, begin + length)
    seconds = {(n, s) for n, start, lasts in rows for s in range(start, start + lasts)}
    inside = [n for n, s in seconds if begin <= s < begin + length]
    assert clipped.cpu_seconds(np.array([1, 10, 100, 1000])) == sum(10**n for n in inside)
    assert clipped.start.min(initial=begin) >= begin
    assert clipped.end.max(initial=0) <= begin + length


def test_tables_are_equal_when_they_hold_the_same():
    first, same, second = merged([(1, 2, 3)]), merged([(1, 2, 1), (1, 3, 2)]), merged([(1, 2, 4)])
    assert first == same
    assert hash(first) == hash(same)
    assert first != second
    nodes = (NodeGroup(2, 4),)
    assert Cluster(nodes, first) == Cluster(nodes, same) != Cluster(nodes, second)
    assert len({Cluster(nodes), Cluster(nodes, first), Cluster(nodes, same)}) == 2


@given(failures)
def test_failures_round_trip_through_their_spelling(drawn):
    assert parse_failures(drawn.spelling) == drawn
    machine = Cluster((NodeGroup(20, 80, 505 << 10), NodeGroup(48, 12)), drawn)
    assert parse_cluster(machine.spelling) == machine


def test_the_shortest_spelling():
    assert parse_failures("720h/240m/0/1").spelling == "30d/4h"
    assert parse_failures("30d/4h/0/0.70").spelling == "30d/4h/0/0.7"
    assert parse_cluster("20x80c~30d/4h/7").spelling == "20x80c~30d/4h/7"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("4x2c~", "cannot read the failures ''"),
        ("4x2c~30d", "each node|every node fails every 30 days"),
        ("4x2c~30d/4h/x", "cannot read the failures"),
        ("4x2c~30d/4h/1/0.7/2", "cannot read the failures"),
        ("4x2c~30y/4h", "cannot read the duration '30y'"),
        ("4x2c~0/4h", "both times are a second"),
        ("4x2c~30d/4h/9999999999", "a seed 0 to"),
        ("4x2c~30d/4h/1/0.01", "a shape is 0.1 to 10"),
        ("338c~30d/4h", "spell it as nodes, like 338x1c~30d/4h"),
        ("4x2c~log", "the log records no failures"),
    ],
)
def test_what_are_no_failures_is_reported_in_one_line(text, says):
    with pytest.raises(InputError, match=says) as caught:
        parse_cluster(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0])
def test_drawn_failures_have_the_means_and_the_shape_that_are_asked_for(shape):
    day, hour = 86_400, 3600
    table = Failures(30 * day, 4 * hour, 1, shape).draw(100, 0, 20 * YEAR)
    order = np.lexsort((table.start, table.node))
    node, start, end = table.node[order], table.start[order], table.end[order]
    same = node[1:] == node[:-1]
    up = (start[1:] - end[:-1])[same]
    spread = {0.5: np.sqrt(5), 1.0: 1.0, 2.0: 0.5227}[shape]  # of a Weibull time, over its mean
    assert up.mean() == pytest.approx(30 * day, rel=0.05)
    assert up.std() == pytest.approx(spread * 30 * day, rel=0.08)
    assert (end - start).mean() == pytest.approx(4 * hour, rel=0.05)


def test_drawn_failures_are_the_same_each_time_and_node_by_node():
    drawn = Failures(86_400, 3600, 5)
    small, large = drawn.draw(3, 100, 40 * 86_400), Failures(86_400, 3600, 5).draw(9, 100, 40 * 86_400)
    kept = large.node < 3
    assert small == Outages(*(column[kept] for column in (large.node, large.start, large.end)))
    assert small != Failures(86_400, 3600, 6).draw(3, 100, 40 * 86_400)
    assert small.start.min() > 100


def test_too_many_failures_are_refused():
    with pytest.raises(InputError, match="over the limit of 1,000,000; make them rarer"):
        parse_cluster("1000x1c~60/60").outages(np.array([0, YEAR]))


def test_failures_are_drawn_from_the_first_submission_on_well_past_the_last():
    submit = np.array([1000, 1000 + YEAR])
    table = parse_cluster("50x1c~10d/1h").outages(submit)
    assert table.start.min() > 1000
    assert 2 * YEAR < table.start.max() < 2 * YEAR + 31 * 86_400
    assert parse_cluster("50x1c").outages(submit) == NO_OUTAGES
    assert len(parse_cluster("50x1c~10d/1h").outages(submit[:0])) == 0


def test_the_log_s_failures_are_those_of_its_own_nodes():
    own = Cluster((NodeGroup(2, 4, name="a"), NodeGroup(3, 8, name="b")), merged([(4, 10, 5)]))
    assert own.spelling == "2x4c+3x8c~log"
    assert parse_cluster("2x4c+3x8c~log", own) == own
    assert parse_cluster("2x4c+3x8c", own).failures is None
    assert parse_cluster("2x8c+3x4c~log", own).failures == own.failures
    with pytest.raises(InputError, match="failures of other nodes, 2x4c"):
        parse_cluster("2x4c+4x8c~log", own)
