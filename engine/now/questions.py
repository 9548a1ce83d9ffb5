"""The questions when the jobs of a queue start, of one cluster or of each, put together in one place."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from engine.machine.cluster import Cluster
from engine.notebook import progress_shown
from engine.reading.log import Log
from engine.reading.python_log import refuse_misspelt
from engine.reading.read import machine_at
from engine.simulation.control import Control

if TYPE_CHECKING:
    from engine.logs.queue.state import QueuedJob, QueueState
    from engine.now.log_spans import LogSpans
    from engine.now.queue_forecast import QueueForecast
    from engine.now.site_queue import AnyQueue, AnySite


def now(
    site: AnySite | Sequence[AnySite],
    queue: AnyQueue,
    log: Log | None = None,
    *,
    cluster: str = "",
    at: str = "",
    job: str | QueuedJob | None = None,
    machine: str | Cluster | None = None,
    timezone: str = "",
    keep: str | PathLike[str] | None = None,
    learned: LogSpans | None = None,
    control: Control | None = None,
    replays: int = 100,
    cover: float = 0.8,
    seconds: float | None = None,
    seed: int = 0,
    arrivals: bool = False,
    instants: int | None = None,
    **unknown: Never,
) -> QueueForecast:
    """When the jobs of a queue start, by the site's own Slurm on the machine of its files; s from now.

    `site` is a `slurm.conf`, a folder of a site's files or a spelled machine, or several of these, of which
    that of the queue's cluster is used. `queue` is a file that squeue printed: `cluster` is the one that is
    asked about if it has several, and it was printed `at` a time, like 2026-11-29T10:00, if it has no date.
    Runtimes are drawn of the `log`, and spans calibrated on it. `job` is one that is submitted now, like
    2x64c256g/12h. `machine` is another than the site's. What was `learned` of the log's spans, as an earlier
    answer has it, is not found again. Predictions are kept in the file `keep`, and correct
    later ones. `replays`, `cover`, `seconds`, `seed`, `arrivals` and `instants` are those of `Replaying`.
    Raises InputError, and Cancelled.
    """
    from engine.logs.queue.clusters import queue_of_cluster
    from engine.now.queue_forecast import Replaying, forecast_queue
    from engine.now.site_queue import job_spelled, queue_at_site, queues_in, site_in
    from engine.now.stored_predictions import read_own, write_kept

    refuse_misspelt(unknown, now, "starts are predicted")
    # The machine is that of the cluster whose queue was printed.
    state = queue_of_cluster(queues_in(queue, at, timezone), cluster)
    read = site_in(site, state.cluster)
    asked = job_spelled(job) if isinstance(job, str) else job
    other = machine_at(machine) if isinstance(machine, str) else machine
    # Former predictions are read first; they are written after the new predictions are known.
    kept = None if keep is None else read_own(Path(keep))
    control = control or Control()
    with progress_shown("replays", lambda: control.progress):
        answer = forecast_queue(
            queue_at_site(read, state, log, other, timezone),
            Replaying(replays, cover, seconds, seed, arrivals, instants),
            asked=asked,
            learned=learned,
            kept=kept,
            control=control,
        )
    if keep is not None:
        write_kept(Path(keep), answer.kept)
    return answer


def now_by_cluster(
    site: AnySite | Sequence[AnySite],
    queue: AnyQueue | Sequence[QueueState],
    log: Log | None = None,
    *,
    at: str = "",
    job: str | QueuedJob | None = None,
    machine: str | Cluster | None = None,
    timezone: str = "",
    keep: str | PathLike[str] | None = None,
    learned: LogSpans | None = None,
    control: Control | None = None,
    replays: int = 100,
    cover: float = 0.8,
    seconds: float | None = None,
    seed: int = 0,
    arrivals: bool = False,
    instants: int | None = None,
    **unknown: Never,
) -> dict[str, QueueForecast]:
    """What `now` answers of the queue of each cluster in a print, by the name of the cluster.

    A print that names no cluster has a single answer, under an empty name. The options are those of `now`.
    Raises InputError, and Cancelled.
    """
    from engine.now.site_queue import queues_in

    refuse_misspelt(unknown, now_by_cluster, "starts are predicted")
    # Each option is an argument, so that editors complete it; here they are handed on.
    how: dict[str, Any] = {
        **{"job": job, "machine": machine, "timezone": timezone, "keep": keep, "learned": learned},
        **{"control": control, "replays": replays, "cover": cover, "seconds": seconds, "seed": seed},
        **{"arrivals": arrivals, "instants": instants},
    }
    return {state.cluster: now(site, state, log, **how) for state in queues_in(queue, at, timezone)}
