"""The space of a search: keys of a policy, each with its possible values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import InputError
from engine.machine.power import SERIES
from engine.policy.key import Key, Range
from engine.policy.keys import KEY
from engine.policy.names import VALUE_ORDERS
from engine.policy.own_policy import own_keys
from engine.policy.policy import Policy
from engine.search.dimension import Dimension, ends_of
from engine.spelling import nearest
from engine.words import listed

USUAL_KEYS = ("order", "depth", "backfill", "threshold", "bf", "window")
"""Keys that are varied where none are named: those that a site can change without a new machine."""

_COUNTS = (0, 1, 2, 4, 8, 16)
_DURATIONS = tuple(minutes * 60 for minutes in (1, 5, 15, 60, 240, 720, 1440, 4320, 10_080))
_LEFT_OUT = {
    "order": ("score", "priority", "slack", "nuwt", *VALUE_ORDERS),
    "estimate": ("actual",),
    "power_cap": (SERIES,),
}
"""Values that need further keys, or knowledge that no scheduler has."""


def parse_space(texts: Sequence[str], base: Policy | None = None) -> tuple[Dimension, ...]:
    """Parse `KEY`, `KEY=low..high` and `KEY=value|value`; USUAL_KEYS if empty.

    Values of the USUAL_KEYS that contradict keys of `base` are left out. Of a site its options are varied. Of
    a user's own code its parameters with a range can be, and are where no key is named. Raises InputError
    that names the error.
    """
    if base is not None and base.site is not None:
        from engine.search.site_space import site_space  # only a site needs all that is known of Slurm

        return site_space(texts, base.site)
    own = {} if base is None or base.own is None else own_keys(base.own)
    if base is not None and not texts and not own:
        return _usual(base)
    space: dict[str, Dimension] = {}
    keys = {**own, **KEY}
    for text in texts or own or USUAL_KEYS:
        name, equals, values = (part.strip() for part in text.partition("="))
        if name not in keys:
            raise InputError(f"policies have no key {name!r} to vary{nearest(name, keys)}")
        if name in space:
            raise InputError(f"{name} is varied twice")
        space[name] = _given(keys[name], values) if equals else _whole(keys[name])
    return tuple(space[key] for key in keys if key in space)


def _usual(base: Policy) -> tuple[Dimension, ...]:
    """The usual keys with the values that fit the base. Raises InputError where there are none."""
    dimensions, why = [], ""
    for dimension in parse_space(USUAL_KEYS):
        # A key fits where the policy takes its values: of a range both ends are tried.
        texts = dimension.words or (dimension.format(dimension.low), dimension.format(dimension.high))
        fit = []
        for text in texts:
            try:
                policy_of(base, {dimension.key.name: text})
                fit.append(text)
            except InputError as error:
                why = str(error)
        # A range must fit as a whole; of words those that fit are enough, if there is a choice among them.
        if len(fit) == len(texts):
            dimensions.append(dimension)
        elif dimension.words and len(fit) > 1:
            dimensions.append(Dimension(dimension.key, tuple(fit)))
    if not dimensions:
        raise InputError(f"none of the keys {listed(USUAL_KEYS)} can be varied: {why}; name others")
    return tuple(dimensions)


def policy_of(base: Policy, values: Mapping[str, str]) -> Policy:
    """The base with the keys that have an effect together; raises InputError if they contradict each
    other.
    """
    unused = base.unused_with({name: text for name, text in values.items() if name in KEY})
    return base.with_keys(**{name: text for name, text in values.items() if name not in unused})


def _given(key: Key, text: str) -> Dimension:
    plain = not key.words or key.name == "power_cap"  # whose word is no further step of its numbers
    if key.range is not None and plain and (ends := ends_of(key, text)):
        return Dimension(key, low=ends[0], high=ends[1])
    words = tuple(dict.fromkeys(key.format(key.parse(part.strip())) for part in text.split("|")))
    if len(words) < 2:
        raise InputError(f"{key.name}={text}: two values or more, like low..high or one|another")
    return Dimension(key, words)


def _whole(key: Key) -> Dimension:
    if key.switch:
        return Dimension(key, ("off", "on"))
    # A plain range is searched as numbers; all else as a list of words.
    if key.range is not None and not key.words and not key.optional:
        return Dimension(key, low=key.range.low, high=min(key.range.high, key.range.reach))
    words = [word for word in key.words if word not in _LEFT_OUT.get(key.name, ())]
    words += [word + range_.format(range_.reach) for word, range_ in key.families]
    if key.optional:
        words.append("none")
    if key.range is not None:
        # A key with words as well as a range is searched as a list: some of the range's numbers stand for it.
        words += _some(key.range)
    if len(words) < 2:
        raise InputError(f"say which values of {key.name} are tried, like {key.name}=one|another")
    return Dimension(key, tuple(words))


def _some(numbers: Range) -> list[str]:
    """Few numbers of a range, ever farther apart."""
    if numbers.kind == "duration":
        least = max(numbers.step, numbers.low)
        return [numbers.format(value) for value in _DURATIONS if least <= value <= numbers.reach]
    if numbers.low == 0:
        return [numbers.format(value) for value in _COUNTS if value <= numbers.reach]
    least = max(numbers.step, numbers.low)
    values = [least * (numbers.reach / least) ** (k / 5) for k in range(6)]
    rounded = [float(f"{value:.2g}") if numbers.kind == "real" else round(value) for value in values]
    return list(dict.fromkeys(map(numbers.format, rounded)))
