"""What a log tells of its site, on logs that are simulated with known delays."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.metrics.fit import fit_site, off_on
from engine.policy.policy import parse_policy, site_policy
from engine.schedule.accuracy import accuracy_of
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.scheduler.verdicts import site_accuracy
from engine.slurm.site.site import Site, read_site
from engine.trace import Pieces, Trace
from engine.trace.scale import parse_scale, scaled

CONF = "NodeName=a[1-4] CPUs=1\nPartitionName=q Nodes=a[1-4]\nSchedulerParameters=bf_interval=30\n"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Four nodes of a CPU."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    return read_site(conf)


def _as_recorded(schedule: Schedule) -> Trace:
    """The log of a machine that ran this schedule."""
    pieces = schedule.pieces
    nodes = Pieces(pieces.offset, {"node": pieces["node"], "cpus": pieces["cpus"]})
    return replace(schedule.trace, wait=schedule.wait, recorded_nodes=nodes)


def _log(folder: Path, days: int = 14) -> Trace:
    """Bursts of twelve jobs of a CPU and 200 to 300 s every half an hour, and a lone one in between."""
    rows, number = [], 0
    for burst in range(days * 48):
        for k in range(13):
            number += 1
            submit = 1800 * burst + (k if k < 12 else 1500)
            rows.append(f"{number} {submit} 0 {200 + 7 * number % 100} 1 -1 -1 1 600 -1 1 1 1 -1 1 -1 -1 -1")
    path = folder / "log.swf"
    path.write_text("\n".join(["; MaxProcs: 4", "; MaxNodes: 4", *rows, ""]))
    return read_trace(path)


def test_delays_are_found_and_bring_the_weeks_near_that_were_not_fitted_to(
    site: Site, tmp_path: Path
) -> None:
    trace, machine = _log(tmp_path), site.conf.machine
    real = replace(site, launch=7, completion=20)
    recorded = _as_recorded(simulate(trace, machine, site_policy(real)))
    plain = simulate(recorded, machine, site_policy(site))
    fit = fit_site(site, plain)
    launch, completion = fit.estimates[:2]
    assert launch.accepted
    assert launch.value == pytest.approx(7, abs=1)
    assert completion.accepted
    assert completion.value == pytest.approx(20, abs=10)
    assert fit.split == int(trace.submit[0]) + 7 * 86_400
    with_it = simulate(recorded, machine, site_policy(fit.site))
    before, after = off_on(plain, fit.split), off_on(with_it, fit.split)
    assert before[1] == after[1] == int((trace.submit >= fit.split).sum())
    assert before[0] is not None
    assert after[0] is not None
    assert abs(after[0]) < abs(before[0])


def test_nothing_is_accepted_where_the_log_is_as_the_model_says(site: Site, tmp_path: Path) -> None:
    recorded = _as_recorded(simulate(_log(tmp_path, 2), site.conf.machine, site_policy(site)))
    fit = fit_site(site, simulate(recorded, site.conf.machine, site_policy(site)))
    assert [(estimate.value, estimate.accepted) for estimate in fit.estimates] == [(0, False), (0, False)]
    assert (fit.site.launch, fit.site.completion, fit.site.away) == (0, 0, ())


def test_nodes_that_nobody_got_for_a_week_are_away(site: Site, tmp_path: Path) -> None:
    machine = site.conf.machine
    week = 7 * 86_400
    real = replace(site, away=((0, week, (3,)),))
    recorded = _as_recorded(simulate(_log(tmp_path), machine, site_policy(real)))
    fit = fit_site(site, simulate(recorded, machine, site_policy(site)))
    (away,) = [estimate for estimate in fit.estimates if estimate.name == "away"]
    assert (away.value, away.accepted) == (1, True)
    ((first, last, nodes),) = fit.site.away
    assert nodes == (3,)
    assert (first, last) == (int(recorded.submit[0]), int(recorded.submit[0]) + week)
    assert np.array_equal(recorded.submit, np.sort(recorded.submit))


def test_what_a_reader_refuses_is_left_out(site: Site, tmp_path: Path) -> None:
    """Nodes are empty for both delays: without the launch delay the completion delay is the longer one."""
    trace, machine = _log(tmp_path), site.conf.machine
    recorded = _as_recorded(simulate(trace, machine, site_policy(replace(site, launch=7, completion=20))))
    fit = fit_site(site, simulate(recorded, machine, site_policy(site)))
    both, first_alone, none = fit.site, fit.accepting([False, True]).site, fit.accepting([False, False]).site
    assert first_alone.launch == 0
    assert first_alone.completion == both.completion + both.launch
    assert none == site
    assert both.fitted_until == first_alone.fitted_until == fit.split


def test_a_fitted_site_is_judged_by_later_jobs(site: Site, tmp_path: Path) -> None:
    trace, machine = _log(tmp_path), site.conf.machine
    recorded = _as_recorded(simulate(trace, machine, site_policy(replace(site, launch=7, completion=20))))
    plain = simulate(recorded, machine, site_policy(site))
    fit = fit_site(site, plain)
    after = simulate(recorded, machine, site_policy(fit.site))
    whole, later = accuracy_of(plain), accuracy_of(after)
    assert whole is not None
    assert later is not None
    assert (whole.jobs, whole.fitted) == (len(trace), False)
    assert whole.span == trace.submit[-1] - trace.submit[0]
    assert (later.off, later.jobs) == off_on(after, fit.split)
    assert later.fitted
    assert 0 < later.span < whole.span
    assert later.verdict.endswith("jobs; its delays were fitted to earlier jobs)")
    assert later.verdict.startswith("the model's mean wait is ")


def test_a_what_if_has_the_accuracy_of_the_site_as_it_is(site: Site, tmp_path: Path) -> None:
    machine, smaller = site.conf.machine, parse_cluster("3x1c")
    recorded = _as_recorded(simulate(_log(tmp_path, 2), machine, site_policy(site)))
    what_if = simulate(recorded, smaller, site_policy(site))
    assert site_accuracy(what_if) == accuracy_of(simulate(recorded, machine, site_policy(site)))
    assert site_accuracy(what_if) != accuracy_of(what_if)
    denser = scaled(recorded, parse_scale("theta=0.9"))
    assert site_accuracy(simulate(denser, machine, site_policy(site)), log=recorded) == site_accuracy(what_if)
    assert site_accuracy(replace(what_if, policy=parse_policy("easy"))) is None
