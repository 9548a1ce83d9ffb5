"""The queue for its users, as a page, a fragment of a page, a document and metrics that a program renews.

All four are made from one `PublishedQueue`. Its public form has no user, account or job name,
and no sentence that may hold one: jobs are found by their ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from statistics import median
from typing import NamedTuple

from app.export.now_page import now_page
from app.export.now_table import NOW_TITLES, NOW_WORDS, now_row, now_summary
from engine.logs.queue.state import RUNNING, QueuedJob
from engine.metrics.waits import KINDS
from engine.now.prediction import Prediction
from engine.now.queue_forecast import QueueForecast
from engine.now.span_claims import coming_claim, text_of
from engine.now.spans_meaning import share_claim
from engine.shown_text import html_text
from engine.words import format_seconds, plural

FORMAT, VERSION = "batchscope-queue", 1
"""The document's name and version: the version grows when a field goes or changes its meaning."""

_SHOWN = ("job", "partition", "CPUs", "planned start", "expected start", "span from", "to", "why")
_SHOWN_WORDS = tuple(place for place, title in enumerate(_SHOWN) if NOW_TITLES.index(title) in NOW_WORDS)


@dataclass(frozen=True)
class PublishedQueue:
    """The queue as it is published: the last forecast that was made, and the error of the last try, if any.

    `answer` is None until there was one. `written` is when this was made, and `read` when the queue was last
    read, in Unix seconds; it is renewed `every` so many s. `failure` says why the last try failed; empty: it
    did not.
    """

    answer: QueueForecast | None
    written: int
    read: int | None
    every: int
    failure: str = ""
    public: bool = False

    @property
    def age(self) -> int | None:
        """How old the queue is, s; None where none was read."""
        return None if self.read is None else max(self.written - self.read, 0)

    @cached_property
    def table(self) -> tuple[Sequence[str], list[list[str]], Sequence[int]]:
        """Titles, rows and the columns of words; in the public form without what may name somebody.

        Page and fragment show the same.
        """
        predictions = () if self.answer is None else self.answer.forecast.waiting
        rows = [now_row(prediction, self.read) for prediction in predictions]
        if not self.public:
            return NOW_TITLES, rows, NOW_WORDS
        places = [NOW_TITLES.index(title) for title in _SHOWN]
        shown = [[row[place] for place in places] for row in rows]
        for row, prediction in zip(shown, predictions, strict=True):
            row[-1] = public_reason(prediction)
        return _SHOWN, shown, _SHOWN_WORDS


def queue_document(view: PublishedQueue) -> dict[str, object]:
    """The queue for programs, in the format `batchscope-queue` of the guide; times in s from `printed`."""
    head: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "written": view.written,
        "printed": view.read,
        "every": view.every,
        "failure": (view.failure and "the queue could not be read") if view.public else view.failure,
        "public": view.public,
    }
    if view.answer is None:
        return {**head, "running": None, "waiting": []}
    facts = view.answer.facts()
    del facts["time"]  # `printed` says it, also of a print without a date
    if view.public:
        # Notes, and what spans are calibrated on, may name files, users and accounts.
        for name in ("notes", "evidence", "track_record"):
            del facts[name]
        facts["waiting"] = [_public_facts(prediction) for prediction in view.answer.forecast.waiting]
    return {**head, **facts}


def _public_facts(prediction: Prediction) -> dict[str, object]:
    job, times = prediction.job, ("planned", "expected", "early", "late")
    return {
        "job_id": job.job_id,
        "partition": job.partition,
        "cpus": job.cpus,
        **{name: getattr(prediction, name) for name in times},
        "held_by": None if prediction.reason is None else prediction.reason.name,
    }


def published_page(view: PublishedQueue) -> str:
    """The page: it says how old it is by the reader's clock, and loads itself again."""
    heads, rows, left = view.table
    renewed = view.read, view.every
    return now_page("Queue now", _summary(view), heads, rows, left, alerts=_status(view), renewed=renewed)


