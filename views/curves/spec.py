"""The view of job sizes."""

from views.spec import run_plots

SIZES = run_plots(
    "sizes",
    "Sizes",
    plots="views.curves.plots:size_page",
    names=("Jobs over their area", "Work over the area of jobs", "Wait area over the area of jobs"),
    empty="These curves show the share of jobs and work by job size, and how long jobs of each size wait.\n"
    "They appear when the first run is finished and compared.",
    figure="&Job sizes…",
)
