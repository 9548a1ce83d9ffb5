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
from dataclasses import fields, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.dates import parse_time
from engine.errors import InputError
from engine.given import schedule_of, schedules_of
from engine.metrics.own_metric import allow_metric
from engine.now.questions import now as now
from engine.now.questions import now_by_cluster as now_by_cluster
from engine.own.allowed import allow_named
from engine.own.declare import Declaration
from engine.policy.share import parse_share
from engine.reading.log import Log
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.runs import Measuring, Runs, measured
from engine.slurm.scheduler.verdicts import DoubtfulSiteError, site_verdicts
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from engine.spelling import refuse_unknown

if TYPE_CHECKING:
    from engine.learning.environment import Environment
    from engine.metrics.site_twin import SiteTwin
    from engine.metrics.waits import Waits
    from engine.now.instant_queue import InstantQueue
    from engine.report.changed_site import ChangedSite
    from engine.search.policy_search import PolicySearch
    from engine.simulation.control import Control


def read(path: str | PathLike[str], **options: str | Sequence[str]) -> Log:
    """Read and clean a log, and find its machine.

    `options` are those of the command line by name: machine, jobs, start, end, users, queues, partitions,
    timezone, clean... (the fields of `Reading`), with the same spelling. Raises InputError.
    """
    known = {field.name for field in fields(Reading)} - {"measure"}
    refuse_unknown(options, sorted(known), "logs are read")
    given: dict[str, Any] = {
        name: value if isinstance(value, str) else tuple(value) for name, value in options.items()
    }
    if isinstance(given.get("clean"), str):
        given["clean"] = (given["clean"],)
    reading = replace(Reading(), **given)
    log = read_log_as(Path(path), reading)
    return Log(log.trace, log.cluster, bool(reading.machine), Path(path), reading)


def compare(
    log: Log, policies: Sequence[str | Declaration], *, doubtful: bool = False, **measuring: Any
) -> Runs:
    """Runs of the log under policies, each by its spelling; code of the user's own may be given itself.

    A site (`site:DIR`, or the path of a `slurm.conf`) runs on the machine of its files, unless the log was
    read with a machine of its own; the rest goes by the machine of the first site. What-ifs of a site whose
    model has accounts in another order than the log are left out, unless they are asked for (`doubtful`).
    `measuring` are the fields of `Measuring`: share, span, only, metrics, penalty. Raises InputError.
    """
    if not policies:
        raise InputError("there is no policy to run")
    if isinstance(policies, str | Declaration):
        policies = [policies]
    refuse_unknown(measuring, [field.name for field in fields(Measuring)], "runs are measured")
    if "metrics" in measuring:  # those of own code may be given themselves, too
        measuring["metrics"] = tuple(map(str, measuring["metrics"]))
    how = Measuring(**measuring)
    for text in how.metrics:
        allow_metric(text)
    chosen = {str(policy): log.policy(policy) for policy in policies}  # raises errors before the first run
    parse_share(how.share)
    log = log.on_site_machine(list(chosen.values()))
    on_machines = [(log.machine(policy), policy) for policy in chosen.values()]
    schedules = schedules_of(log.trace, on_machines, log=True)
    named = list(zip(chosen, schedules, strict=True))
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

    return site_change(log, at, log.policy(before), log.policy(after))


def twin(
    log: Log, site: str | PathLike[str] | Site, *, fit: bool = False, control: Control | None = None
) -> SiteTwin:
    """How near the simulation of a site's own Slurm comes to the starts that its log recorded.

    The site runs on the machine of its files, unless the log was read with a machine of its own. With a `fit`
    its delays and absent nodes are estimated from the first half of the log. Raises InputError, Cancelled.
    """
    from engine.metrics.site_twin import fitted_twin, twin_on

    plain = twin_on(log, site if isinstance(site, Site) else read_site_at(Path(site)), control)
    return fitted_twin(plain, control=control) if fit else plain


def queue(
    log: Log, policy: str, at: str | int, *, control: Control | None = None, **how: Any
) -> InstantQueue:
    """Who waits at an instant under a policy, and when each job is planned to start; s from the log's zero.

    `at` is a date, or seconds. `how` are fields of `Replaying`; without `replays` there is the plan alone,
    with `arrivals=False` no further job comes in these.
    Raises InputError, and Cancelled.
    """
    from engine.now.instant_queue import queue_at
    from engine.now.queue_forecast import Replaying

    refuse_unknown(how, Replaying._fields, "starts are predicted")
    chosen = log.policy(policy)
    log = log.on_site_machine([chosen])
    time = parse_time(str(at), log.trace)
    if time is None:
        raise InputError(f"{at}: no time; give seconds or an ISO date like 2013-02-28T14:30")
    schedule = schedule_of(log.trace, log.machine(chosen), chosen, log=True, control=control)
    return queue_at(schedule, time, Replaying(**{"replays": 0, "arrivals": True, **how}))


def search(
    log: Log, *, share: str = "fair", scheduler: str = "", control: Control | None = None, **asked: Any
) -> PolicySearch:
    """The best configuration for a log, tried on the first part of its time and judged on the rest.

    `asked` are the fields of `TypedQuestion`: minimize and maximize (names of metrics), bounds, keys, policy,
    baseline, trials, seed, doubtful. `scheduler` is the address of a Dask cluster. Raises InputError, and
    Cancelled.
    """
    from engine.search.policy_search import search_on
    from engine.search.typed_question import TypedQuestion

    refuse_unknown(asked, [field.name for field in fields(TypedQuestion)], "a search is made")
    for name in {"policy", "baseline"} & asked.keys():
        asked[name] = str(asked[name])  # of own code that was imported, its spelling
        allow_named(asked[name])
    goals = {
        name: (str(texts),) if isinstance(texts, str | Declaration) else tuple(map(str, texts))
        for name in ("minimize", "maximize")
        if (texts := asked.get(name)) is not None
    }
    for text in (text for texts in goals.values() for text in texts):
        allow_metric(text)
    if "maximize" in goals and "minimize" not in goals:
        goals["minimize"] = ()
    question = TypedQuestion(**{**asked, **goals})
    try:
        return search_on(log, question, share=share, scheduler=scheduler, control=control)
    except DoubtfulSiteError as error:
        raise InputError(f"{error}; doubtful=True searches all the same") from None


def waits(
    log: Log, policy: str | PathLike[str] = "", *, by: str = "account", control: Control | None = None
) -> Waits:
    """What the waits under a policy are made of, by account, partition, user, week, or several with commas.

    Without a policy it is the recorded schedule, or `easy` for a log without starts. Reasons of schedules
    that keep none are inferred. Raises InputError, and Cancelled.
    """
    from engine.metrics.waits import parse_by, waits_of

    usual = "recorded" if log.trace.has_recorded_schedule else "easy"
    named = log.policy(str(policy) or usual)
    own = log.on_site_machine([named])
    schedule = schedule_of(own.trace, own.machine(named), named, log=True, control=control)
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
    allow_metric(metric)
    against = log.policy(baseline) if baseline else None
    return environment(log, jobs=jobs, window=window, metric=metric, baseline=against, backfill=backfill)
