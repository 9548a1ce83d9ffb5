"""The view of predicted starts."""

from views.spec import run_plots

PREDICTIONS = run_plots(
    "predictions",
    "Predictions",
    plots="views.predictions.plots:prediction_page",
    names=("Predicted starts", "Errors by wait"),
    empty="Predictions tell how well runs knew when jobs would start.\n"
    "They appear when the first run is done and judged.",
    figure="Predicted &starts…",
    tip="How predicted starts came true: how many early, on time and late, and errors by wait",
)
