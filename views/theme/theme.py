"""The looks of the window: a light and a dark theme, and fonts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QToolTip

ThemeName = Literal["light", "dark", "system"]


_FUSION_DARKER = 140
"""By so much, in %, Fusion's frames are darker than the window, which cannot be seen in the dark."""


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

    def palette(self) -> QPalette:
        """The colours for Qt's own widgets."""
        roles = {
            QPalette.ColorRole.Window: self.window,
            QPalette.ColorRole.WindowText: self.text,
            QPalette.ColorRole.Base: self.chart,
            QPalette.ColorRole.AlternateBase: self.alternate,
            QPalette.ColorRole.Text: self.text,
            QPalette.ColorRole.PlaceholderText: self.faint,
            QPalette.ColorRole.Button: self.button,
            QPalette.ColorRole.ButtonText: self.text,
            QPalette.ColorRole.BrightText: self.bad,
            QPalette.ColorRole.ToolTipBase: self.alternate,
            QPalette.ColorRole.ToolTipText: self.text,
            QPalette.ColorRole.Highlight: self.accent,
            QPalette.ColorRole.HighlightedText: self.accent_text,
            QPalette.ColorRole.Accent: self.accent,
            QPalette.ColorRole.Link: self.link,
            QPalette.ColorRole.LinkVisited: self.link,
            QPalette.ColorRole.Light: self.alternate,
            QPalette.ColorRole.Midlight: self.button,
            QPalette.ColorRole.Mid: self.border,
            QPalette.ColorRole.Dark: self.border,
            QPalette.ColorRole.Shadow: self.border,
        }
        palette = QPalette()
        for role, colour in roles.items():
            palette.setColor(role, QColor(colour))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(self.faint))
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(self.border))
        return palette

    def field_palette(self) -> QPalette:
        """The same for fields that text is typed into, which Fusion frames in a darker shade of Window."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(self.field).lighter(_FUSION_DARKER))
        return palette


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
)


def theme_of(name: str, scheme: Qt.ColorScheme = Qt.ColorScheme.Unknown) -> Theme:
    """The theme of that name; `system` is the one of the desktop's scheme."""
    if name == "system":
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return {"light": LIGHT, "dark": DARK}[name]


def apply_theme(app: QApplication, name: ThemeName, scheme: Qt.ColorScheme | None = None) -> Theme:
    """Give Qt's own widgets a theme, which is also handed to the charts: they paint themselves.

    `scheme` is what the desktop prefers, where that is known better than Qt tells. The program has no
    stylesheet: to change one takes 100 ms in a window, where a palette takes 10.
    """
    theme = theme_of(name, app.styleHints().colorScheme() if scheme is None else scheme)
    if app.style().name() != "fusion":
        app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(theme.palette())
    for kind in ("QLineEdit", "QAbstractSpinBox", "QPlainTextEdit"):
        app.setPalette(theme.field_palette(), kind)  # type: ignore[arg-type]
    QToolTip.setPalette(theme.palette())
    return theme


def tick_font(base: QFont) -> QFont:
    """The font of numbers on axes and labels in data: a little smaller than the window's own text."""
    return _scaled(base, 0.88)


def title_font(base: QFont) -> QFont:
    """The font of the names of charts."""
    font = _scaled(base, 1.0)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def fitted(font: QFont, text: str, width: float) -> QFont:
    """The font, or one up to a tenth smaller where the text fits `width` pixels by that."""
    taken = QFontMetricsF(font).horizontalAdvance(text)
    return _scaled(font, max(0.98 * width / taken, 0.9)) if taken > width > 0 else font


def _scaled(base: QFont, factor: float) -> QFont:
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * factor)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * factor)))
    return font
