"""Phases of slurmctld's loops: what they leave as it is, and which changes they explain."""

import numpy as np
import pytest

from engine.api import read
from engine.policy.policy import site_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread, phase_spread, phased_change, phases_of
from engine.slurm.site.folder import read_site_at
from tests.paths import SHARED, needs


@needs(SHARED / "reference" / "slurm")
@pytest.mark.parametrize(
    ("name", "spread"),
    [
        # What two real runs of the same submissions differed by: 0.2 % and 14 % of the mean wait.
        ("fifo", (0.2, 5.0)),
        ("micro", (5.0, 30.0)),
    ],
)
def test_phases_differ_as_much_as_two_real_runs(name: str, spread: tuple[float, float]) -> None:
    schedule = _schedule(name)
    phases = phase_spread(schedule)
    assert phases is not None
    assert len(phases) == phases_of(len(schedule.trace)) == 8
    assert (phases.wait[0] == schedule.wait).all()  # the first is what is shown
    assert [np.where(each.ran, each.wait, -1).tolist() for each in phases.schedules] == phases.wait[
        1:
    ].tolist()
    means = phases.mean_waits(schedule.ran)
    assert means[0] == pytest.approx(schedule.wait[schedule.ran].mean())
    least, most = spread
    assert least <= 100 * (means.max() - means.min()) / means[0] <= most
    again = phase_spread(schedule)
    assert again is not None
    assert (again.wait == phases.wait).all()


def _schedule(name: str) -> Schedule:
    folder = SHARED / "reference" / "slurm" / name
    site = read_site_at(folder)
    trace = read(folder / "sacct.txt.gz").trace
    return simulate(trace, site.conf.machine, site_policy(site))


def test_a_change_is_compared_in_all_pairs_of_phases() -> None:
    before = PhaseSpread(np.array([[10, 30, -1], [20, 20, 5]]))  # means of the first two: 20 and 20
    after = PhaseSpread(np.array([[10, 10, 9], [12, 18, 9]]))  # 10 and 15
    change = phased_change(before, after, np.array([True, True, True]))
    assert change is not None
    assert (change.change, change.low, change.high, change.phases) == (-0.5, -0.5, -0.25, 2)
    assert not change.by_chance
    assert [quantity.value for quantity in change.quantities] == [-50, -50, -25, 2]


def test_a_change_within_the_spread_is_said_to_be_chance() -> None:
    before = PhaseSpread(np.array([[100], [120]]))
    change = phased_change(before, PhaseSpread(np.array([[110], [115]])), np.array([True]))
    assert change is not None
    assert change.by_chance
    assert phased_change(PhaseSpread(np.array([[0], [1]])), before, np.array([True])) is None


def test_the_number_of_phases_depends_on_the_jobs_alone() -> None:
    assert [phases_of(jobs) for jobs in (1, 5_000, 5_001, 20_001, 200_001)] == [8, 8, 4, 2, 1]
