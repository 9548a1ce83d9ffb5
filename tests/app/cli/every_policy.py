"""Prints the kernels that are compiled anew by whatever is done after all were compiled ahead."""

import sys
from dataclasses import replace

import numpy as np
from numba.core.dispatcher import Dispatcher

from app.work.compile_kernels import compile_kernels
from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.compiler.inner_functions import Inner
from engine.fairness.violations import violation_steps
from engine.logs.queue.state import new_job
from engine.machine.cluster import Cluster, NodeGroup, parse_cluster
from engine.metrics.evaluation import evaluate
from engine.metrics.groups import GROUPINGS, per_group
from engine.now.prediction import first_forecast, predict
from engine.policy.examples import EXAMPLES
from engine.policy.keys import KEY
from engine.policy.policy import PRESETS, parse_policy
from engine.policy.share import parse_share
from engine.schedule.explain import explain
from engine.schedule.processors import assign_processors
from engine.simulation.quality_notes import quality_notes
from engine.simulation.run import reference_schedule, simulate
from engine.slurm.site.site import site_of_machine
from engine.trace import Trace
from tests.traces import make_trace

POLICIES = (
    *(name for name in PRESETS if name != "recorded"),
    *(text for text, _ in EXAMPLES),
    *(f"easy:order={order}" for order in KEY["order"].words),
    *(f"{preset}:estimate={name}" for preset in ("just", "conservative") for name in KEY["estimate"].words),
    *("easy:estimate=survival3,gate=on", "easy:estimate=last2,estimate_once=on"),
    *("fairshare-easy:half_life=none", "fairshare-easy:accrue=end", "fairshare-easy:penalty=equivalent"),
    *("easy:placement=best", "easy:placement=worst"),
)
MACHINES = ("8c", "8c8g", "2x4c", "2x4c4g", "1x4c+2x2c4g", "2x4c~5m/1m")
SHARES = ("fair", "1/2", "2c1g:share_decay=1h,batches=10m")


def compiled() -> set[str]:
    """The kernels that are there, each for the types it was compiled for."""
    kernels = [
        (name, word, kernel.dispatcher if isinstance(kernel, Inner) else kernel)
        for name, module in list(sys.modules.items())
        if name.startswith(("engine", "views"))
        for word, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher | Inner)
    ]
    return {f"{name}.{word}{types}" for name, word, kernel in kernels for types in kernel.signatures}


def jobs() -> Trace:
    """Twenty jobs that overrun, wait and overlap."""
    number = np.arange(20)
    return make_trace(
        7 * number,
        50 + 13 * (number % 5),
        1 + number % 4,
        walltime=100 + 40 * (number % 3),
        ram=np.full(20, 64),
        user=[("alice", "bob", "eve")[job % 3] for job in range(20)],
    )


def use(trace: Trace, cluster: Cluster) -> None:
    """Everything that takes a kernel, on one machine."""
    schedules = [simulate(trace, cluster, parse_policy(text), log=True) for text in POLICIES]
    reference = reference_schedule(trace, cluster, schedules)
    for text in SHARES:
        for evaluation in evaluate(schedules, parse_share(text), reference, extra=("psf:alpha=1.5",)):
            evaluation.summary  # noqa: B018 - which is worked out when it is asked for
            violation_steps(evaluation.schedule, evaluation.violations)
            for groups in GROUPINGS.values():
                per_group(evaluation.schedule, groups(trace), evaluation.violations, evaluation.jobs)
    for schedule in schedules:
        assign_processors(schedule)
        explain(schedule, len(trace) - 1)
        audit(table_of(schedule), cluster, schedule.policy)


def use_site(trace: Trace) -> None:
    """What a site's own Slurm would do with jobs of several accounts, and when its queue starts."""
    site = site_of_machine("slurm.conf", parse_cluster("2x4c1g"))
    fair = replace(site, conf=replace(site.conf, options={"prioritytype": "priority/multifactor"}))
    for each_site in (site, fair):
        simulate(trace, site.conf.machine, replace(parse_policy("easy"), site=each_site))
    waiting = [replace(new_job(user, "", 600, NodeGroup(2, 3)), job_id=user) for user in ("alice", "bob")]
    predict(fair, waiting, replays=2)
    first_forecast(fair, waiting)


def main() -> None:
    """One line for each."""
    compile_kernels()
    ahead = compiled()
    trace = jobs()
    quality_notes(trace)
    for machine in MACHINES:
        use(trace, parse_cluster(machine))
    use_site(trace)
    for kernel in sorted(compiled() - ahead):
        print(kernel)


if __name__ == "__main__":
    main()
