"""The engine in a few lines of Python: read a log, run policies on it, get tables.

    log = read("KTH-SP2.swf.gz")
    runs = compare(log, ["recorded", "easy"])
    runs.metrics  # a pandas table with units
    runs["easy"].jobs

Runs are compared as in the rest of the program: fair shares come from the recorded schedule, or from that of
`easy` if the log has none; metrics cover the jobs that all policies ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Never

from engine.dates import parse_time
from engine.errors import InputError
from engine.metrics.own_metric import allow_metric
from engine.notebook import progress_shown
from engine.now.questions import now as now
from engine.now.questions import now_by_cluster as now_by_cluster
from engine.own.allowed_code import allow_named
from engine.own.declare import Declaration
from engine.policy.share import parse_share
from engine.reading.log import Log
from engine.reading.python_log import check_log, given_log, refuse_misspelt
from engine.run_source import schedule_of, schedules_of
from engine.runs import Measuring, RunSet, measured
from engine.schedule.schedule import FairBy
from engine.simulation.control import Control
from engine.simulation.stages import Stages
from engine.slurm.scheduler.verdicts import DoubtfulSiteError, site_verdicts
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.words import plural

if TYPE_CHECKING:
    import pandas as pd

    from engine.answer import Answer, LoggedJob
    from engine.learning.environment import Environment
    from engine.metrics.site_twin import SiteTwin
    from engine.metrics.waits import GroupWaits
    from engine.now.instant_queue import InstantQueue
    from engine.report.changed_site import ChangedSite
    from engine.report.moved_jobs import MovedJobs
    from engine.search.policy_search import PolicySearch
    from engine.sweep.outcome import StudyOutcome


def read(
    path: str | PathLike[str] | pd.DataFrame,
    *,
    machine: str = "",
    further: Sequence[str] = (),
    failures: str = "",
    power: str = "",
    columns: str = "",
    units: str = "",
    fields: str = "",
    clean: str | Sequence[str] = (),
    timezone: str = "",
    clusters: str | Sequence[str] = "",
    partitions: str | Sequence[str] = "",
    jobs: str = "",
    start: str = "",
    end: str = "",
    users: str | Sequence[str] = "",
    queues: str | Sequence[str] = "",
    dependencies: str = "",
    theta: float | str = "",
    rho: float | str = "",
    walltime_cap: str = "",
    rightsize: float | str = "",
    **unknown: Never,
) -> Log:
    """Read and clean a log, and find its machine; a DataFrame has a row for each job, with names of columns.

    Options are those of the command line, with the same spelling: `machine="20x80c505g"`, `users="ann,bob"`
    or `["ann", "bob"]`, `jobs="0:1000"`. `theta` multiplies the times between jobs, `rho` their processors,
    `walltime_cap` and `rightsize` cut what they ask for. The columns of a DataFrame are those of a CSV
    (submit, runtime, walltime, procs, user...), times in s or dates. Raises InputError.
    """
    refuse_misspelt(unknown, read, "logs are read")
    return given_log(
        path,
        {"theta": theta, "rho": rho, "walltime_cap": walltime_cap, "rightsize": rightsize},
        machine=machine,
        further=further,
        failures=failures,
        power=power,
        columns=columns,
        units=units,
        fields=fields,
        clean=clean,
        timezone=timezone,
        clusters=clusters,
        partitions=partitions,
        jobs=jobs,
        start=start,
        end=end,
        users=users,
        queues=queues,
        dependencies=dependencies,
    )


def compare(
    log: Log,
    policies: Sequence[str | Declaration] | str | Declaration,
    *,
    doubtful: bool = False,
    share: str = "fair",
    span: str = "",
    only: str = "",
    metrics: Sequence[str | Declaration] = (),
    penalty: str = "max",
    fair_starts: bool | Literal["estimate", "actual"] = False,
    estimate: str | None = None,
    seed: int | None = None,
    stages: Stages | None = None,
    **unknown: Never,
) -> RunSet:
    """Runs of the log under policies, each by its spelling; code of the user's own may be given itself.

    A site (`site:DIR`, or the path of a `slurm.conf`) runs on the machine of its files, unless the log was
    read with a machine of its own; the rest goes by the machine of the first site. What-ifs of a site whose
    model has accounts in another order than the log are left out, unless they are asked for (`doubtful`).
    `share`, `span`, `only`, `metrics` and `penalty` are as in `Measuring`. With `fair_starts` it is computed
    when jobs would have started without later submissions, by estimated or by `"actual"` runtimes. `estimate`
    and `seed` are of policies without their own. `stages` tells progress, and cancels. Raises InputError, and
    Cancelled.
    """
    refuse_misspelt(unknown, compare, "runs are compared")
    check_log(log)
    if not policies:
        raise InputError("there is no policy to run")
    if isinstance(policies, str | Declaration):
        policies = [policies]
    if isinstance(metrics, str | Declaration):
        metrics = (metrics,)
    how = Measuring(share, span, only, tuple(map(str, metrics)), penalty)  # own code may be given itself
    for text in how.metrics:
        allow_metric(text)
    # Raises errors before the first run.
    chosen = {str(policy): log.policy(policy, estimate, seed) for policy in policies}
    parse_share(how.share)
    log = log.on_site_machine(list(chosen.values()))
    # A site runs on the machine of its own files, every other policy on that of the log.
    on_machines = [(log.machine(policy), policy) for policy in chosen.values()]
    fair_by: FairBy = "actual" if fair_starts == "actual" else "estimate"
    stages = stages or Stages(Control(), len(on_machines))
    with progress_shown(plural(len(on_machines), "run"), lambda: stages.progress):
        schedules = schedules_of(
            log.trace, on_machines, log=True, fair_starts=bool(fair_starts), fair_by=fair_by, stages=stages
        )
    named = list(zip(chosen, schedules, strict=True))
    # A what-if is believed as far as the site's model meets the record; the others are named with the reason.
    hidden = {} if doubtful else site_verdicts(list(chosen), schedules, {}).hidden
    if len(hidden) == len(named):
        raise InputError(f"{named[0][0]}: {hidden[0]}; doubtful=True shows it")
    runs = measured(log, [each for place, each in enumerate(named) if place not in hidden], how)
    return replace(runs, not_shown={named[place][0]: why for place, why in hidden.items()})


def change(log: Log, at: str, before: str, after: str) -> ChangedSite:
    """What a change of a site's rules at a date did to the recorded waits of a log, and what explains it.

    `at` is an ISO date in the log's time zone, or seconds from its zero; `before` and `after` are sites
    (`site:DIR`, or the path of a `slurm.conf`). The result has the `sentence`, the groups of its `change`,
    and the schedules by both rules. Raises InputError.
    """
    from engine.report.changed_site import site_change  # which brings all kernels with it

    check_log(log)
    return site_change(log, at, log.policy(before), log.policy(after))


def twin(
    log: Log, site: str | PathLike[str] | Site, *, fit: bool = False, control: Control | None = None
) -> SiteTwin:
    """How near the simulation of a site's own Slurm comes to the starts that its log recorded.

    The site runs on the machine of its files, unless the log was read with a machine of its own. With a `fit`
    its delays and absent nodes are estimated from the first half of the log. Raises InputError, Cancelled.
    """
    from engine.metrics.site_twin import fitted_twin, twin_on

    check_log(log)
    read, control = site if isinstance(site, Site) else read_site_at(Path(site)), control or Control()
    with progress_shown("twin", lambda: control.progress):
        plain = twin_on(log, read, control)
    # A fit is many simulations: how many is known at its end.
    return fitted_twin(plain, control=control) if fit else plain


def queue(
    log: Log,
    policy: str | Declaration,
    at: str | int,
    *,
    replays: int = 0,
    cover: float = 0.8,
    seconds: float | None = None,
    seed: int = 0,
    arrivals: bool = True,
    instants: int | None = None,
    control: Control | None = None,
    **unknown: Never,
) -> InstantQueue:
    """Who waits at an instant under a policy, and when each job is planned to start; s from the log's zero.

    `at` is a date, or seconds. Without `replays` there is the plan alone; spans of so many of them are to
    hold the share `cover` of starts, and with `arrivals=False` no further job comes in these. They end after
    `seconds`, and are calibrated at so many `instants` of the log. Raises InputError, and Cancelled.
    """
    from engine.now.instant_queue import queue_at
    from engine.now.queue_forecast import Replaying

    refuse_misspelt(unknown, queue, "starts are predicted")
    check_log(log)
    chosen = log.policy(policy)
    log = log.on_site_machine([chosen])
    time = parse_time(str(at), log.trace)
    if time is None:
        raise InputError(f"{at}: no time; give seconds or an ISO date like 2013-02-28T14:30")
    schedule = schedule_of(log.trace, log.machine(chosen), chosen, log=True, control=control)
    return queue_at(schedule, time, Replaying(replays, cover, seconds, seed, arrivals, instants))


def search(
    log: Log,
    *,
    minimize: str | Declaration | Sequence[str | Declaration] | None = None,
    maximize: str | Declaration | Sequence[str | Declaration] = (),
    bounds: str = "",
    keys: str = "",
    policy: str | Declaration = "easy",
    baseline: str | Declaration = "",
    trials: int = 200,
    seed: int = 0,
    doubtful: bool = False,
    share: str = "fair",
    scheduler: str = "",
    control: Control | None = None,
    **unknown: Never,
) -> PolicySearch:
    """The best configuration for a log, tried on the first part of its time and judged on the rest.

    It is to `minimize` (the mean wait, if nothing is named) and `maximize` metrics, by name or of own code,
    within `bounds` (`"wait_max <= 10 %"`), by the values of `keys` (`"backfill=queue|sjf"`), both separated
    by commas, of a `policy`, against a `baseline`. `scheduler` is the address of a Dask cluster. Raises
    InputError, and Cancelled.
    """
    from engine.search.policy_search import search_on
    from engine.search.typed_question import TypedQuestion

    refuse_misspelt(unknown, search, "a search is made")
    check_log(log)
    for named in (policy, baseline):
        allow_named(str(named))  # of own code that was imported, its spelling
    most = _names(maximize)
    least = _names(minimize) if minimize is not None else () if most else ("wait_mean",)
    for text in (*least, *most):
        allow_metric(text)
    question = TypedQuestion(least, most, bounds, keys, str(policy), str(baseline), trials, seed, doubtful)
    done = [0.0]
    try:
        with progress_shown("search", lambda: done[-1]):
            return search_on(
                log, question, share=share, scheduler=scheduler, control=control, report=done.append
            )
    except DoubtfulSiteError as error:
        raise InputError(f"{error}; doubtful=True searches all the same") from None


def _names(texts: str | Declaration | Sequence[str | Declaration]) -> tuple[str, ...]:
    """The names of metrics; own code by its spelling."""
    return (str(texts),) if isinstance(texts, str | Declaration) else tuple(map(str, texts))


def waits(
    log: Log, policy: str | PathLike[str] = "", *, by: str = "account", control: Control | None = None
) -> GroupWaits:
    """What the waits under a policy are made of, by account, partition, user, week, or several with commas.

    Without a policy it is the recorded schedule, or `easy` for a log without starts. Reasons of schedules
    that keep none are inferred. Raises InputError, and Cancelled.
    """
    from engine.metrics.waits import parse_by, waits_of

    check_log(log)
    usual = "recorded" if log.trace.has_recorded_schedule else "easy"
    named = log.policy(str(policy) or usual)
    schedules_of_site = log.on_site_machine([named])
    schedule = schedule_of(
        schedules_of_site.trace, schedules_of_site.machine(named), named, log=True, control=control
    )
    return waits_of(schedule, parse_by(by))


def env(
    log: Log,
    *,
    jobs: int = 32,
    window: int = 256,
    metric: str = "wait_mean",
    baseline: str = "",
    backfill: bool = True,
) -> Environment:
    """A Gymnasium environment in which a policy learns to choose the next job; the log is on a pool.

    An episode is a `window` of as many consecutive jobs, drawn by the seed, on an empty machine. The first
    `jobs` that wait are observed, and an action is the place of one of them: it starts as soon as it fits,
    with `backfill` with others beside it that do not delay it. The reward of the last step is the `metric`,
    signed so that more is better, less that of the `baseline` policy. Raises InputError.
    """
    try:
        from engine.learning.environment import environment
    except ModuleNotFoundError as error:
        if error.name != "gymnasium":
            raise
        raise InputError("env needs Gymnasium: pip install gymnasium") from None
    check_log(log)
    allow_metric(metric)
    against = log.policy(baseline) if baseline else None
    return environment(log, jobs=jobs, window=window, metric=metric, baseline=against, backfill=backfill)


def explain(
    log: Log,
    policy: str | Declaration,
    job: int | str,
    *,
    what_if: bool = False,
    control: Control | None = None,
) -> Answer[LoggedJob]:
    """Why a job waited under a policy, by its id in the log: reasons in s that add up to its wait.

    `of.explanation` has them. With `what_if` changes of its request are tried. Raises InputError, and
    Cancelled.
    """
    from engine.answer import answer

    check_log(log)
    named = log.policy(policy)
    own = log.on_site_machine([named])
    number = own.job(job)  # raises its error before the simulation
    schedule = schedule_of(own.trace, own.machine(named), named, log=True, control=control)
    return answer(schedule, number, what_if=what_if)


def difference(
    log: Log,
    first: str | Declaration,
    second: str | Declaration,
    *,
    span: str = "",
    only: str = "",
    doubtful: bool = False,
) -> MovedJobs:
    """What a second policy changes against a first, job by job, in a `sentence` and in tables `by` groups.

    `span` (FROM:TO) and `only` (a filter) select the jobs. Raises InputError.
    """
    from engine.report.moved_jobs import MovedJobs

    runs = compare(log, [first, second], span=span, only=only, doubtful=doubtful)
    if len(runs) < 2:
        raise InputError(f"{first} and {second}: a difference is one of two runs")
    one, other = runs.runs[:2]
    return MovedJobs(one.evaluation, other.evaluation, (one.name, other.name))


def sweep(
    study: str | PathLike[str],
    logs: Log | Sequence[Log],
    folder: str | PathLike[str],
    *,
    doubtful: bool = False,
    scheduler: str = "",
    control: Control | None = None,
) -> StudyOutcome:
    """Carry out a study file, or a ready-made one by its name, on logs; rows are kept in `folder`.

    Runs that are there already are not made again. `scheduler` is the address of a Dask cluster. Raises
    InputError, OSError, and Cancelled.
    """
    from engine.sweep.outcome import outcome_of

    logs_of_sweep = [logs] if isinstance(logs, Log | str) else list(logs)
    for log in logs_of_sweep:
        check_log(log)
    done = [0.0]
    with progress_shown("study", lambda: done[-1]):
        return outcome_of(
            study,
            logs_of_sweep,
            Path(folder),
            doubtful=doubtful,
            scheduler=scheduler,
            control=control,
            report=done.append,
        )


def generate(
    path: str | PathLike[str],
    *,
    model: str = "",
    like: str | PathLike[str] | Log = "",
    jobs: int | None = None,
    load: float | None = None,
    users: int | None = None,
    machine: str = "",
    seed: int | None = None,
) -> Log:
    """Write a synthetic log with its machines file, and read it: of a `model`, or like a log that is given.

    Models are lublin, bursty, saturated and campus. `load` is the share of the machine that jobs ask for. The
    name ends in .swf, .csv, and .gz where it is compressed. Raises InputError, OSError.
    """
    from engine.logs.read import read_trace
    from engine.reading.read import machine_at
    from engine.trace.generate import write_log
    from engine.trace.generate.models import generated

    origin = like.trace if isinstance(like, Log) else read_trace(Path(like)) if like else None
    cluster = machine_at(machine) if machine else None
    write_log(generated(model, origin, seed, jobs=jobs, load=load, users=users, cluster=cluster), Path(path))
    return read(path)