def published_fragment(view: PublishedQueue) -> str:
    """The table as a section without style and script, to be put into another page, such as a portal's."""
    heads, rows, _ = view.table
    titles = "".join(f'<th scope="col">{html_text(head)}</th>' for head in heads)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html_text(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    status = "".join(f'<p role="alert">{html_text(text)}</p>\n' for text in _status(view))
    return (
        f'<section class="batchscope-queue" data-version="{VERSION}" data-printed="{view.read or ""}">\n'
        f"<p>{html_text(_summary(view))}</p>\n{status}"
        f"<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</section>\n"
    )


def public_reason(prediction: Prediction) -> str:
    """The kind of reason for which a job waits, without a name."""
    if prediction.reason is None:
        return ""
    kind = prediction.reason.kind
    return "next pass" if kind is None else _KIND_WORDS.get(kind, "not known")


_KIND_WORDS: Mapping[int, str] = {decision: words for words, kinds in KINDS.items() for decision in kinds}


def _summary(view: PublishedQueue) -> str:
    if view.answer is None:
        return "The queue has not been read yet."
    if not view.public:
        return now_summary(view.answer)
    # The usual summary names the log that runtimes are drawn from.
    found = view.answer.forecast
    running = sum(job.state == RUNNING for job in view.answer.state.jobs)
    text = f"running jobs: {running:,}, waiting: {len(found.waiting):,}"
    if found.share is not None:
        text += f"; {text_of([share_claim(found.share)])}"
    return f"{text}; in replays {text_of([coming_claim(found.weeks)])}" if found.replays else text


def _status(view: PublishedQueue) -> list[str]:
    """What a reader has to know before the table is believed; usually nothing."""
    if not view.failure:
        return []
    # The reason may name files and hosts, which the public need not know.
    why = "" if view.public else f" ({view.failure})"
    # Either nothing was read yet, or an older queue is shown, whose age is told.
    if view.read is None:
        return [
            f"The queue could not be read{why}. The next try is made within {format_seconds(view.every)}."
        ]
    moment = datetime.fromtimestamp(view.read, UTC).strftime("%Y-%m-%d %H:%M UTC")
    old = format_seconds(view.age or 0)
    return [
        f"The queue could not be read again{why}: below is that of {moment}, {old} old when this was written."
    ]


class _Gauge(NamedTuple):
    """A metric in the text format of Prometheus: its name, what it is, and its values by their labels."""

    name: str
    about: str
    values: list[tuple[Mapping[str, str], float]]

    def lines(self) -> list[str]:
        rows = [f"# HELP batchscope_{self.name} {self.about}", f"# TYPE batchscope_{self.name} gauge"]
        for labels, value in self.values:
            told = ",".join(f'{key}="{_label(text)}"' for key, text in labels.items())
            rows.append(f"batchscope_{self.name}{f'{{{told}}}' if told else ''} {value:.15g}")
        return rows


def queue_metrics(view: PublishedQueue) -> str:
    """The queue as text for Prometheus: waiting jobs and expected waits by partition, account and QOS.

    An expected wait is the median over waiting jobs of their expected starts, s from now; of a job without
    replays that of its plan. The public form has no accounts and no QOS, which some sites name after these.
    """
    gauges = [
        _Gauge("up", "1 if the last try to read the queue did not fail.", [({}, float(not view.failure))]),
        _Gauge("written_timestamp_seconds", "When this was written.", [({}, view.written)]),
    ]
    if view.read is not None:
        gauges.append(_Gauge("printed_timestamp_seconds", "When the queue was printed.", [({}, view.read)]))
    if view.answer is not None:
        gauges += _queue_gauges(view.answer, public=view.public)
    return "\n".join(line for gauge in gauges for line in gauge.lines()) + "\n"


def _queue_gauges(answer: QueueForecast, *, public: bool) -> list[_Gauge]:
    running = sum(job.state == RUNNING for job in answer.state.jobs)
    gauges = [
        _Gauge("running_jobs", "Running jobs.", [({}, running)]),
        _Gauge("waiting_jobs", "Waiting jobs.", [({}, len(answer.forecast.waiting))]),
    ]
    for by in ("partition",) if public else ("partition", "account", "qos"):
        groups = _groups(answer.forecast.waiting, lambda job, by=by: str(getattr(job, by)))  # type: ignore[misc]
        counts: list[tuple[Mapping[str, str], float]] = [
            ({by: name}, len(jobs)) for name, jobs in groups.items()
        ]
        gauges.append(_Gauge(f"{by}_waiting_jobs", f"Waiting jobs by {by}.", counts))
        waits: list[tuple[Mapping[str, str], float]] = []
        for name, jobs in groups.items():
            starts = [each.expected if each.expected is not None else each.planned for each in jobs]
            known = [start for start in starts if start is not None]
            # A group of held jobs has no expected wait: no value is another thing than 0.
            if known:
                waits.append(({by: name}, median(known)))
        about = f"Median of the further waits that are expected, by {by}."
        gauges.append(_Gauge(f"{by}_expected_wait_seconds", about, waits))
    if answer.score is not None:
        within: list[tuple[Mapping[str, str], float]] = [({}, answer.score.within)]
        about = "Share of kept predictions whose jobs started within their spans."
        gauges.append(_Gauge("predictions_within_ratio", about, within))
        gauges.append(
            _Gauge("predictions_scored", "Kept predictions whose jobs started.", [({}, answer.score.jobs)])
        )
    return gauges


def _groups(
    waiting: Sequence[Prediction], name_of: Callable[[QueuedJob], str]
) -> dict[str, list[Prediction]]:
    groups: defaultdict[str, list[Prediction]] = defaultdict(list)
    for prediction in waiting:
        groups[name_of(prediction.job)].append(prediction)
    return dict(sorted(groups.items()))


def _label(text: str) -> str:
    """A label's value as the text format wants it."""
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def renewed_words(view: PublishedQueue) -> str:
    """A line for a log of services: how many jobs wait, or what failed."""
    if view.failure:
        return f"not renewed: {view.failure}"
    waiting = 0 if view.answer is None else len(view.answer.forecast.waiting)
    return f"renewed: {plural(waiting, 'waiting job')}"
