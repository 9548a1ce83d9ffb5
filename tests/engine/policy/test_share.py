from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import UNLIMITED, Cluster, parse_cluster
from engine.policy.share import fair_fraction, parse_share
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import Trace
from tests.engine.fairness import naive
from tests.traces import make_schedule, make_trace


def two_users() -> Trace:
    """alice is in the system over [0, 10) and [8, 20), bob over [5, 15)."""
    return make_trace([0, 5, 8], [10, 10, 12], [1, 2, 3], user=["alice", "bob", "alice"], ram=[512, 512, -1])


def at_once(trace: Trace) -> Schedule:
    return make_schedule(trace, trace.submit)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("fair", "fair"),
        (" Fair ", "fair"),
        ("1/10", "1/10"),
        ("2/20", "1/10"),
        ("1/1", "1/1"),
        ("64c", "64c"),
        ("64C262144m", "64c256g"),
        ("3c1500m", "3c1500m"),
    ],
)
def test_spelling_round_trips(text: str, spelling: str) -> None:
    share = parse_share(text)
    assert share.spelling == str(share) == spelling
    assert parse_share(spelling) == share


@pytest.mark.parametrize(
    ("text", "spelling", "half_life", "gap"),
    [
        ("fair:share_decay=3d", "fair:share_decay=3d", 3 * 86_400, None),
        ("1/10:batches=600", "1/10:batches=10m", None, 600),
        ("64c256g:batches=0,share_decay=90", "64c256g:share_decay=90,batches=0", 90, 0),
        ("fair:exact_last=on,batches=60", "fair:batches=1m,exact_last=on", None, 60),
        ("1/2:exact_last=off", "1/2", None, None),
        (" fair : share_decay = 60m , batches = 1h ", "fair:share_decay=1h,batches=1h", 3600, 3600),
    ],
)
def test_what_else_shapes_expectations_round_trips(
    text: str, spelling: str, half_life: int | None, gap: int | None
) -> None:
    share = parse_share(text)
    assert (share.half_life, share.gap) == (half_life, gap)
    assert share.exact_last == ("exact_last=on" in text)
    assert share.spelling == str(share) == spelling
    assert parse_share(spelling) == share
    plain = parse_share(spelling.partition(":")[0])
    assert (plain.portion, plain.half_life, plain.gap) == (share.portion, None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fair:decay=3d", "unknown key 'decay'; there are share_decay, batches and exact_last"),
        ("fair:exact_last=1", "exact_last is on or off"),
        ("fair:share_decay=3x", "cannot read the duration '3x'"),
        ("fair:share_decay=0", "at least 1 second"),
        ("fair:batches=", "cannot read the duration ''"),
        ("fair:batches=1m,batches=2m", "gives batches twice"),
        ("lots:batches=1m", "cannot read the share 'lots'"),
        ("fair:", "cannot read the share 'fair:'"),
    ],
)
def test_other_keys_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match="share") as caught:
        parse_share(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "half", "0/5", "7/5", "1/0", "64", "64x", "0c", "4x64c", "8c0gpu", "-1/2"]
)
def test_other_spellings_are_named(text: str) -> None:
    with pytest.raises(InputError, match=r"share"):
        parse_share(text)


def test_an_amount_is_the_same_for_all() -> None:
    trace = two_users()
    assert parse_share("64c").capacity(trace, trace.cluster, at_once(trace)).tolist() == [[64], [64]]
    both = parse_share("64c1g").capacity(trace, trace.cluster, at_once(trace))
    assert both.tolist() == [[64, 1024], [64, 1024]]


def test_a_fraction_rounds_down_but_leaves_one() -> None:
    trace = two_users()
    share = parse_share("1/30")
    assert share.capacity(trace, Cluster.pool(100), at_once(trace)).tolist() == [[3], [3]]
    assert share.capacity(trace, Cluster.pool(10), at_once(trace)).tolist() == [[1], [1]]


def test_ram_is_expected_where_the_machine_has_it_and_jobs_ask_for_it() -> None:
    trace = two_users()
    machine = parse_cluster("4x25c3g")
    assert parse_share("1/2").capacity(trace, machine, at_once(trace)).tolist() == [[50, 6144]] * 2
    without = make_trace([0], [1])
    assert parse_share("1/2").capacity(without, machine, at_once(without)).tolist() == [[50]]


