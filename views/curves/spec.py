"""The view of job sizes."""

from views.spec import run_plots

SIZES = run_plots(
    "sizes",
    "Sizes",
    plots="views.curves.plots:size_page",
    names=("Jobs over their area", "Work over the area of jobs", "Wait area over the area of jobs"),
    empty="Curves tell whose work gets done, and who waits for it.\n"
    "They appear when the first run is done and judged.",
    figure="&Job sizes…",
)
