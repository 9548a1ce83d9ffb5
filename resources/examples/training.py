"""The training of `learned.py` by the cross-entropy method (Rubinstein 1999): `python training.py LOG`."""

import sys

import numpy as np
from learned import chooser, learned

import batchscope


def train(env, rounds=10, tried=12, windows=8):
    """The weights, and the mean reward of each round: the learning curve."""
    draws, mean, spread, curve = np.random.default_rng(0), np.zeros(3), np.full(3, 3.0), []
    for _ in range(rounds):
        weights = np.clip(mean + spread * draws.standard_normal((tried, 3)), -9, 9)
        rewards = np.array([reward(env, each, windows) for each in weights])
        best = weights[np.argsort(rewards)[-tried // 4 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.1
        curve.append(float(rewards.mean()))
    return mean, curve


def reward(env, weights, windows):
    """The mean reward over so many windows, the same for all weights."""
    total, choose = 0.0, chooser(weights)
    for number in range(windows):
        (seen, _), over = env.reset(seed=number), False
        while not over:
            seen, gain, over, _, _ = env.step(choose(seen))
            total += gain
    return total / windows


if __name__ == "__main__":
    log = batchscope.read(sys.argv[1])
    weights, curve = train(batchscope.env(log, metric="bounded_slowdown_mean", baseline="easy"))
    trained = learned(**dict(zip(("waited", "length", "width"), weights.round(2), strict=True)))
    runs = batchscope.compare(log, ["easy", "easy:order=sjf", trained])
    print(curve, runs.metrics.loc[["bounded_slowdown_mean", "wait_max"]].to_string(), sep="\n")
