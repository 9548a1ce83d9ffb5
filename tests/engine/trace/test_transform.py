import pytest

from engine.errors import InputError
from engine.trace.transform import select
from tests.traces import make_trace

TRACE = make_trace(
    [0, 10, 10, 20, 30, 40],
    [5] * 6,
    user=["anna", "ben", "-1", "anna", "carl", "ben"],
    queue=["short", "long", "long", "short", "short", "long"],
)


def chosen(**conditions: object) -> list[int]:
    return select(TRACE, **conditions).job_id.tolist()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("conditions", "jobs"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"jobs": (1, 3)}, [2, 3]),
        ({"jobs": (None, 2)}, [1, 2]),
        ({"jobs": (4, None)}, [5, 6]),
        ({"jobs": (4, 1000)}, [5, 6]),
        ({"jobs": slice(-2, None)}, [5, 6]),
        ({"jobs": slice(0, 6, 2)}, [1, 3, 5]),
        ({"start": 10}, [2, 3, 4, 5, 6]),
        ({"end": 10}, [1]),
        ({"start": 10, "end": 30}, [2, 3, 4]),
        ({"users": ["anna"]}, [1, 4]),
        ({"users": ["anna", "carl"]}, [1, 4, 5]),
        ({"users": ["-anna"]}, [2, 3, 5, 6]),
        ({"users": ["-anna", "-ben"]}, [3, 5]),
        ({"users": ["anna", "ben", "-ben"]}, [1, 4]),
        ({"users": ["-1"]}, [3]),
        ({"users": ["--1"]}, [1, 2, 4, 5, 6]),
        ({"queues": ["-long"]}, [1, 4, 5]),
        ({"jobs": (1, 6), "start": 20, "users": ["anna", "ben"], "queues": ["short"]}, [4]),
    ],
)
def test_every_condition_holds(conditions, jobs):
    assert chosen(**conditions) == jobs


def test_a_leading_minus_leaves_out_even_where_a_name_begins_with_one():
    trace = make_trace([0, 1, 2], [1] * 3, user=["1", "-1", "2"])
    assert select(trace, users=["-1"]).job_id.tolist() == [2, 3]
    assert select(trace, users=["--1"]).job_id.tolist() == [1, 3]


def test_all_columns_follow():
    part = select(TRACE, users=["ben"])
    assert part.submit.tolist() == [10, 40]
    assert [part.user.names[code] for code in part.user.codes] == ["ben", "ben"]
    assert part.tasks.offset.tolist() == [0, 1, 2]
    assert (part.zero, part.cluster, part.name) == (TRACE.zero, TRACE.cluster, TRACE.name)


@pytest.mark.parametrize(
    ("conditions", "says"),
    [
        ({"users": ["ana"]}, "there is no user 'ana'; did you mean 'anna'"),
        ({"users": ["-bem"]}, "there is no user 'bem'; did you mean 'ben'"),
        ({"queues": ["lang"]}, "there is no queue 'lang'; did you mean 'long'"),
        ({"users": [""]}, "there is no user ''"),
        ({"jobs": (6, 9)}, "none of the 6 jobs"),
        ({"jobs": (3, 3)}, "none of the 6 jobs"),
        ({"start": 41}, "none of the 6 jobs"),
        ({"users": ["carl"], "queues": ["long"]}, "none of the 6 jobs"),
    ],
)
def test_what_cannot_be_selected(conditions, says):
    with pytest.raises(InputError, match=says):
        chosen(**conditions)
