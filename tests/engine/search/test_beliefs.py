"""How far a search on a site is to be believed."""

import numpy as np

from engine.claims.words import plain
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.schedule.schedule import Schedule
from engine.search.beliefs import beliefs_of, model_verdict
from engine.simulation.run import simulate
from engine.slurm.scheduler.verdicts import site_verdicts
from tests.engine.slurm.scheduler.test_verdicts import schedules

__all__ = ["schedules"]


def test_finalists_have_their_spread_and_the_verdict_of_the_site(schedules: list[Schedule]) -> None:
    log, site = schedules[0].trace, schedules[1].policy
    jobs = np.ones(len(log), np.bool_)

    def machine_of(_: Policy) -> Cluster:
        return log.cluster

    finalists = [site.with_keys(bf_interval=text) for text in ("60", "300")]
    model = model_verdict(log, machine_of, [site, *finalists])
    assert model is not None
    simulated = [simulate(log, log.cluster, policy) for policy in (site, *finalists)]
    beliefs = beliefs_of(model, simulated, jobs)
    own = site_verdicts([site.spelling], [simulate(log, log.cluster, site)], {})
    assert plain(beliefs.verdict) == own.verdict
    assert beliefs.misleading == own.doubted
    assert [claim is not None and claim.population.jobs for claim in beliefs.changes] == [len(log), len(log)]
    assert model_verdict(log, machine_of, [parse_policy("easy")]) is None
