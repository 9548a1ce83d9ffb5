"""Budgets: the credits that each user may pay in an auction, and how they are filled up again.

Van den Bossche, Vanmechelen & Broeckhove 2011 leave budgets to future work; this form of them is ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.limits import MAX_SPAN
from engine.spelling import format_duration, format_number, parse_duration

_AMOUNT = r"\d{1,12}(?:\.\d{1,6})?"
_BUDGET = re.compile(rf"({_AMOUNT})(?:;({_AMOUNT})/(\d{{1,9}}[smhd]?)(?:;({_AMOUNT}))?)?")


@dataclass(frozen=True)
class Budget:
    """What each user has at the first submission, and gets again at intervals, up to a cap.

    Nothing is paid on credit. Without credits there are no budgets: everybody can pay everything.
    """

    credits: float | None = None
    refill: float = 0.0
    interval: int = 0  # s; 0: nothing is refilled
    cap: float = 0.0

    def __bool__(self) -> bool:
        return self.credits is not None

    def __str__(self) -> str:
        if self.credits is None:
            return "none"
        parts = [format_number(self.credits)]
        if self.interval:
            parts.append(f"{format_number(self.refill)}/{format_duration(self.interval)}")
            parts += [format_number(self.cap)] if self.cap != self.credits else []
        return ";".join(parts)


def parse_budget(text: str) -> Budget:
    """Read `none`, `CREDITS`, `CREDITS;REFILL/INTERVAL` or `CREDITS;REFILL/INTERVAL;CAP`. Raises InputError.

    Without a cap budgets are filled up to what they begin with.
    """
    if text == "none":
        return Budget()
    match = _BUDGET.fullmatch(text)
    if match is None:
        raise InputError(
            f"budget cannot be {text!r}; spell it CREDITS;REFILL/INTERVAL;CAP, like 20000;5000/1d;40000"
        )
    credits, refill, every, cap = match.groups()
    # Without a refill a budget only shrinks: its cap is what it begins with.
    if every is None:
        return Budget(float(credits), cap=float(credits))
    interval, most = parse_duration(every), float(cap or credits)
    if not 0 < interval <= MAX_SPAN:
        raise InputError(f"budget={text}: the interval should be above 0, and no longer than a log can be")
    if most < float(credits):
        raise InputError(f"budget={text}: the cap is below the credits with which users begin")
    return Budget(float(credits), float(refill), interval, most)
