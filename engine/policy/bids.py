"""Bids that change while a job waits, as a formula by which the queue is put in order."""

from __future__ import annotations

from engine.score.parse import Call, Formula, Node, Number, VariableNode
from engine.value.fade import Fade

VALUE, DENSITY = "value", "density"
"""What jobs bid: what they are worth when they start, or that for each processor-second of their estimate."""


def bid_formula(order: str, fade: Fade, bids: str, limited: bool = False) -> Formula | None:
    """max(0, v share(wait)), divided by processors times estimate where bids are by processor-second.

    None where the order is no auction, or jobs bid just what they are worth when they come. Where budgets
    are `limited` it is not divided: what is bid for the whole job is cut to the budget first.
    """
    if order != "auction" or (not fade and bids == VALUE and not limited):
        return None
    value: Node = VariableNode("worth")
    if fade:
        value = Call("*", (value, _share(fade)))
    bid: Node = Call("max", (Number(0.0), value))
    # What is bid for the whole job becomes comparable by its area.
    if bids == DENSITY and not limited:
        bid = Call("/", (bid, VariableNode("area")))
    return Formula(f"the bid by {bids} with fade={fade}", bid)


def _share(fade: Fade) -> Node:
    """The share of the value that is left now, `Fade.share` as a formula."""
    wait = VariableNode("wait")
    share: Node = Number(fade.points[0][1])
    # A piece replaces the share where the wait is beyond its begin: the last piece that has begun counts.
    for piece in fade.pieces:
        waited = Call("-", (wait, Number(float(piece.since))))
        change = Call("/", (Call("*", (waited, Number(piece.change))), Number(piece.span)))
        behind = Call(">", (wait, Number(float(piece.since))))
        share = Call("if", (behind, Call("+", (Number(piece.share), change)), share))
    return share
