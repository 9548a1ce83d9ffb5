import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.traces import make_trace
from views.state.selection import Selection, SelectionModel

TRACE = make_trace(
    [0, 10, 20, 30, 40],
    [5] * 5,
    user=["ann", "bob", "ann", "cat", "bob"],
    queue=["short", "short", "long", "long", "long"],
)
ANN, BOB, CAT = 0, 1, 2


@pytest.fixture
def model(qtbot: QtBot) -> SelectionModel:
    return SelectionModel()


def picked(selection: Selection) -> list[int]:
    mask = selection.mask(TRACE)
    assert mask is not None
    return [int(j) for j in np.flatnonzero(mask)]


def test_nothing_is_picked_at_first(model: SelectionModel) -> None:
    assert model.value.empty
    assert model.value.mask(TRACE) is None


@pytest.mark.parametrize(
    ("selection", "jobs"),
    [
        (Selection(users=frozenset({ANN})), [0, 2]),
        (Selection(users=frozenset({ANN, BOB})), [0, 1, 2, 4]),
        (Selection(queues=frozenset({1})), [2, 3, 4]),
        (Selection(users=frozenset({BOB}), queues=frozenset({1})), [4]),
        (Selection(time_range=(10, 30)), [1, 2, 3]),
        (Selection(users=frozenset({BOB}), time_range=(0, 10)), [1]),
        (Selection(jobs=frozenset({3}), users=frozenset({CAT})), [3]),
        (Selection(jobs=frozenset({0}), users=frozenset({ANN})), [0]),
        (Selection(jobs=frozenset({99})), []),
        (Selection(users=frozenset({99})), []),
    ],
)
def test_which_jobs_are_picked(selection: Selection, jobs: list[int]) -> None:
    assert picked(selection) == jobs


def test_a_job_brings_its_user(model: SelectionModel) -> None:
    model.select_job(TRACE, 2)
    assert model.value == Selection(jobs=frozenset({2}), users=frozenset({ANN}))
    model.select_job(TRACE, 3, toggle=True)
    assert model.value.users == {ANN, CAT}
    model.select_job(TRACE, 2, toggle=True)
    assert model.value == Selection(jobs=frozenset({3}), users=frozenset({CAT}))


def test_a_user_replaces_a_job(model: SelectionModel) -> None:
    model.select_job(TRACE, 2)
    model.select_user(BOB)
    assert model.value == Selection(users=frozenset({BOB}))
    model.select_user(CAT, toggle=True)
    assert model.value.users == {BOB, CAT}
    model.select_user(BOB, toggle=True)
    assert model.value.users == {CAT}


def test_a_range_stays_when_a_user_is_picked(model: SelectionModel) -> None:
    model.select_time_range(30, 10)
    model.select_user(BOB)
    assert model.value == Selection(users=frozenset({BOB}), time_range=(10, 30))
    assert model.value.without_time == Selection(users=frozenset({BOB}))


def test_only_real_changes_are_reported(model: SelectionModel) -> None:
    seen: list[Selection] = []
    model.changed.connect(lambda: seen.append(model.value))
    model.clear()
    model.select_user(BOB)
    model.select_user(BOB)
    model.clear()
    assert [s.users for s in seen] == [{BOB}, frozenset()]


def test_back_and_forward(model: SelectionModel) -> None:
    model.select_user(ANN)
    model.select_queue(1)
    model.back()
    assert model.value == Selection(users=frozenset({ANN}))
    model.forward()
    assert model.value == Selection(queues=frozenset({1}))
    model.back()
    model.back()
    assert model.value.empty
    model.back()
    assert model.value.empty


def test_another_trace_forgets_all(model: SelectionModel) -> None:
    model.select_user(ANN)
    model.reset()
    assert model.value.empty
    model.back()
    assert model.value.empty
