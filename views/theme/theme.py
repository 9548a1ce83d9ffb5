"""The looks of the window: a light and a dark theme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ThemeName = Literal["light", "dark", "system"]


@dataclass(frozen=True)
class Theme:
    """Colours by what they are for, each `#rrggbb`. Text is at least 4.5 : 1 on its background."""

    name: str
    dark: bool
    window: str  # around the charts
    chart: str  # behind data
    alternate: str  # every other table row, idle parts
    button: str
    border: str
    field: str  # around what can be typed into, 3 : 1 on the window
    grid: str
    text: str
    faint: str  # secondary text, axis labels
    accent: str  # what is selected or focused
    accent_text: str  # on the accent
    link: str
    cursor: str  # the line under the mouse in every chart
    idle: str  # processors that run nothing
    unknown: str  # hatch where nothing is known
    good: str
    bad: str
    cpu: str  # use of processors
    ram: str
    gpu: str
    power: str
    price: str  # of energy, a line over its power


LIGHT = Theme(
    name="light",
    dark=False,
    window="#f3f5f7",
    chart="#ffffff",
    alternate="#f6f8fa",
    button="#e9edf1",
    border="#c5ccd4",
    field="#7a8490",
    grid="#dde2e8",
    text="#1b2129",
    faint="#586270",
    accent="#0b62a8",
    accent_text="#ffffff",
    link="#0b62a8",
    cursor="#1b2129",
    idle="#ffffff",
    unknown="#b4bcc6",
    good="#0a6e4f",
    bad="#b3172d",
    cpu="#0072b2",
    ram="#b0660f",
    gpu="#1a7f5a",
    power="#8a5fb0",
    price="#c2410c",
)

DARK = Theme(
    name="dark",
    dark=True,
    window="#1c2128",
    chart="#14181d",
    alternate="#20262e",
    button="#2a313b",
    border="#3d4652",
    field="#6a7685",
    grid="#2b323c",
    text="#e6eaef",
    faint="#a1acb9",
    accent="#5cb3f5",
    accent_text="#0b1117",
    link="#74bdf7",
    cursor="#e6eaef",
    idle="#14181d",
    unknown="#4d5764",
    good="#4cc79b",
    bad="#ff7b72",
    cpu="#4a9fd4",
    ram="#d99a3d",
    gpu="#4fb98b",
    power="#a98ad0",
    price="#ffb454",
)
