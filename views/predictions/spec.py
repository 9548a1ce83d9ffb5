"""The view of predicted starts."""

from views.spec import run_plots

PREDICTIONS = run_plots(
    "predictions",
    "Predictions",
    plots="views.predictions.plots:prediction_page",
    names=("Predicted starts", "Errors by wait"),
    empty="This view shows how accurately runs predicted when jobs start.\n"
    "It appears when the first run is finished and compared.",
    figure="Predicted &starts…",
    tip="Accuracy of predicted starts: how many jobs started early, on time and late, and errors by wait",
)
