"""A plugin with the option `--real`: without it the tests against a real Slurm are not run."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--real", action="store_true", help="run the tests against a real Slurm on loopback, which need root"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--real"):
        return
    folder = Path(__file__).parent
    own = {path for path in {item.path for item in items} if path.is_relative_to(folder)}
    real = [item for item in items if item.path in own]
    if real:
        config.hook.pytest_deselected(items=real)
        items[:] = [item for item in items if item.path not in own]
