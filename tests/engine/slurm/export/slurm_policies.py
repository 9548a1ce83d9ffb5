"""Random policies that Slurm can follow, and when two of them make the same schedules."""

from __future__ import annotations

import random
from fractions import Fraction

from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy


def random_policy(chance: random.Random) -> Policy:
    """A policy of which `slurm_lines` leaves nothing out, over partitions short, long and low."""
    keys: dict[str, str] = {"depth": "stop"}
    if chance.random() < 0.8:
        keys = {
            "depth": "all",
            "pass_every": str(chance.choice((1, 30, chance.randint(1, 10_800), 10_800))),
            "test_limit": str(chance.choice((1, 2, 500, chance.randint(1, 10**6), 10**6))),
            "horizon": f"{chance.choice((1, 1440, chance.randint(1, 43_200), 43_200))}m",
            "resolution": chance.choice(("none", "60", str(chance.randint(2, 3600)), "3600")),
        }
        if chance.random() < 0.5:
            keys["user_test_limit"] = str(chance.randint(1, int(keys["test_limit"])))
    if chance.random() < 0.8:
        keys |= _priority(chance)
    return parse_policy("easy").with_keys(**keys)


def _priority(chance: random.Random) -> dict[str, str]:
    names = [name for name in ("age", "fairshare", "size", "queue") if chance.random() < 0.6] or ["age"]
    digits = chance.choice((0, 0, 1, 3))
    weights = {
        name: round(chance.choice((chance.uniform(1, 9), chance.uniform(1, 900))), digits) for name in names
    }
    if "size" in weights and chance.random() < 0.5:
        weights["small"] = weights.pop("size")
    keys = {
        "order": "priority",
        "weights": ";".join(f"{name}={weight}" for name, weight in weights.items()),
    }
    if "age" in weights:
        keys["max_age"] = f"{chance.choice((1, 10_080, chance.randint(1, 10**6), 24_855 * 1440))}m"
    if "fairshare" in weights:
        half_life = chance.choice(("none", f"{chance.randint(1, 10**6)}m"))
        keys |= {"penalty": "cpu", "half_life": half_life}
    if "queue" in weights:
        some = chance.sample(("short", "long", "low"), chance.randint(2, 3))
        first = chance.randint(1, 65_533)
        factors = [first, *(chance.choice((0, chance.randint(1, 65_533))) for _ in some[1:])]
        keys["queue_priority"] = ";".join(f"{q}@{f}" for q, f in zip(some, factors, strict=True))
        if len({*factors, *([] if len(some) == 3 else [0])}) < 2:  # all the same: no priorities
            keys["queue_priority"] = "short@3;long@2;low@1"
    return keys


def same_schedules(first: Policy, second: Policy) -> bool:
    """Whether two policies order jobs alike and do all else alike: weights and priorities in proportion."""
    return _proportional(first) == _proportional(second)


def _proportional(policy: Policy) -> tuple[object, ...]:
    weights = [Fraction(weight).limit_denominator(10**6) for weight in policy.factor_weights]
    total = max(weights)
    given = {name: Fraction(number) for name, number in policy.queue_priority.as_dict().items() if number}
    top = max(given.values(), default=Fraction(1))
    rest = {name: policy.format_key(name) for name in KEY if name not in ("weights", "queue_priority")}
    return (
        rest,
        tuple(weight / total for weight in weights),
        {name: number / top for name, number in given.items()},
    )
