from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.policy import (
    KEYS,
    PRESETS,
    Policy,
    parse_duration,
    parse_policy,
    spell_duration,
    spell_value,
)
from engine.static_order import STATIC_ORDERS

SIMULATED = [name for name in PRESETS if name != "recorded"]
durations = st.integers(1, 10**9)


def values_of(key: str) -> st.SearchStrategy[str]:
    choices = next(entry.choices for entry in KEYS if entry.name == key)
    return st.sampled_from(choices) if choices else st.just("none") | durations.map(spell_duration)


key_mixes = st.fixed_dictionaries({}, optional={key.name: values_of(key.name) for key in KEYS})


@given(st.sampled_from(SIMULATED), key_mixes, st.randoms())
def test_every_mix_of_keys_round_trips_in_any_order(preset: str, values: dict[str, str], random) -> None:
    pairs = [f"{key}={value}" for key, value in values.items()]
    random.shuffle(pairs)
    policy = parse_policy(preset + (":" + ",".join(pairs) if pairs else ""))
    assert parse_policy(policy.spelling) == policy
    assert policy == PRESETS[preset][0].with_keys(**values)
    for key, value in values.items():
        assert spell_value(getattr(policy, key)) == value


@given(st.sampled_from(SIMULATED), key_mixes)
def test_the_spelling_names_what_differs_and_in_the_order_of_the_keys(
    preset: str, values: dict[str, str]
) -> None:
    base = PRESETS[preset][0]
    policy = base.with_keys(**values)
    name, _, rest = policy.spelling.partition(":")
    named = [pair.partition("=")[0] for pair in rest.split(",") if pair]
    assert name == preset
    assert named == [key.name for key in KEYS if getattr(policy, key.name) != getattr(base, key.name)]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_spelled_by_their_name(name: str) -> None:
    policy = parse_policy(name)
    assert policy == PRESETS[name][0]
    assert policy.spelling == str(policy) == name
    assert policy.recorded == (name == "recorded")


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("fcfs", ("fcfs", "stop", "queue")),
        ("aggressive", ("fcfs", "0", "queue")),
        ("easy", ("fcfs", "1", "queue")),
        ("easy-sjbf", ("fcfs", "1", "sjf")),
        ("saf-easy", ("saf", "1", "queue")),
        ("fairshare-fcfs", ("fairshare", "stop", "queue")),
        ("fairshare-easy", ("fairshare", "1", "queue")),
    ],
)
def test_what_presets_are(name: str, keys: tuple[str, str, str]) -> None:
    policy = parse_policy(name)
    assert (policy.order, policy.depth, policy.backfill) == keys
    assert (policy.estimate, policy.ties, policy.placement) == ("requested", "fcfs", "first")
    assert (policy.penalty, policy.half_life, policy.accrue) == ("max", 3 * 86_400, "always")


def test_spaces_and_keys_that_say_nothing_new_do_not_matter() -> None:
    assert parse_policy(" easy: order = saf , depth=1 ").spelling == "easy:order=saf"
    assert parse_policy("easy:") == parse_policy("easy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eazy", "unknown policy 'eazy'; did you mean 'easy'?"),
        ("fairshare", "did you mean 'fairshare-"),
        ("", "unknown policy ''; `batchscope policies` lists them"),
        ("Easy", "unknown policy 'Easy'"),
        ("easy:ordr=saf", "policies have no key 'ordr'; did you mean 'order'?"),
        ("easy:preset=fcfs", "policies have no key 'preset'"),
        ("easy:recorded=1", "policies have no key 'recorded'"),
        ("easy:order=widset", "order cannot be 'widset'; did you mean 'widest'?"),
        ("easy:depth=7", "depth cannot be '7': it is one of stop, 0, 1"),
        ("easy:order=", "order cannot be ''"),
        ("easy:backfill=fairshare", "backfill cannot be 'fairshare'"),
        ("easy:order", "'order' should be key=value"),
        ("easy:order=saf,order=saf", "gives order twice"),
        ("easy:half_life=soon", "cannot read the duration 'soon'"),
        ("easy:half_life=0", "half_life must be longer than 0; `none` turns it off"),
        ("recorded:order=saf", "recorded takes no keys"),
    ],
)
def test_a_wrong_spelling_names_the_nearest_right_one(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(
    st.text(max_size=30)
    | st.sampled_from(list(PRESETS)).flatmap(
        lambda name: st.text(max_size=20).map(lambda rest: f"{name}:{rest}")
    )
)
def test_any_text_is_a_policy_or_an_input_error(text: str) -> None:
    try:
        policy = parse_policy(text)
    except InputError:
        return
    assert parse_policy(policy.spelling) == policy


def test_an_estimate_for_policies_that_name_none() -> None:
    assert parse_policy("easy", "actual").estimate == "actual"
    assert parse_policy("easy:estimate=requested", "actual").estimate == "requested"
    assert parse_policy("recorded", "actual") == parse_policy("recorded")
    with pytest.raises(InputError, match="did you mean 'actual'"):
        parse_policy("easy", "actaul")


def test_recorded_is_not_changed() -> None:
    recorded = parse_policy("recorded")
    assert recorded.with_keys() == recorded
    with pytest.raises(InputError, match="takes no keys"):
        recorded.with_keys(order="saf")


def test_a_policy_is_a_value() -> None:
    easy = parse_policy("easy")
    assert hash(easy) == hash(parse_policy("easy:order=fcfs"))
    assert len({easy, parse_policy("easy"), replace(easy, order="saf")}) == 2
    with pytest.raises(AttributeError):
        easy.order = "saf"  # type: ignore[misc]


@given(durations)
def test_durations_round_trip_in_the_largest_unit_that_is_whole(seconds: int) -> None:
    text = spell_duration(seconds)
    assert parse_duration(text) == seconds
    unit = next((unit for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)) if seconds % size == 0), "")
    assert text.lstrip("0123456789") == unit


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("3d", 259_200), ("0", 0)]
)
def test_durations(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "3w", "1.5h", "-2h", "2 h", "h", "1h30m", "9" * 13])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(InputError, match="cannot read the duration"):
        parse_duration(text)


def test_the_keys_are_those_of_a_policy() -> None:
    easy = parse_policy("easy")
    for key in KEYS:
        assert spell_value(getattr(easy, key.name)) in (*key.choices, "3d")
        assert key.help
    assert "fairshare" not in STATIC_ORDERS
    assert isinstance(easy, Policy)
