"""How all tests run: offscreen, with folders of their own, leaving nothing behind."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.patience import PatientBot

pytest_plugins = ("tests.leaks", "tests.first_failures", "tests.real.option", "pytester")

# Before Qt, numba and matplotlib are imported, which read these once.
os.environ["FONTCONFIG_FILE"] = str(Path(__file__).parent / "fonts" / "fonts.conf")
os.environ["QT_QPA_PLATFORM"] = os.environ.get("BATCHSCOPE_TEST_PLATFORM", "offscreen")
if sys.prefix != sys.base_prefix:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix) / "numba-cache"))
    os.environ.setdefault("MPLCONFIGDIR", str(Path(sys.prefix) / "matplotlib"))

gc.disable()  # an eighth of all time went to garbage collections
YOUNG = 20_000
"""New objects after which garbage is collected among them; by default 700, most of them still in use."""

TESTS = Path(__file__).parent
_LONG = (
    *(
        "app/shell/layout/test_fit.py",
        "app/shell/runs/test_tasks.py",
        "app/shell/test_baselines.py",
        "app/cli/figures/test_figure.py",
        "app/cli/test_process.py",
        "views/figures/test_figures.py",
    ),
    *("app/shell/runs/test_search.py", "app/cli/test_random_input.py"),
    *("app/shell/runs/test_site_verdicts.py", "app/cli/figures/test_report.py"),
    *("app/cli/figures/test_sweep_figures.py", "app/shell/test_closing.py"),
    *("app/shell/test_study.py", "app/shell/runs/test_runs.py", "engine/sweep/test_runners.py"),
    *("app/shell/runs/test_compiling.py", "app/shell/test_views.py", "app/shell/test_filter.py"),
    *("app/shell/runs/test_sweep.py", "app/panels/policies/test_explore.py"),
    *("engine/simulation/test_simulate.py", "fuzz/test_short.py", "app/session/test_upgrade.py"),
    *("engine/sweep/test_criteria_of_ends.py", "engine/sweep/test_planning_study.py"),
    *("app/work/test_child.py", "app/work/test_compile_kernels.py", "views/timeline/test_timeline.py"),
)
FIRST = {name: place for place, name in enumerate(("engine/compiler/test_canary.py", *_LONG))}
"""The files with which a run of many begins, and their order."""

MOST_EXAMPLES = 25
"""Examples of a test in CI at most: there they are the same on every run, and more find nothing new."""

hypothesis.settings.register_profile("dev", deadline=None, database=None, print_blob=True)
hypothesis.settings.register_profile(
    "ci", hypothesis.settings.get_profile("dev"), derandomize=True, max_examples=MOST_EXAMPLES
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> PatientBot:
    """The robot that uses widgets, and waits for them longer than pytest-qt's own."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def own_folders(no_leaks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, caches and data of one test, seen by no other, nor by the user."""
    for kind in ("CONFIG", "CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "home" / kind.lower()))


@pytest.fixture(autouse=True)
def own_quantities() -> Iterator[None]:
    """Quantities and metrics that a test names are in the tables of no later test."""
    yield
    if (own := sys.modules.get("engine.quantities.own_quantity")) is not None:
        own.forget_quantities()
    if (metrics := sys.modules.get("engine.metrics.own_metric")) is not None:
        metrics.forget_metrics()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What fails when Numba moves comes first: it says why all else may. Then come the files that take long.

    Else one process of tests would be left with such a file when the other has nothing to do any more.
    """
    if os.environ.get("CI"):
        for item in items:
            limit_examples(getattr(item, "obj", None))
    files = {item.path for item in items}  # far fewer than items, and relative paths take long
    places = {path: FIRST.get(path.relative_to(TESTS).as_posix(), len(FIRST)) for path in files}
    items.sort(key=lambda item: places[item.path])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Leave out of all collections what was imported."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Collect garbage between tests: never in a thread, where it could delete Qt objects of another."""
    if gc.get_count()[0] > YOUNG:
        gc.collect(1)


def limit_examples(test: Any) -> None:
    """Have a test of Hypothesis try no more than CI's number of examples, whatever its own number is."""
    if hypothesis.is_hypothesis_test(test):
        own = test._hypothesis_internal_use_settings
        if own.max_examples > MOST_EXAMPLES:
            test._hypothesis_internal_use_settings = hypothesis.settings(own, max_examples=MOST_EXAMPLES)
