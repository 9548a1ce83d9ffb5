"""Qt's own widgets in the colours of a theme."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QToolTip

from views.theme.focus import FocusOutline
from views.theme.theme import DARK, LIGHT, Theme, ThemeName

_FUSION_DARKER = 140
"""By so much, in %, Fusion's frames are darker than the window, which cannot be seen in the dark."""

DESKTOP_FONT = "batchscope.desktop_font"
"""The property of the program that holds the font of the desktop, while another size is used."""

_FIELDS = ("QLineEdit", "QAbstractSpinBox", "QPlainTextEdit")
"""Widgets that text is typed into."""

_BOXES = ("QCheckBox", "QRadioButton", "QListWidget", "QMenu")
"""Widgets that have boxes to check."""


def theme_of(name: str, scheme: Qt.ColorScheme = Qt.ColorScheme.Unknown) -> Theme:
    """The theme of that name; `system` follows the desktop's colour scheme."""
    if name == "system":
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return {"light": LIGHT, "dark": DARK}[name]


def apply_theme(app: QApplication, name: ThemeName, scheme: Qt.ColorScheme | None = None) -> Theme:
    """Apply a theme to Qt's own widgets; charts paint themselves and get the theme, too.

    `scheme` is the desktop's preference, if it is known better than Qt reports it. The program has no
    stylesheet: changing a stylesheet takes 100 ms in a window, changing a palette 10 ms.
    """
    theme = theme_of(name, app.styleHints().colorScheme() if scheme is None else scheme)
    if app.style().name() != "fusion":
        app.setStyle(QStyleFactory.create("Fusion"))
    _give(app, palette_of(theme))
    for kind in _FIELDS:
        _give(app, framed_palette_of(theme, theme.field), kind)
    for kind in _BOXES:
        _give(app, framed_palette_of(theme, theme.faint), kind)
    QToolTip.setPalette(palette_of(theme))
    if app.findChild(FocusOutline) is None:
        FocusOutline(app)
    return theme


def _give(app: QApplication, palette: QPalette, kind: str = "") -> None:
    """Give the program, or its widgets of a kind, these colours, unless they have them.

    Qt tells all widgets of all windows of a palette, also of one as before: 20 ms beside ten windows.
    """
    if not kind:
        if app.palette() != palette:
            app.setPalette(palette)
    elif app.palette(kind) != palette:  # type: ignore[call-overload]
        app.setPalette(palette, kind)  # type: ignore[arg-type]


def apply_text_size(app: QApplication, points: int) -> None:
    """Write all text of the program in this size, 0: as the desktop has it; windows and charts follow.

    The desktop's own font is kept as a property of the program, as it was before another size was first used.
    """
    desktop = app.property(DESKTOP_FONT)
    if desktop is None:
        if not points:
            return
        desktop = QFont(app.font())
        app.setProperty(DESKTOP_FONT, desktop)
    font = QFont(desktop)
    if points:
        font.setPointSize(points)
    if font != app.font():
        app.setFont(font)
        QToolTip.setFont(font)
        _follow_in_sheets(app)


def _follow_in_sheets(app: QApplication) -> None:
    """Give the program's font to hidden widgets with a style sheet of their own, which Qt leaves alone."""
    for widget in app.allWidgets():
        sheet = widget.styleSheet()
        if sheet and not widget.isVisible():
            widget.setStyleSheet("")
            widget.setStyleSheet(sheet)


def palette_of(theme: Theme) -> QPalette:
    """The colours for Qt's own widgets."""
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.chart,
        QPalette.ColorRole.AlternateBase: theme.alternate,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Button: theme.button,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.bad,
        QPalette.ColorRole.ToolTipBase: theme.alternate,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.accent_text,
        QPalette.ColorRole.Accent: theme.accent,
        QPalette.ColorRole.Link: theme.link,
        QPalette.ColorRole.LinkVisited: theme.link,
        QPalette.ColorRole.Light: theme.alternate,
        QPalette.ColorRole.Midlight: theme.button,
        QPalette.ColorRole.Mid: theme.border,
        QPalette.ColorRole.Dark: theme.border,
        QPalette.ColorRole.Shadow: theme.border,
    }
    palette = QPalette()
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    # Unless they are set, disabled words would have the colours of enabled words.
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(theme.border))
    return palette


def framed_palette_of(theme: Theme, frame: str) -> QPalette:
    """The same for fields and boxes to check, which Fusion frames in a darker shade of Window."""
    palette = palette_of(theme)
    palette.setColor(QPalette.ColorRole.Window, QColor(frame).lighter(_FUSION_DARKER))
    return palette
