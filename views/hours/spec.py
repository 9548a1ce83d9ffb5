"""The view of waits by hour and weekday."""

from views.spec import run_plots

HOURS = run_plots(
    "hours",
    "Hours",
    plots="views.hours.plots:hour_page",
    names=("Waits by hour", "Waits by weekday"),
    empty="Hours tell when jobs that wait long are submitted.\n"
    "They appear when the first run is done and judged.",
    figure="H&ours…",
    tip="Mean waits by the hour of the day and the day of the week of submission, a lane a run",
)
