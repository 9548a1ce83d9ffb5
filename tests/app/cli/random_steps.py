"""Steps of random input: chosen by a seed alone, before any is made, and written one a line.

A step names its target: where it is (`window`, `dialog`, `over`: a popup or a modal dialog), the class, and
which of those that are seen. So the choices depend neither on the clock nor on what the steps before did.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

WINDOW, DIALOG, OVER = "window", "dialog", "over"
WHERE = {WINDOW: 78, DIALOG: 6, OVER: 16}

WHATEVER, FOCUS = "whatever", "focus"
"""Instead of a class: what lies at the spot, and what has the keys."""

KINDS = {
    **{WHATEVER: 30, "TimeChart": 30, "PlotWidget": 8, "QAbstractButton": 14, "QAbstractItemView": 10},
    **{"QHeaderView": 4, "QComboBox": 4, "QAbstractSlider": 4, "QAbstractSpinBox": 3, "QLineEdit": 3},
    **{"QTabBar": 4, "QTextBrowser": 3, "QPlainTextEdit": 1, "QSplitterHandle": 2},
}
"""Classes of targets with weights."""
MOST_PLACES = 8
MOST_OF = {"TimeChart": 24, "QAbstractButton": 40}
"""How many places of each class are chosen from, the first more often."""

ACTS = {
    **{"click": 42, "double click": 6, "key": 25, "type": 10, "drag": 15, "wheel": 15, "action": 20},
    **{"entry": 8, "answer": 8, "dismiss": 8, "hover": 10, "resize": 2, "run": 6, "wait": 6, "open": 2},
    **{"another window": 3},
}

HELD = 150
"""Times of a key that is held, a wheel that spins freely or a mouse that is moved for some seconds."""

MODIFIERS = (*("NoModifier",) * 4, "ShiftModifier", "ControlModifier", "AltModifier")
_KEYS = """W A S D F I Home End PageUp PageDown Backspace Up Down Left Right Tab Escape Return Space
Delete Slash Question F2 F5 F10 Menu"""
KEYS = _KEYS.split()
TYPED = """
user:1|procs>2 wait>1h|queue=long or|late|(|user in (1, 2|-|0|7|1e9|999999999999|easy|easy:order=saf|
metric:bf=0.5,window=4|nonsense|1/10|64c|2d|4x8c16g|ž☃|"""
TEXTS = [text.strip() for text in TYPED.split("|")]
SIZES = ("640x480", "1280x800", "1920x1080", "300x200", "1000x2000")
RUN_ACTS = ("start", "cancel", "remove", "undo", "redo")

ENDS = ("Quit", "Close the window")
"""Actions that are chosen less often than others, since what comes after them starts anew."""

Spot = tuple[float, float]
"""A position as shares of a widget's width and height."""


@dataclass(frozen=True)
class Step:
    """A thing to do; which fields count depends on the `act`."""

    act: str
    window: int = 0  # in the order of opening
    where: str = WINDOW
    kind: str = WHATEVER
    place: int = 0  # among those of the kind, or among runs, menu entries and logs
    spots: tuple[Spot, ...] = ()
    value: str = ""  # a key, a text, an action, a size, milliseconds
    button: str = "LeftButton"
    modifier: str = "NoModifier"
    times: int = 1

    def written(self) -> str:
        """The step on a line, without what is as usual."""
        usual = {field.name: field.default for field in fields(self)}
        return json.dumps({name: value for name, value in asdict(self).items() if value != usual[name]})


def read_steps(text: str) -> list[Step]:
    """The steps of the lines that hold one, such as the output of a run."""
    steps = []
    for line in text.splitlines():
        _, brace, rest = line.partition("{")
        if brace and '"act"' in rest:
            values = json.loads(brace + rest)
            spots = tuple((x, y) for x, y in values.pop("spots", ()))
            steps.append(Step(**values, spots=spots))
    return steps


def random_steps(seed: int, count: int, actions: Sequence[str], logs: int) -> list[Step]:
    """As many steps; the names of `actions` and the number of logs are all that they depend on."""
    chance = random.Random(seed)
    return [_step(chance, actions, logs) for _ in range(count)]


def _step(chance: random.Random, actions: Sequence[str], logs: int) -> Step:
    """A step; unlike the act, what does not count for it is chosen too, so that all take as many choices."""
    act, where, kind = (_weighted(chance, weights) for weights in (ACTS, WHERE, KINDS))
    # Squared, so that widgets near the beginning of a list are taken more often.
    place = int(MOST_OF.get(kind, MOST_PLACES) * chance.random() ** 2)
    times = chance.choice((1, 1, 1, 5, 20, HELD))
    count = times + 1 if act in ("drag", "hover") else 1
    spots = tuple((round(chance.random(), 3), round(chance.random(), 3)) for _ in range(count))
    values = {
        "key": chance.choice(KEYS),
        "type": chance.choice(TEXTS),
        "action": chance.choice([name for name in actions if not name.endswith(ENDS)]),
        "wheel": chance.choice(("-120", "120", "-15", "960")),
        "resize": chance.choice(SIZES),
        "run": chance.choice(RUN_ACTS),
        "wait": chance.choice(("1", "20", "120")),
        "answer": chance.choice(TEXTS),
    }
    # Acts that end a walk are rare, or walks would be short.
    if act == "action" and chance.random() < 0.01:
        values[act] = chance.choice([name for name in actions if name.endswith(ENDS)])
    if act == "open":
        place = chance.randrange(logs)
    if act == "type":
        kind = "QLineEdit"
    if act == "key" and chance.random() < 0.7:
        kind = FOCUS
    return Step(
        act,
        window=int(chance.random() < 0.15),
        where=where,
        kind=kind,
        place=place,
        spots=spots,
        value=values.get(act, ""),
        button="LeftButton" if chance.random() < 0.85 else "RightButton",
        modifier=chance.choice(MODIFIERS),
        times=times,
    )


def _weighted(chance: random.Random, weights: dict[str, int]) -> str:
    (chosen,) = chance.choices([*weights], [*weights.values()])
    return chosen
