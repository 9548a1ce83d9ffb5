"""Random policies that Slurm can follow, and when two of them make the same schedules."""

import random
from fractions import Fraction

from engine.policy.keys import KEY
from engine.policy.policy import Policy, parse_policy
from engine.slurm.conf.slurm_conf import SlurmConf
from engine.slurm.values.times import read_time


def random_policy(chance: random.Random) -> Policy:
    """A policy of which `slurm_lines` leaves nothing out, over partitions short, long and low."""
    # The smallest and the largest value of each option come up as often as those between.
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


_FACTORS = {
    "age": "PriorityWeightAge",
    "fairshare": "PriorityWeightFairshare",
    "size": "PriorityWeightJobSize",
    "queue": "PriorityWeightPartition",
}


def policy_of(conf: SlurmConf) -> Policy:
    """The policy that `slurm_lines` wrote into a file, if it left nothing of it out."""
    # Read back from the file's text alone: nothing of the policy that was written is known here.
    words = dict(word.partition("=")[::2] for word in conf.option("SchedulerParameters").split(","))
    keys = {"depth": "stop"}
    if conf.option("SchedulerType") == "sched/backfill":
        keys = {
            "depth": "all",
            "pass_every": words["bf_interval"],
            "test_limit": words["bf_max_job_test"],
            "horizon": f"{words['bf_window']}m",
            "resolution": words["bf_resolution"] if words["bf_resolution"] != "1" else "none",
        }
        if "bf_max_job_user" in words:
            keys["user_test_limit"] = words["bf_max_job_user"]
    weights = {name: int(conf.option(key, "0")) for name, key in _FACTORS.items()}
    if conf.option("PriorityType") != "priority/multifactor" or not any(weights.values()):
        return parse_policy("easy").with_keys(**keys)
    # Slurm has one weight for both sizes, and a switch for which of them it favours.
    if conf.option("PriorityFavorSmall").lower() == "yes":
        weights["small"] = weights.pop("size")
    # Weights were made integers by a power of ten.
    shrink = 10 ** max(len(str(max(weights.values()))) - 6, 0)
    keys |= {
        "order": "priority",
        "weights": ";".join(f"{name}={weight / shrink:.6f}" for name, weight in weights.items() if weight),
    }
    if weights["age"]:
        keys["max_age"] = str(read_time("", conf.option("PriorityMaxAge", "7-0")))
    if weights["fairshare"]:
        half_life = read_time("", conf.option("PriorityDecayHalfLife"))
        keys |= {"penalty": "cpu", "half_life": str(half_life) if half_life else "none"}
    if weights["queue"]:
        factors = {p.name: p.keys.get("priorityjobfactor", "1") for p in conf.partitions}
        keys["queue_priority"] = ";".join(f"{name}@{factor}" for name, factor in factors.items())
    return parse_policy("easy").with_keys(**keys)


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
