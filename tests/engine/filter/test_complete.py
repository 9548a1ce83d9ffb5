"""The completions offered while a filter is typed."""

from dataclasses import replace

import numpy as np
import pytest

from engine.filter import FIELDS, parse_filter
from engine.filter.complete import complete, unknown_names
from engine.quantities import offered
from tests.traces import make_trace

TRACE = make_trace([0, 1, 2], [1, 1, 1], user=["alice", "bob", "J. Doe"], queue=["long", "short", "long"])


@pytest.mark.parametrize(
    ("before", "start", "words"),
    [
        ("", 0, [*offered("filter", TRACE), "not"]),
        ("wai", 0, ["wait"]),
        ("time", 0, ["walltime", "runtime", "walltime_used"]),
        ("user", 0, ["user"]),
        ("user ", 5, ["=", "!=", "~", "in"]),
        ("procs ", 6, ["=", "!=", "<", "<=", ">", ">=", "in"]),
        ("user = ", 7, ["alice", "bob", '"J. Doe"']),
        ("user=b", 5, ["bob"]),
        ("user = 'J", 7, ['"J. Doe"']),
        ("user in (", 9, ["alice", "bob", '"J. Doe"']),
        ("user not in (bob, a", 18, ["alice"]),
        ("user in (bob ", 13, []),
        ("user in (bob) ", 14, ["and", "or"]),
        ("user = bob a", 11, ["and"]),
        ("user = bob and not (qu", 20, ["queue"]),
        ("(user = bob) and queue = l", 25, ["long"]),
        ("wait > ", 7, ["2h"]),
        ("job = ", 6, []),
        ("nobody = ", 9, []),
        ("user ! b", 7, []),
    ],
)
def test_what_may_stand_there(before: str, start: int, words: list[str]) -> None:
    found = complete(before, TRACE)
    assert [offer.word for offer in found.offers] == words
    assert found.start == start


def test_what_jobs_used_is_offered_where_the_log_tells_it() -> None:
    found = replace(TRACE, energy=np.array([1, 2, 3]))
    assert [offer.word for offer in complete("energ", TRACE).offers] == []
    assert [offer.word for offer in complete("energ", found).offers] == ["energy"]
    assert [offer.word for offer in complete("energ").offers] == ["energy", "energy_cost", "run_energy"]
    assert [offer.word for offer in complete("energy > ", found).offers] == ["5kWh"]
    assert set(offered("filter", found)) < set(FIELDS)


def test_fields_and_operators_say_what_they_are() -> None:
    assert all(offer.help for offer in complete("").offers)
    assert all(offer.help for offer in complete("wait ").offers)
    assert [offer.word for offer in complete("user = ").offers] == []  # no trace, no names


def test_names_that_nobody_has() -> None:
    expression = parse_filter("user in (alcie, bob) and not queue = q and user ~ x and job = 77")
    assert unknown_names(expression, TRACE) == ["no user 'alcie'; did you mean 'alice'?", "no queue 'q'"]


def test_a_text_that_is_no_filter_any_more_is_not_searched() -> None:
    assert complete('"' * 1_000_000).offers == ()
