"""How filters are read and spelled."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.filter import FIELDS, FilterError, parse_filter
from engine.filter.parse import DEEPEST, LONGEST
from tests.engine.filter.sentences import sentences


def refusal(text: str) -> FilterError | None:
    try:
        parse_filter(text)
    except FilterError as error:
        return error
    return None


@given(sentences())
def test_a_spelling_is_read_back(text: str) -> None:
    expression = parse_filter(text)
    spelled = str(expression)
    assert parse_filter(spelled) == expression
    assert str(parse_filter(spelled)) == spelled


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("USER in(12,62)AND procs>=64", "user in (12, 62) and procs >= 64"),
        ("wait > 120m and wait<=90", "wait > 2h and wait <= 90"),
        ("prediction_error < -120m", "prediction_error < -2h"),
        ("user = a or user = b and not (queue = q or procs == 4)",
         "user = a or user = b and not (queue = q or procs = 4)"),
        ("((user = a and procs = 1) and procs = 2)", "user = a and procs = 1 and procs = 2"),
        ("user not in (a) and not not user = b", "not user in (a) and not not user = b"),
        ("ram > 1024m or ram = 100k or ram = 0m", "ram > 1g or ram = 100k or ram = 0k"),
        ("slowdown > 1.50 or slowdown < 3", "slowdown > 1.5 or slowdown < 3"),
        ("submit < 2013-02-01T00:00 and start >= 2013-02-01T14:30:05 and end < 2d",
         "submit < 2013-02-01 and start >= 2013-02-01T14:30:05 and end < 2d"),
        ("user = 'and' or user = 'J. Doe' or user = 'say \"hi\"' or user = -1",
         'user = "and" or user = "J. Doe" or user = "say ""hi""" or user = -1'),
        ("queue ~ q_* and job = 12.server", "queue ~ q_* and job = 12.server"),
        ("cpu_efficiency < 50 or walltime_used > 99.50%", "cpu_efficiency < 50% or walltime_used > 99.5%"),
        ("energy > 3600kj or energy < 1500 or energy = 2MJ or energy = 0.5kWh or energy = 0",
         "energy > 1kWh or energy < 1500J or energy = 2MJ or energy = 1800kJ or energy = 0J"),
        ("cpu_used > 100h and ram_used >= 1024m and ram_basis = bound",
         "cpu_used > 100h and ram_used >= 1g and ram_basis = bound"),
    ],
)  # fmt: skip
def test_canonical_spellings(text: str, spelled: str) -> None:
    assert str(parse_filter(text)) == spelled


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "expected a field, like user or procs, found the end"),
        ("proc > 3", 0, "there is no field 'proc'; did you mean 'procs'?"),
        ("procs > 3 and wiat > 2h", 14, "there is no field 'wiat'; did you mean 'wait'?"),
        ("procs > many", 8, "procs: 'many' is not a whole number"),
        ("user < 3", 5, "user goes with = != ~ in, not with <"),
        ("procs ~ 3", 6, "procs goes with = != < <= > >= in, not with ~"),
        ("wait > 2x", 7, "wait: cannot read the duration '2x'; spell it like 90, 30m, 2h or 3d"),
        ("ram > 4", 6, "ram: cannot read the amount '4'; spell it like 512m or 4g"),
        ("submit > 2013-02-30", 9, "submit: there is no date '2013-02-30'"),
        ("submit > 2013-02-01T10:00+01:00", 9, "the log's own"),
        ("submit > 9999-12-31", 9, "years go from 1900 to 2200"),
        ("submit > soon", 9, "cannot read the time 'soon'"),
        ("cpu_efficiency > half", 17, "cpu_efficiency: 'half' is not a percentage like 50%"),
        ("energy > 5kW", 9, "energy: cannot read the energy '5kW'; spell it like 300kJ or 5kWh"),
        ("slowdown > 1e3", 11, "slowdown: '1e3' is not a number like 1.5"),
        ("(user = a", 0, "a '(' without a ')'"),
        ("user = a)", 8, "a ')' without a '('"),
        ("user = a an user = b", 9, "expected 'and' or 'or', found 'an'; did you mean 'and'?"),
        ("procs >", 7, "expected a value like 64 of procs, found the end"),
        ("procs", 5, "expected one of = != < <= > >= in after procs, found the end"),
        ("user in a", 8, "expected '(' after in, found 'a'"),
        ("user in (a b)", 11, "expected ',' or ')', found 'b'"),
        ("user in ()", 9, "expected a value of user, found ')'"),
        ("user = 'a", 7, "a quote that does not end"),
        ("user ! a", 5, "an unexpected '!'"),
        ("and user = a", 0, "expected a field, like user or procs, found 'and'"),
        ("(" * 99 + "user = a" + ")" * 99, DEEPEST + 1, "brackets inside one another"),
        ("not " * 99 + "user = a", 4 * DEEPEST + 4, "brackets inside one another"),
        ("user = " + "a" * LONGEST, LONGEST, "at most 4,000 characters"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(text: str, position: int, message: str) -> None:
    error = refusal(text)
    assert error is not None
    assert message in str(error)
    assert error.position == position


@given(st.text(max_size=40))
@example("user = a" + "\0")
@example("((((")
def test_any_text_is_read_or_refused_with_a_place_in_it(text: str) -> None:
    error = refusal(text)
    assert error is None or 0 <= error.position <= len(text)


def test_every_field_says_what_it_is_and_reads_its_own_example() -> None:
    for field in FIELDS.values():
        assert field.help
        spelled = f"{field.name} = {field.kind.example}"
        assert str(parse_filter(spelled)) == spelled
