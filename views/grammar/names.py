"""The parameters of results in words, for axes and legends."""

from __future__ import annotations

from engine.policy.phrases import key_title

_TITLES = {
    "policy": "Policy",
    "run": "Run",
    "trace": "Log",
    "log": "Log",
    "theta": "Factor of inter-arrival times (θ)",
    "rho": "Factor of processors (ρ)",
    "machine": "Machine",
    "share": "Expected share",
    "react": "Users react",
    "delta": "Tolerated delay (δ), runtimes",
    "alpha": "Weight of long waits (α)",
    "weight": "Weight",
    "p": "Norm (p)",
}
"""Parameters that are no keys of policies."""

_SYMBOLS = {"theta": "θ", "rho": "ρ", "delta": "δ", "alpha": "α"}
"""What stands in short places for parameters with long titles."""


def parameter_title(name: str) -> str:
    """The plain name of a parameter; one that the program does not know stays as it is."""
    return _TITLES.get(name) or key_title(name)


def parameter_symbol(name: str) -> str:
    """What a parameter is called in front of its value: its symbol, or its plain name."""
    return _SYMBOLS.get(name) or parameter_title(name)
