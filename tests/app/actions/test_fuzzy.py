import pytest

from app.actions.fuzzy import fit

NAMES = ["Fit all", "Zoom back", "Add a run", "Save the session", "Save the session as", "Gantt rows Nodes"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("fit", "Fit all"),
        ("zb", "Zoom back"),
        ("run", "Add a run"),
        ("SAVE", "Save the session"),
        ("save as", "Save the session as"),
        ("nodes gantt", "Gantt rows Nodes"),
        ("gnod", "Gantt rows Nodes"),
    ],
)
def test_the_best_name_comes_first(typed: str, first: str) -> None:
    scores = {name: score for name in NAMES if (score := fit(typed, name)) is not None}
    assert max(scores, key=lambda name: scores[name]) == first


@pytest.mark.parametrize("typed", ["xyzzy", "fit xyzzy", "llatif"])
def test_what_does_not_fit_has_no_score(typed: str) -> None:
    assert fit(typed, "Fit all") is None


def test_everything_fits_nothing() -> None:
    assert all(fit("", name) is not None for name in NAMES)
