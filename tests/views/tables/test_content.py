"""Which items stand in the rows of a table, and in which order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.filter import parse_filter
from tests.traces import make_names, make_trace
from tests.views.results import make_result
from views.state.filter import Filter
from views.tables.content import Content, Sorting, TableColumn, arrange, name_column
from views.tables.groups_table import group_content
from views.tables.jobs_table import job_content
from views.work.lazy import LazyValue


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.sampled_from(["a2", "a10", "B"]))),
    st.sampled_from(["", "number", "name", "gone"]),
    st.booleans(),
    st.booleans(),
)
def test_rows_are_sorted_like_a_list(
    items: list[tuple[int | None, str]], key: str, descending: bool, searched: bool
) -> None:
    numbers = np.array([np.nan if number is None else number for number, _ in items], float)
    columns = (
        TableColumn("number", "", "", LazyValue(lambda: numbers)),
        name_column("name", "", "", make_names([name for _, name in items])),
    )
    rows = np.arange(len(items))[::-1]
    content = Content(columns, rows, len(items), str, lambda _: numbers > 2)
    found = arrange(content, Sorting(key, None, descending, " x " if searched else " "))

    wanted = [int(row) for row in rows if not searched or (items[row][0] or 0) > 2]
    sign = -1 if descending else 1
    if key == "number":
        wanted.sort(key=lambda item: (items[item][0] is None, sign * (items[item][0] or 0)))
    elif key == "name":
        wanted.sort(key=lambda item: sign * ["a2", "a10", "B"].index(items[item][1]))
    assert found.tolist() == wanted


TRACE = make_trace(
    submit=[0, 10, 20, 30],
    runtime=[100, 200, 300, 400],
    procs=[1, 2, 3, 4],
    user=["u10", "u2", "u10", "u1"],
    queue=["long", "short", "long", "long"],
    ram=[512, -1, 2048, 1024],
)
RESULTS = [make_result(TRACE, [0, 10, 20, 130], 1, "easy"), make_result(TRACE, [0, 70, 20, -1], 2, "fcfs")]


def column(content: Content, key: str, run_id: int | None = None) -> TableColumn:
    (found,) = (c for c in content.columns if c.key == key and (c.run.run_id if c.run else None) == run_id)
    return found


def under(text: str, hides: bool = True) -> Filter:
    return Filter(parse_filter(text), hides)


def test_users_stand_in_natural_order_with_their_part_of_the_jobs() -> None:
    content = group_content("user", TRACE, RESULTS, Filter())
    assert [content.name(row) for row in content.rows] == ["u1", "u2", "u10"]
    assert [column(content, "jobs").format(row) for row in content.rows] == ["1", "1", "2"]
    assert [column(content, "area").format(row) for row in content.rows] == ["53.3 %", "13.3 %", "33.3 %"]
    assert [column(content, "wait_mean", 1).format(row) for row in content.rows] == [
        "1 min 40 s",
        "0 s",
        "0 s",
    ]
    assert [column(content, "wait_mean", 2).format(row) for row in content.rows] == ["–", "1 min", "0 s"]
    assert content.find("U1").tolist() == [True, False, True]
    assert content.total == 3


def test_queues_are_measured_like_users() -> None:
    content = group_content("queue", TRACE, RESULTS, Filter())
    assert [content.name(row) for row in content.rows] == ["long", "short"]
    assert column(content, "wait_mean", 1).plain(0) == repr(100 / 3)[:16]
    assert column(content, "veet", 1).format(0) == "0 %"


def test_a_filter_leaves_some_users_or_draws_the_others_back() -> None:
    content = group_content("user", TRACE, RESULTS, under("procs > 2"))
    assert [content.name(row) for row in content.rows] == ["u1", "u10"]
    assert [column(content, "jobs").format(row) for row in content.rows] == ["1", "1"]
    assert (content.total, content.faint) == (3, None)
    content = group_content("user", TRACE, RESULTS, under("procs > 2", hides=False))
    assert content.faint is not None
    assert [bool(content.faint[row]) for row in content.rows] == [False, True, False]
    content = group_content("user", TRACE, RESULTS, under("wait > 0"))  # in one of the runs
    assert [content.name(row) for row in content.rows] == ["u1", "u2"]
    assert not len(group_content("user", TRACE, [], under("wait > 0")).rows)


def test_jobs_under_a_run() -> None:
    content = job_content(TRACE, RESULTS[1], Filter())
    assert [content.name(row) for row in content.rows] == ["1", "2", "3", "4"]
    values = {c.key: [c.format(row) for row in content.rows] for c in content.columns}
    assert values["user"] == ["u10", "u2", "u10", "u1"]
    assert values["procs"] == ["1", "2", "3", "4"]
    assert values["ram"] == ["512 MiB", "–", "2 GiB", "1 GiB"]
    assert values["wait"] == ["0 s", "1 min", "0 s", "–"]
    assert values["end"][3] == "–"
    assert [column(content, "wait").plain(row) for row in content.rows] == ["0", "60", "0", ""]
    assert column(content, "wait").share(1) == 1.0
    assert column(content, "wait").share(3) is None
    assert column(content, "start").format_exactly(1) == "70 s from the log's zero"


def test_jobs_of_the_log_alone_have_no_columns_of_a_run() -> None:
    keys = [c.key for c in job_content(TRACE, None, Filter()).columns]
    assert "submit" in keys
    assert not {"start", "wait", "late"} & set(keys)
    unjudged = make_result(TRACE, [0, 10, 20, 30], grace=None)
    assert "late" not in [c.key for c in job_content(TRACE, unjudged, Filter()).columns]


def test_jobs_that_a_filter_leaves_match_in_the_run_that_is_shown() -> None:
    assert job_content(TRACE, RESULTS[0], under("wait > 0")).rows.tolist() == [3]
    assert job_content(TRACE, RESULTS[1], under("wait > 0")).rows.tolist() == [1]
    faint = job_content(TRACE, RESULTS[1], under("wait > 0", hides=False)).faint
    assert faint is not None
    assert faint.tolist() == [True, False, True, True]


def test_jobs_are_found_by_how_their_number_begins() -> None:
    trace = make_trace(np.zeros(200, int), np.ones(200, int))
    found = np.flatnonzero(job_content(trace, None, Filter()).find("12")) + 1
    assert found.tolist() == [12, *range(120, 130)]
    assert not job_content(trace, None, Filter()).find("x").any()
    words = type(trace)(**{**vars(trace), "job_id": np.array([f"{k}.host" for k in range(200)])})
    assert np.flatnonzero(job_content(words, None, Filter()).find("7.h")).tolist() == [*range(7, 200, 10)]
