"""The page while nothing is selected."""

from __future__ import annotations

from views.inspector.html import Html, bullets, join, paragraph, text, title


def hints_page(has_trace: bool) -> Html:
    """What to do to see something here."""
    if not has_trace:
        return Html(title(text("Nothing open")) + paragraph(text("Open a trace to see its jobs and users.")))
    hints = (
        "Click a job in a Gantt chart to see when it ran under each run, and why it waited.",
        "Click a user's row in a heatmap, a table row or a dot of a box-plot to see how the user fares.",
        "Shift+drag over a chart to see how busy the machine and its queue were in that time.",
        "Click the time axis, or press I, to see what ran and what waited at that instant.",
        "Esc clears the selection.",
    )
    return join([title(text("Nothing selected")), bullets(text(hint) for hint in hints)])
