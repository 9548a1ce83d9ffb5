"""Keys in plain words: every key and every value has a phrase, which says the number that is set."""

import re

import pytest

from engine.policy.key import Key
from engine.policy.keys import KEYS
from engine.policy.phrases import IN_WORDS, key_phrase, key_title, policy_phrases, policy_sentence
from engine.policy.policy import PRESETS, parse_policy


def texts_of(key: Key) -> list[str]:
    """Values of each form that a key takes."""
    switched = ["on", "off"] if key.switch else []
    absent = ["none"] if key.optional else []
    families = [word + numbers.format(numbers.reach) for word, numbers in key.families]
    numbers = [key.range.format(key.range.reach)] if key.range is not None else []
    return [*key.words, *switched, *absent, *families, *numbers]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_each_value_has_a_phrase_of_its_own_with_its_number(key: Key) -> None:
    phrases = [key_phrase(key.name, text) for text in texts_of(key)]
    assert len(set(phrases)) == len(phrases)
    for text, phrase in zip(texts_of(key), phrases, strict=True):
        assert not {"=", "{"} & {*phrase}
        if text not in IN_WORDS[key.name].phrases and (number := re.search(r"[\d.]+\w*$", text)):
            assert number[0] in phrase


def test_titles_differ() -> None:
    assert set(IN_WORDS) == {key.name for key in KEYS}
    assert len({key_title(key.name) for key in KEYS}) == len(KEYS)


def test_no_phrase_is_of_a_value_that_the_key_does_not_take() -> None:
    for key in KEYS:
        extra = {"depth": {"0", "1"}, "bf": {"0", "1"}, "window": {"1"}, "n": {"1"}}.get(key.name, set())
        known = {*key.words, *(word for word, _ in key.families), "on", "off", "none", "#", "*"}
        assert set(IN_WORDS[key.name].phrases) <= known | extra


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "recorded"])
def test_a_policy_is_told_by_its_order_and_its_reservations(preset: str) -> None:
    policy = parse_policy(preset)
    phrases = policy_phrases(policy)
    assert key_phrase("depth", policy.format_key("depth")) in phrases
    assert len(set(phrases)) == len(phrases)


def test_changed_keys_are_told() -> None:
    assert policy_phrases(parse_policy("easy:depth=10,backfill=sjf,estimate=scaled1.5")) == [
        "first submitted first",
        "reservations for the first 10 blocked jobs",
        "backfilled shortest estimate first",
        "jobs are planned by 1.5 times their true runtime",
    ]


def test_what_has_no_keys_is_its_spelling() -> None:
    assert policy_phrases(parse_policy("recorded")) == ["recorded"]
    assert policy_sentence(parse_policy("recorded")) == ""
    assert key_phrase("bf_window", "1440") == "bf_window=1440"  # an option of a site
