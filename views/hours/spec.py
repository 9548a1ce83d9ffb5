"""The view of waits by hour and weekday."""

from views.spec import run_plots

HOURS = run_plots(
    "hours",
    "Hours",
    plots="views.hours.plots:hour_page",
    names=("Waits by hour", "Waits by weekday"),
    empty="This view shows at which hours jobs with long waits are submitted.\n"
    "It appears when the first run is finished and compared.",
    figure="H&ours…",
    tip="Mean waits by the hour of the day and the day of the week of submission, one lane per run",
)
