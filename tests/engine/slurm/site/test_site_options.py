"""The rules of a site by its options: those that switch something off, and those of its release."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.slurm.site.left_out import lines_left_out
from engine.slurm.site.site import Site, read_site
from tests.paths import SHARED, needs

CONF = "NodeName=a[1-2] CPUs=4 RealMemory=1000\nPartitionName=b Nodes=a[1-2]\n"
OLD = [SHARED / "cases" / "files" / f"c-{name}-noselect.conf" for name in ("old", "old2")]


@pytest.fixture
def site(tmp_path: Path):
    def read(*lines: str) -> Site:
        (tmp_path / "slurm.conf").write_text(CONF + "\n".join(lines) + "\n")
        return read_site(tmp_path / "slurm.conf")

    return read


def test_a_backfiller_that_is_off_runs_no_cycle_and_is_named(site) -> None:
    off = site("SchedulerParameters=bf_interval=-1")
    assert off.rules(1).backfills == 0
    assert "bf_interval=-1: the backfiller is off" in lines_left_out(off)
    assert site("SchedulerParameters=bf_interval=0").rules(1).bf_interval == 30
    assert site("SchedulerType=sched/builtin").rules(1).backfills == 0


def test_a_main_scheduler_that_is_off_tries_no_job(site) -> None:
    rules = site("SchedulerParameters=sched_interval=-1").rules(1)
    assert (rules.main_depth, rules.backfills) == (-1, 1)
    assert rules.main_every > 10**8
    with pytest.raises(InputError, match="both schedulers are off"):
        site("SchedulerParameters=sched_interval=-1,bf_interval=-1").rules(1)


def test_of_a_word_that_is_given_twice_the_first_counts(site) -> None:
    assert site("SchedulerParameters=bf_interval=5,bf_window=10,bf_interval=9").rules(1).bf_interval == 5


def test_times_are_in_seconds(site) -> None:
    rules = site(
        "SchedulerParameters=bf_window=10", "OverTimeLimit=2", "ResvOverRun=UNLIMITED", "KillWait=45"
    ).rules(1)
    assert (rules.bf_window, rules.over_limit, rules.resv_over) == (600, 120, -1)
    assert (rules.kill_wait, rules.patience) == (45, 55)


@pytest.mark.parametrize("line", ["FastSchedule=1", "CryptoType=crypto/munge", "ControlMachine=h"])
def test_old_options_give_the_usual_values_of_an_old_release_to_all(site, line: str) -> None:
    old = site(line)
    assert old.conf.release == (19, 5)
    assert line.split("=")[0] in old.conf.version_from
    assert not old.multifactor
    assert old.conf.use.all_whole
    assert not old.conf.use.consumes_ram


def test_without_a_hint_all_usual_values_are_of_one_recent_release(site) -> None:
    recent = site("SlurmctldHost=h")
    assert recent.conf.version is None
    assert recent.multifactor
    assert recent.fair_tree
    assert not recent.conf.use.all_whole


@pytest.mark.parametrize("path", [pytest.param(path, marks=needs(path), id=path.name) for path in OLD])
def test_a_site_of_an_old_release_is_one_age(path: Path) -> None:
    old = read_site(path)
    assert old.conf.release == (19, 5)
    assert (old.multifactor, old.conf.use.all_whole) == (False, True)


def test_a_pass_of_the_main_scheduler_starts_so_many_jobs(site) -> None:
    assert site("SchedulerParameters=sched_max_job_start=2").rules(1).main_starts == 2
    assert site("SchedulerParameters=sched_max_job_start=-2").rules(1).main_starts == 0
    assert not any(
        "sched_max_job_start" in line
        for line in lines_left_out(site("SchedulerParameters=sched_max_job_start=2"))
    )
