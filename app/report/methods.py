"""The methods paragraph of a report: trace, cleaning, machine, policies, formulas, version."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from engine.metrics.catalog import METRICS
from engine.metrics.metric_names import parse_metric
from engine.metrics.own_metric import own_metric
from engine.report import Compared
from engine.trace import Trace
from engine.words import listed, plural, spaced_thousands
from views.text.ticks import axis_of

KEY_METRICS = (
    *("wait_mean", "wait_median", "wait_p95", "wait_max", "bounded_slowdown_mean", "response_mean", "awf"),
    *("veet_median", "veet_q3", "violated_jobs", "wt_total", "jain_wait", "nuwt_std"),
    *("utilization", "makespan", "loss_of_capacity_fit", "backfilled"),
)
"""The metrics that a report shows; all of them are in its tables."""


def methods(compared: Compared, share: str, machine: str, machines: Sequence[str]) -> list[str]:
    """Paragraphs with everything needed to reproduce the results.

    `share` is the users' expected share, `machine` the given name of the machine, `machines` those of all
    runs.
    """
    trace = compared.trace
    paragraphs = [_log(trace), _cleaning(trace)]
    whose = "a machine of the user's choice" if machine else "the log's own machine"
    # Runs may be on machines of their own: each is named once.
    paragraphs.append(f"Machine: {listed(list(dict.fromkeys(machines)))}, {whose}.")
    runs = "; ".join(
        name
        if name == evaluation.schedule.policy.spelling
        else f"{name} = {evaluation.schedule.policy.spelling}"
        for name, evaluation in zip(compared.names, compared.evaluations, strict=True)
    )
    measured = int(compared.base.jobs.sum())
    reference = "the recorded schedule" if trace.has_recorded_schedule else "the schedule of easy"
    paragraphs.append(
        f"Policies, in the spelling of Batchscope: {runs}. All are measured over the same "
        f"{plural(measured, 'job')}, those that every policy ran. Expected ends come from the share {share} "
        f"of each user in {reference}. Changes are given with the 95 % interval of the mean weekly change, "
        "from 12 weeks on (Andrews & Monahan 1992; Zwiers & von Storch 1995)."
    )
    # Code may have been used by policies or by metrics, and is listed once for both.
    asked = compared.base.extra
    files = dict.fromkeys(
        [
            *(
                evaluation.schedule.policy.own.file
                for evaluation in compared.evaluations
                if evaluation.schedule.policy.own is not None
            ),
            *(own.file for own in map(own_metric, asked) if own is not None),
        ]
    )
    paragraphs += [
        f"{file.path} is code of the user's own; the SHA-256 digest of its text, with the modules that it "
        f"imports from its folder, is {file.digest}. The text is among the files of this report."
        for file in files
    ]
    metrics = [*(METRICS[name] for name in KEY_METRICS), *map(parse_metric, asked)]
    paragraphs += [f"{metric.label}: {metric.definition}" for metric in metrics]
    paragraphs.append(f"Made by Batchscope {version('batchscope')}; the same inputs give the same schedules.")
    return paragraphs


def _log(trace: Trace) -> str:
    axis = axis_of(trace)
    first, last = (axis.format(float(trace.submit[place])) for place in (0, -1))
    users = plural(len(set(trace.user.codes.tolist())), "user")
    return (
        f"Log: {trace.shown_name}, {plural(len(trace), 'job')} of {users}, submitted {first} to {last} "
        f"({trace.timezone})."
    )


def _cleaning(trace: Trace) -> str:
    if not trace.notes:
        return "Cleaning: nothing had to be changed."
    # A note on the log as a whole has no number to tell.
    texts = (
        spaced_thousands(note.text) + (f" ({plural(note.count, 'time')})" if note.count > 1 else "")
        for note in trace.notes
    )
    text = "; ".join(texts)
    return f"Cleaning and quality notes: {text}."
