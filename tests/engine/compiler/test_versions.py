"""Versions of packages by the names of their folders."""

from importlib.metadata import PackageNotFoundError, version

import pytest

from engine.compiler.shipped import COMPILERS
from engine.compiler.versions import version_of


@pytest.mark.parametrize("name", COMPILERS)
def test_they_are_those_of_the_descriptions(name: str) -> None:
    assert version_of(name) == version(name)


def test_of_what_is_not_there_it_says_so() -> None:
    with pytest.raises(PackageNotFoundError):
        version_of("no_such_package")
