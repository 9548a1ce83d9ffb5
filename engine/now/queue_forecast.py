"""The question `now`: a site's queue planned and replayed, its spans, and a job that is submitted now."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import InputError
from engine.logs.queue.state import NEW, RUNNING, QueuedJob, QueueState
from engine.now.log_arrivals import past_of
from engine.now.log_instants import REPLAYS
from engine.now.log_spans import (
    INSTANTS,
    LogSpans,
    learn_spans,
    learned_of_replays,
    with_spans,
)
from engine.now.prediction import Forecast, Prediction, asked_job, first_forecast, predict, within
from engine.now.site_queue import SiteQueue
from engine.now.span_claims import text_of
from engine.now.spans import predicted_and_kept
from engine.now.stored_predictions import Kept, PredictionScore, score_of
from engine.now.waiting import is_deep
from engine.simulation.control import Cancelled, Control
from engine.slurm.scheduler.refusals import Refusal, refusal_of
from engine.words import plural

if TYPE_CHECKING:
    from pandas import DataFrame


class Replaying(NamedTuple):
    """How starts are predicted: by so many `replays`, as many of them as `seconds` suffice for, None: all.

    Spans are to hold the share `cover` of real starts, from 0 to 1. With `arrivals` further jobs come as in
    the last weeks of the log. So many `instants` of the log calibrate spans, 0: none; None: as many as is
    usual. They are never fewer on a busy machine: what is claimed depends on what is known alone.
    """

    replays: int = 100
    cover: float = 0.8
    seconds: float | None = None
    seed: int = 0
    arrivals: bool = False
    instants: int | None = None

    @property
    def calibrating(self) -> int:
        """The number of instants that spans are calibrated at."""
        return INSTANTS if self.instants is None else self.instants

    @property
    def replays_then(self) -> int:
        """Replays at each of these instants: as many as of the present queue, and 30 at most."""
        return min(self.replays, REPLAYS)


@dataclass(frozen=True, eq=False)
class QueueForecast:
    """A site's queue with its forecast: everything that is shown of it.

    `learned` is what the log says of spans. `kept` are predictions to keep, as they are now. The job that was
    `asked` about is the last of `jobs`; where it is `refused` nothing was planned for it.
    """

    queue: SiteQueue
    forecast: Forecast
    learned: LogSpans | None = None
    kept: tuple[Kept, ...] = ()
    asked: QueuedJob | None = None
    refused: Refusal | None = None

    @property
    def state(self) -> QueueState:
        """The queue as it was printed, without a job that was asked about."""
        return self.queue.state

    @property
    def jobs(self) -> tuple[QueuedJob, ...]:
        """The jobs of the queue, and the one that was asked about."""
        return self.state.jobs if self.asked is None else (*self.state.jobs, self.asked)

    @property
    def score(self) -> PredictionScore | None:
        """How well kept predictions came true; None where no such job has started."""
        return score_of(self.kept)

    @property
    def track_record(self) -> str:
        """The score in words; empty without one."""
        score = self.score
        if score is None:
            return ""
        return f"of {plural(score.jobs, 'prediction')} {100 * score.within:.0f} % came within their interval"

    def prediction(self, job: QueuedJob) -> Prediction | None:
        """The prediction of a waiting or held job; None for a running job."""
        return next((each for each in self.forecast.waiting if each.job is job), None)

    def __repr__(self) -> str:
        waiting = plural(len(self.forecast.waiting), "job")
        return f"<queue of {self.state.cluster or 'a site'}: predicted starts of {waiting}>"

    def facts(self) -> dict[str, object]:
        """The queue for programs; times in s from now. `cover` is the share that spans held, if measured."""
        forecast = self.forecast
        shown = ("job_id", "user", "account", "partition", "cpus", "reason")
        times = ("planned", "expected", "early", "late", "why")
        return {
            "time": self.state.time,
            "replays": forecast.replays,
            "coarse": forecast.coarse,
            "weeks": forecast.weeks,
            "cover": forecast.share,
            "calibrated": bool(forecast.evidence),
            "evidence": text_of(forecast.evidence or forecast.doubt),
            "notes": list(self.state.notes),
            "running": sum(job.state == RUNNING for job in self.state.jobs),
            "waiting": [
                {name: getattr(each, name) for name in times}
                | {name: getattr(each.job, name) for name in shown}
                | {"held_by": None if each.reason is None else each.reason.name}
                for each in forecast.waiting
            ],
            "track_record": self.track_record or None,
            **({} if self.asked is None else {"refused": self.refused.text if self.refused else None}),
        }

    @property
    def waiting(self) -> DataFrame:
        """A row for each waiting job by planned start; its starts are in s from now."""
        import pandas as pd

        rows = [{**asdict(each.job), **asdict(each)} for each in self.forecast.waiting]
        columns = ("job_id", "user", "account", "partition", "cpus", "nodes", "waited")
        starts = ("planned", "expected", "early", "late")
        frame = pd.DataFrame(rows, columns=[*columns, *starts, "why"])
        return frame.astype(dict.fromkeys(starts, "Int64"))


def first_plan(queue: SiteQueue) -> QueueForecast:
    """The queue planned by time limits alone, of a deep queue in coarse steps: a first answer.

    Raises InputError.
    """
    site, jobs = queue.site, queue.state.jobs
    quick = first_forecast(site, jobs) if is_deep(jobs) else predict(site, jobs, replays=0)
    return QueueForecast(queue, quick)


def forecast_queue(
    queue: SiteQueue,
    how: Replaying,
    *,
    asked: QueuedJob | None = None,
    learned: LogSpans | None = None,
    kept: Sequence[Kept] | None = None,
    control: Control | None = None,
) -> QueueForecast:
    """The forecast of the queue, and of a job that is `asked` about beside it.

    `learned` is what the log says of spans, where that was found before. With predictions that were `kept`
    the spans are corrected. The control is told how many replays are done. Raises Cancelled, and InputError.
    """
    _refuse_without_log(queue, how)
    control = Control() if control is None else control
    site, jobs, refused = queue.site, queue.state.jobs, None
    simulated = jobs
    # The asked job is planned behind all that wait, as if it was submitted now.
    if asked is not None:
        asked = asked_job(jobs, queue.fitted(asked))
        # What Slurm does not take is in nobody's way, and gets no planned start.
        refused = refusal_of(site, jobs, asked)
        simulated = jobs if refused is not None else (*jobs, asked)
    past = past_of(site.conf.machine, queue.log, how.arrivals)
    if how.arrivals and not past.coming:
        queue = queue.noted("the log has less than a week of submissions: no further job comes in replays")
    forecast = predict(
        site,
        simulated,
        replays=how.replays,
        cover=how.cover,
        past=past,
        seed=how.seed,
        enough=_until(control, how.replays, how.seconds),
    )
    if control.cancelled:  # after the last look
        raise Cancelled
    if asked is not None and refused is not None:
        none = Prediction(asked, None, None, None, None, refused.reason)
        forecast = replace(forecast, waiting=(*forecast.waiting, none))
    if learned is None and forecast.replays:
        learned = _learned(queue, how, control)
    # What the log taught holds for as many replays as it was learned with.
    usable = learned
    if learned is not None:
        usable = learned_of_replays(learned, forecast.replays, how.replays_then)
    forecast = with_spans(forecast, queue.cycle, how.cover, usable)
    marked: tuple[Kept, ...] = ()
    if kept is not None:
        # Predictions are kept with a date: it is the present if the print has no date.
        state = queue.state
        dated = state if state.time is not None else replace(state, time=int(time.time()))
        forecast, marked = predicted_and_kept(forecast, kept, dated, how.cover)
        marked = tuple(each for each in marked if each.job_id != NEW)
    return QueueForecast(queue, forecast, learned, marked, asked, refused)


def _refuse_without_log(queue: SiteQueue, how: Replaying) -> None:
    if queue.log is not None:
        return
    if how.arrivals:
        raise InputError("further jobs come as in the last weeks of a log: give a log")
    if how.instants:
        raise InputError("spans are calibrated at instants of a log: give a log")


def _learned(queue: SiteQueue, how: Replaying, control: Control) -> LogSpans | None:
    """What the log says of spans; None without a log, or where it is not to be asked. Raises InputError."""
    # Zero instants is the user's way to ask for none.
    if queue.log is None or how.instants == 0:
        return None
    learned = learn_spans(
        queue.site,
        queue.log,
        how.calibrating,
        replays=how.replays_then,
        cover=how.cover,
        seed=how.seed,
        arrivals=how.arrivals,
        enough=_until(control, how.calibrating, None),
    )
    # Where the user asked for it by number, silence would be wrong: it is an error.
    if how.instants is not None and learned.by is None:
        raise InputError(f"no calibration: {learned.words}")
    return learned


def _until(control: Control, most: int, seconds: float | None) -> Callable[[int], bool]:
    """Tells a control how many of `most` replays, or instants, are done.

    It ends them in time, and raises Cancelled as asked to.
    """
    control.jobs = most
    begun: list[Callable[[int], bool]] = []  # from the first replays on: the plan takes as long as it does

    def enough(done: int) -> bool:
        if control.cancelled:
            raise Cancelled
        if not begun:
            begun.append(within(seconds) if seconds is not None else lambda _: False)
        control.array[1] = done
        return begun[0](done)

    return enough
