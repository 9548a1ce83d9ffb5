from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.own.allowed_code import allow_named
from engine.policy.keys import KEYS
from engine.policy.policy import parse_policy
from engine.search.space import USUAL_KEYS, parse_space, policy_of


def test_the_usual_keys_are_varied_where_none_are_named() -> None:
    assert {of.key.name for of in parse_space([])} == set(USUAL_KEYS)
    words = {of.key.name: of.words for of in parse_space([])}
    assert {"stop", "all", "kept", "0", "1"} <= set(words["depth"])
    assert "none" in words["threshold"]
    assert "score" not in words["order"]


def test_ranges_and_words_are_read() -> None:
    bf, order, wait = parse_space(["threshold=1h|none", "bf=0.2..0.8", "order=sjf|fcfs"])[::-1]
    assert (bf.key.name, bf.low, bf.high, bf.words) == ("bf", 0.2, 0.8, ())
    assert (order.key.name, order.words) == ("threshold", ("1h", "none"))
    assert (wait.key.name, wait.words) == ("order", ("sjf", "fcfs"))


@pytest.mark.parametrize("name", [key.name for key in KEYS if not key.syntax])
def test_every_value_of_a_whole_key_is_one_that_the_key_takes(name: str) -> None:
    (of,) = parse_space([name])
    texts = of.words or tuple(of.format(value) for value in (of.low, of.high))
    assert [of.key.format(of.key.parse(text)) for text in texts] == list(texts)
    assert len(set(texts)) == len(texts) > 1


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["colour"], "no key 'colour'"),
        (["bf", "bf=0..1"], "varied twice"),
        (["bf=0.8..0.2"], "the smaller one"),
        (["bf=2..3"], "from 0 to 1"),
        (["order=sjf"], "two values or more"),
        (["order=sjf|quick"], "quick"),
        (["partitions"], "say which values"),
        (["score=wait|wait +"], "score"),
        (["score=wait|nonsense"], "nonsense"),
        (["weights=age=1|nonsense=2"], "nonsense"),
        (["tune=none|bf:wrong"], "wrong"),
    ],
)
def test_what_is_wrong_is_named(texts: list[str], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        parse_space(texts)


@given(st.data())
def test_keys_without_a_use_are_left_out_and_the_policy_can_be_spelled(data: st.DataObject) -> None:
    space = parse_space([])
    values = {
        of.key.name: data.draw(st.sampled_from(of.words))
        if of.words
        else of.format(data.draw(st.integers(int(of.low), int(of.high))))
        for of in space
    }
    try:
        policy = policy_of(parse_policy("easy"), values)
    except InputError:
        assert values["depth"] == "kept", "which plans in order of submission only"
        return
    assert parse_policy(policy.spelling) == policy
    assert policy.order == values["order"]
    if values["order"] != "balanced":
        assert policy.bf == parse_policy("easy").bf


def test_of_the_usual_keys_values_that_contradict_the_base_are_left_out() -> None:
    """A policy that goes by usage, and keeps `test_limit`, has no other order and no window."""
    base = parse_policy("easy:order=fairshare,penalty=cpu,test_limit=500")
    space = {of.key.name: of for of in parse_space([], base)}
    assert not {"order", "window"} & set(space)
    assert "depth" in space
    for of in space.values():
        for text in of.words:
            policy_of(base, {of.key.name: text})
    assert parse_space([], parse_policy("easy")) == parse_space([])


def test_parameters_of_own_code_that_have_a_range_can_be_varied(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import batchscope\nfrom batchscope import Range\n@batchscope.order\n"
        "def f(jobs, now, machine, *, alpha: Range(0, 5) = 3, users: Range(1, 9, whole=True) = 2, any=1):\n"
        "    ...\n"
    )
    allow_named(f"{path}:f")
    base = parse_policy(f"{path}:f")
    usual = parse_space([], base)
    assert [(of.key.name, of.low, of.high, of.format(of.high)) for of in usual] == [
        ("alpha", 0, 5, "5"),
        ("users", 1, 9, "9"),
    ]
    asked = parse_space(["depth=1|all", "alpha=0..4"], base)
    assert [(of.key.name, of.low, of.high, of.words) for of in asked] == [
        ("alpha", 0, 4, ()),
        ("depth", 0, 0, ("1", "all")),
    ]
    assert policy_of(base, {"alpha": "2.5", "depth": "all"}).spelling == f"{path}:f,alpha=2.5,depth=all"
    with pytest.raises(InputError, match="no key 'alhpa' to vary; did you mean 'alpha'"):
        parse_space(["alhpa"], base)
