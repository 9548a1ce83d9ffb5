"""The table of Slurm's options: each has one row, and says all that is asked of it."""

from collections import Counter

import pytest

from engine.slurm.options.option import ConfigPart, SlurmOption
from engine.slurm.options.releases import ASSUMED, NEW_DEFAULTS
from engine.slurm.options.rules import SiteRules
from engine.slurm.options.table import TABLE, left_out, official_name, option_of
from engine.slurm.options.taken_values import take

NUMBERS = [option for option in TABLE if option.is_number]


def _name(option: SlurmOption) -> str:
    return option.name


def test_each_option_has_one_row_in_its_place() -> None:
    many = Counter((option.place, option.name.lower()) for option in TABLE)
    assert [entry for entry, rows in many.items() if rows > 1] == []
    assert len(TABLE) > 400


def test_every_rule_that_the_files_decide_is_set_by_a_row() -> None:
    set_by_rows = {option.sets for option in TABLE} & set(SiteRules._fields)
    assert {"bf_interval", "bf_tests", "main_depth", "main_every", "kill_wait", "over_limit"} <= set_by_rows
    assert {"backfills", "multifactor", "fair_tree", "requeue_delay", "calc_period"} <= set_by_rows


@pytest.mark.parametrize("option", NUMBERS, ids=_name)
def test_a_number_has_a_usual_value_that_slurmctld_takes(option: SlurmOption) -> None:
    taken = take(option, None, ASSUMED)
    assert (taken.off, taken.said) == (False, "")
    if option.name != "requeue_delay":  # whose usual value says that another setting counts
        assert taken.value >= (option.least or 0)
    assert option.most is None or taken.value <= option.most
    if option.tried is not None:
        low, high = option.tried
        assert (option.least or 0) <= low < high
        assert option.most is None or high <= option.most


@pytest.mark.parametrize("option", [o for o in NUMBERS if o.kind in ("number", "seconds")], ids=_name)
def test_beyond_the_bounds_the_usual_value_counts_and_that_is_said(option: SlurmOption) -> None:
    beyond = [] if option.most is None else [option.most + 1]
    beyond += [] if option.least is None else [option.least - 3]  # -1 may switch off
    for value in beyond:
        taken = take(option, str(value), ASSUMED)
        assert taken.value == take(option, None, ASSUMED).value
        assert f"{option.name}={value}: slurmctld takes {option.bounds}" in taken.said


@pytest.mark.parametrize(
    ("name", "text", "value", "off", "said"),
    [
        ("bf_interval", "-1", 30, True, "bf_interval=-1: the backfiller is off"),
        ("bf_interval", "-2", 30, False, "slurmctld takes 1 to 10,800, and 30 in its place"),
        ("bf_interval", "17s", 17, False, "bf_interval=17s: slurmctld reads 17"),
        ("bf_interval", "often", 30, False, "bf_interval=often: slurmctld takes 1 to 10,800"),
        ("bf_resolution", "3601", 60, False, "bf_resolution=3601: slurmctld takes 1 to 3,600"),
        ("bf_max_job_start", "10001", 0, False, "slurmctld takes 0 to 10,000, and 0 in its place"),
        ("default_queue_depth", "0", 0, False, ""),
        ("default_queue_depth", "-1", 100, False, "slurmctld takes at least 0, and 100 in its place"),
        ("sched_interval", "-1", 60, True, "sched_interval=-1: the main scheduler is off"),
        ("sched_interval", "0", 0, False, ""),
    ],
)
def test_words_of_scheduler_parameters_as_slurmctld_reads_them(
    name: str, text: str, value: int, off: bool, said: str
) -> None:
    taken = take(option_of(ConfigPart.PARAMETER, name), text, ASSUMED)
    assert taken[:2] == (value, off)
    assert said in taken.said
    assert bool(said) == bool(taken.said)


def test_a_usual_value_may_depend_on_the_release() -> None:
    kind = option_of(ConfigPart.SETTING, "selecttype")
    assert kind.usual_in((22, 5)) == "select/linear"
    assert kind.usual_in(NEW_DEFAULTS) == "select/cons_tres"
    delay = option_of(ConfigPart.PARAMETER, "requeue_delay")
    assert take(delay, "5", (22, 5)).value == -1
    assert take(delay, "5", (23, 2)).value == 5


def test_what_is_given_and_not_obeyed_is_listed() -> None:
    given = {
        "prolog": "/bin/true",
        "topologyplugin": "topology/tree",
        "made_up": "1",
        "epilogmsgtime": "2000",
    }
    lines = list(left_out(ConfigPart.SETTING, given))
    assert [(line.name, line.touches) for line in lines] == [
        ("Prolog", "all"),
        ("TopologyPlugin", "several nodes"),
        ("made_up", ""),
    ]
    assert lines[2].meaning == "unknown key"
    with_switches = left_out(ConfigPart.SETTING, given, ["switches"])
    assert "TopologyPlugin" not in [line.name for line in with_switches]
    assert official_name(ConfigPart.PARAMETER, "BF_INTERVAL") == "bf_interval"
