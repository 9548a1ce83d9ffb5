"""Quantities of a user's own: filters, figures, tables and colours, and what is said of what goes wrong."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import batchscope
from engine.errors import InputError
from engine.filter import FIELDS, FilterError, parse_filter
from engine.filter.parse import fields_in, parse_own_filter
from engine.machine.cluster import Cluster
from engine.metrics.groups import GROUP_QUANTITIES
from engine.own import answers
from engine.own.allowed_code import allow
from engine.policy.policy import parse_policy
from engine.quantities import QUANTITIES, Jobs, Missing, offered
from engine.quantities import own_quantity as own
from engine.quantities.job_table import schedule_table
from engine.reading.log import Log
from engine.run_source import schedule_of
from tests.engine.simulation.own.test_orders import crowd
from views.data.gantt.colours import COLOUR_NAMES, COLOURS, classify
from views.data.measures import MEASURES
from views.tables import groups_table

TRACE, MACHINE = crowd(200), Cluster.pool(16)

STRAIN = '''
import batchscope
from batchscope import Range

@batchscope.quantity(unit="s")
def strain(jobs, *, times: Range(1, 9) = 2):
    """How long its wait is, several times over."""
    return times * jobs.wait

@batchscope.quantity()
def half(jobs):
    return jobs.procs / 2
'''

_TABLES: tuple[Mapping[str, object], ...] = (
    *(QUANTITIES, FIELDS, COLOURS, COLOUR_NAMES, MEASURES),
    *(GROUP_QUANTITIES, groups_table._COLUMNS),
)


def test_a_forgotten_quantity_is_in_no_table(tmp_path: Path) -> None:
    before = [list(table) for table in _TABLES]
    own.allow_quantity(f"{written(tmp_path, STRAIN)}:strain")
    assert all(len(table) > len(names) for table, names in zip(_TABLES, before, strict=True))
    own.forget_quantities()
    assert [list(table) for table in _TABLES] == before


def written(folder: Path, text: str) -> Path:
    # The path makes it another digest than in other tests, which may have allowed theirs.
    path = folder / "mine.py"
    path.write_text(f"{text}\n# {folder}\n")
    return path


def quantity_of(body: str) -> str:
    return f"import batchscope, numpy as np\n@batchscope.quantity()\ndef q(jobs):\n    {body}\n"


def test_it_is_a_column_of_the_jobs_that_ran(tmp_path: Path) -> None:
    small = Cluster.pool(int(TRACE.procs.max()) - 1)  # too small for the widest jobs
    schedule = schedule_of(TRACE, small, parse_policy("easy"))
    assert not schedule.ran.all()
    name = f"{written(tmp_path, STRAIN)}:strain,times=3"
    own.allow_quantity(name)
    values = QUANTITIES[name].values(Jobs(TRACE, schedule))
    assert isinstance(values, np.ndarray)
    np.testing.assert_array_equal(values, np.where(schedule.ran, 3.0 * schedule.wait, np.nan))
    assert (QUANTITIES[name].title, QUANTITIES[name].unit) == ("mine.py:strain,times=3", "s")
    assert QUANTITIES[name].text == "How long its wait is, several times over"
    assert name in dict(schedule_table(schedule))


def test_filters_name_it_as_policies_do(tmp_path: Path) -> None:
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    path = written(tmp_path, STRAIN)
    for field, least in ((f"{path}:strain", 2), (f'"{path}:strain,times=5"', 5)):
        expression = parse_own_filter(f"{field} > 1h and procs >= 1")
        np.testing.assert_array_equal(
            expression.mask(Jobs(TRACE, schedule)), schedule.ran & (least * schedule.wait > 3600)
        )
        assert parse_filter(str(expression)) == expression
        assert expression.of_run
    assert fields_in("user = a.py:b and not x.py:y in (1, 2)") == ["user", "x.py:y"]


def test_python_compares_and_draws_with_it(tmp_path: Path) -> None:
    path = written(tmp_path, STRAIN)
    log = Log(TRACE, MACHINE)
    runs = batchscope.compare(log, ["easy"], only=f"{path}:half >= 2")
    schedule = runs["easy"].schedule
    assert runs["easy"].metrics["jobs"] == int((schedule.ran & (schedule.procs >= 4)).sum())
    assert len(runs.figure("gantt", colours=f"{path}:strain").about) > 0
    assert runs.figure("scatter", scatter=f"{path}:strain {path}:half job linear").data is not None
    assert runs.figure("distributions", distributions=f"{path}:half job box").data is not None


def test_charts_and_groups_offer_it(tmp_path: Path) -> None:
    path = written(tmp_path, STRAIN)
    name = f"{path}:half"
    own.allow_quantity(name)
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    classes = classify(Jobs(TRACE, schedule), name)
    assert set(classes.of_job[~schedule.ran]) <= {-1}
    assert len(set(classes.of_job[schedule.ran])) > 1
    assert {COLOUR_NAMES[name], MEASURES[name].quantity.title} == {"mine.py:half"}
    of_each = GROUP_QUANTITIES[f"{name}_mean"].of_each(Jobs(TRACE, schedule), schedule.ran, TRACE.user)
    users, procs = TRACE.user.codes[schedule.ran], schedule.procs[schedule.ran] / 2
    assert isinstance(of_each, np.ndarray)
    np.testing.assert_allclose(of_each, [procs[users == user].mean() for user in range(len(of_each))])


def test_a_filter_allows_nothing_by_itself(tmp_path: Path) -> None:
    path = written(tmp_path, STRAIN)
    with pytest.raises(FilterError, match="has not been named by its user as a quantity"):
        parse_filter(f"{path}:strain > 5")


def test_a_file_that_is_allowed_offers_its_quantities_by_short_names(tmp_path: Path) -> None:
    from engine.own.file import read_own_file

    other = tmp_path / "other"
    other.mkdir()
    own.offer_quantities(read_own_file(written(tmp_path, STRAIN)))
    own.offer_quantities(read_own_file(written(other, STRAIN)))
    assert {"mine.py:strain", "mine.py:half", f"{other}/mine.py:strain"} <= set(FIELDS)


def test_a_quantity_that_a_saved_file_drops_is_offered_no_longer(tmp_path: Path) -> None:
    """Charts that show it say so; when the file has it again, it is there again."""
    from engine.own.file import read_own_file

    file = read_own_file(written(tmp_path, STRAIN))
    allow(file)
    own.offer_quantities(file)
    jobs = Jobs(TRACE, schedule_of(TRACE, MACHINE, parse_policy("easy")))
    assert {"mine.py:strain", "mine.py:half"} <= set(offered("filter", TRACE))
    own.offer_quantities(read_own_file(written(tmp_path, STRAIN.partition("@batchscope.quantity()")[0])))
    assert "mine.py:strain" in offered("filter", TRACE)
    assert "mine.py:half" not in offered("filter", TRACE)
    assert QUANTITIES["mine.py:half"].values(jobs) == Missing("mine.py no longer has half")
    own.offer_quantities(file)
    assert isinstance(QUANTITIES["mine.py:half"].values(jobs), np.ndarray)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1.0", r"q returns shape (), not a number for each of "),
        ("return jobs.wait[:3]", r"q returns shape (3,), not a number for each of "),
        ("return ['a'] * len(jobs)", "q returns <U1 values, not numbers"),
        ("return [[1], [1, 2]]", "not a column of numbers"),
        ("return jobs.wait / 0", "q returns inf, not a number; return NaN where"),
        ("jobs.wait[0] = 1", "line 4: q fails: ValueError: assignment destination is read-only"),
        ("import os; os._exit(3)", "its process ended with status 3 before the answer was there"),
    ],
)
def test_what_goes_wrong_is_a_sentence(tmp_path: Path, body: str, message: str) -> None:
    path = written(tmp_path, quantity_of(body))
    with pytest.raises(InputError) as caught:
        batchscope.compare(Log(TRACE, MACHINE), ["easy"], only=f"{path}:q > 1")
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    schedule = schedule_of(TRACE, MACHINE, parse_policy("easy"))
    assert isinstance(QUANTITIES[f"{path}:q"].values(Jobs(TRACE, schedule)), Missing)
    assert classify(Jobs(TRACE, schedule), f"{path}:q").names[0].startswith("not computed: ")


def test_an_endless_quantity_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONGEST", 1.0)
    path = written(tmp_path, quantity_of("return [0 for _ in iter(int, 1)]"))
    with pytest.raises(InputError, match="did not return for 1 s"):
        batchscope.compare(Log(TRACE, MACHINE), ["easy"], only=f"{path}:q > 1")


@pytest.mark.parametrize(
    ("text", "rest", "message"),
    [
        (STRAIN, "strai", "there is no quantity 'strai'; did you mean 'strain'?"),
        (STRAIN, "strain,time=1", "strain has no parameter 'time'; did you mean 'times'?"),
        (STRAIN, "strain,times=0", "times cannot be 0: it is from 1 to 9"),
        (STRAIN.replace('"s"', '"hours"'), "strain", "the unit of a quantity is one of count, s, MiB"),
        (STRAIN.replace('(unit="s")', ""), "strain", 'spell it like @batchscope.quantity(unit="s")'),
        (STRAIN.replace('unit="s"', 'better="s"'), "strain", 'spell it like @batchscope.quantity(unit="s")'),
    ],
)
def test_a_wrong_spelling_is_said(tmp_path: Path, text: str, rest: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        own.allow_quantity(f"{path}:{rest}")
    assert message in str(caught.value)
