"""The view of a site's twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from views.figures.request import FigureRequest
    from views.twin.page import TwinPage


def _lacks(request: FigureRequest) -> str:
    from views.data.twin_look import TwinLook

    none = "There is no twin to export: simulate a site on the page of that name."
    return none if request.own.find(TwinLook) is None else ""


TWIN: ViewSpec[TwinPage] = ViewSpec(
    "twin",
    "Twin",
    "page",
    Lazy("views.twin.page:TwinPage"),
    entry="&Twin of the site",
    keys="Alt+7",
    tip="How close the simulation of the site's Slurm comes to what the log recorded",
    docks=True,
    plots=Lazy("views.twin.plots:twin_page"),
    figures=(FigureSpec("twin", "T&win of the site…", caption="twin", lacks=_lacks),),
    own=lambda page: page.look,
)