def test_fair_divides_by_the_mean_number_of_users() -> None:
    trace = two_users()
    # alice is there all 20 s, bob 10 s: 1.5 users on average.
    assert fair_fraction(at_once(trace)) == Fraction(20, 30)
    assert parse_share("fair").capacity(trace, Cluster.pool(100), at_once(trace)).tolist() == [[66], [66]]


def test_jobs_that_were_not_run_keep_nobody_in_the_system() -> None:
    trace = two_users()
    assert fair_fraction(make_schedule(trace, [0, NOT_RUN, 8])) == 1
    assert fair_fraction(make_schedule(trace, [NOT_RUN] * 3)) == 1
    empty = make_trace([], [])
    assert fair_fraction(make_schedule(empty, [])) == 1


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 20), st.integers(1, 20)),
        min_size=1,
        max_size=12,
    )
)
def test_mean_users_as_second_by_second(rows: list[tuple[int, int, int, int]]) -> None:
    rows.sort(key=lambda row: row[1])
    users, submits, waits, runtimes = (list(column) for column in zip(*rows, strict=True))
    trace = make_trace(submits, runtimes, user=users)
    schedule = make_schedule(trace, [s + q for s, q in zip(submits, waits, strict=True)])
    mean = naive.mean_users_in_system(users, submits, schedule.end.tolist())
    assert float(1 / fair_fraction(schedule)) == pytest.approx(mean)


def write(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return str(path)


def test_a_file_gives_users_their_own(tmp_path: Path) -> None:
    trace = make_trace([0] * 3, [9] * 3, user=["alice", "bob", "carol"], ram=[1, 1, 1])
    path = write(tmp_path / "users.csv", "user,share\nalice,64c2g\n\nbob , 1/4\ndave,1c\n")
    share = parse_share(path)
    assert share.spelling == path
    assert parse_share(share.spelling) == share
    assert parse_share(f"{path}:batches=5m").spelling == f"{path}:batches=5m"
    # carol is not listed: a fair share, of three users. The machine's RAM is not known.
    capacity = share.capacity(trace, Cluster.pool(100), at_once(trace))
    assert capacity.tolist() == [[64, 2048], [25, UNLIMITED], [33, UNLIMITED]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"users\.csv:1: expected the columns user,share"),
        ("name,share\n", r"users\.csv:1: expected the columns"),
        ("user,share\nalice,64c\nbob\n", r"users\.csv:3: expected user,share"),
        ("user,share\nalice,lots\n", r"users\.csv:2: cannot read the share 'lots'"),
        ("user,share\nalice,1c\nalice,2c\n", r"users\.csv:3: user alice is listed twice"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_share(write(tmp_path / "users.csv", text))


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        parse_share(str(tmp_path / "none.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv: this is a directory"):
        parse_share(str(tmp_path / "folder.csv"))
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary\.csv:1: this is not UTF-8 text"):
        parse_share(str(tmp_path / "binary.csv"))
    with pytest.raises(InputError, match="File name too long"):
        parse_share(f"{'a' * 300}.csv")


@pytest.mark.parametrize(
    ("rows", "line"),
    [('"a,b",1c\n', 2), ('"a\nb",1c\n', 2), ('c,1c\n"a\x1b",1c\n', 3), ('"c",1c\n"\nc",1c\n', 3)],
)
def test_a_name_that_no_user_has_is_reported_with_its_line(tmp_path: Path, rows: str, line: int) -> None:
    with pytest.raises(InputError, match=rf"users\.csv:{line}: ") as caught:
        parse_share(write(tmp_path / "users.csv", f"user,share\n{rows}"))
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_of_other_users_is_an_error(tmp_path: Path) -> None:
    trace = two_users()
    share = parse_share(write(tmp_path / "users.csv", "user,share\ndave,1c\n"))
    with pytest.raises(InputError, match="none of its users"):
        share.capacity(trace, trace.cluster, at_once(trace))
