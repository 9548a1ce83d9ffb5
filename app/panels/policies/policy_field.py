"""A key of a policy as a field of a form, built from the key's own description."""

from __future__ import annotations

import re
from functools import cache

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.panels.policies.formula_line import FormulaLine
from app.panels.policies.number_edit import NumberEdit
from engine.policy.key import Key
from engine.policy.phrases import key_phrase, key_title
from engine.shown_text import html_text

_AROUND = 12
"""What boxes and lines are higher than their text, in pixels."""

NUMBER = "a number"
OTHER = "other"
"""The choices for the key's own range, and for its free text."""


OWN_CODE = "own"
"""The choice while a user's own code decides, which only the spelling of a policy can name."""


class KeyField(QWidget):
    """Field of a key: a check box, a choice, a number and a text, depending on the key's values.

    `edited` is sent on changes by the user. Typed text stays, valid or not.
    """

    edited = Signal()

    def __init__(self, key: Key, default: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._fit()
        self.on = self._make_check() if key.switch or key.optional else None
        self.choice = self._make_choice() if key.words or key.families else None
        self.numbers = {word: self._make_number(word) for word in self._number_words()}
        self.free = self._make_free() if key.syntax else None
        self.browse = self._make_browse() if key.syntax.startswith("FILE") else None
        self._row.addStretch(0 if self.numbers or self.free else 1)
        self.show_text(default)
        first = next(part for part in (self.on, self.choice, *self.numbers.values(), self.free) if part)
        self.setFocusProxy(first)

    def _fit(self) -> None:
        """Whatever is chosen, rows stay in place."""
        self.setMinimumHeight(self.fontMetrics().height() + _AROUND)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        super().changeEvent(event)

    def text(self) -> str:
        """The value as policies spell it; it may be wrong."""
        if self.on is not None:
            if self.key.switch:
                return "on" if self.on.isChecked() else "off"
            if not self.on.isChecked():
                return "none"
        chosen = self.choice.currentText() if self.choice else NUMBER if self.numbers else OTHER
        if chosen in self.numbers:
            return ("" if chosen == NUMBER else chosen) + self.numbers[chosen].text()
        if chosen == OTHER and self.free is not None:
            return self.free.text().strip()
        return chosen

    def show_text(self, text: str) -> None:
        """Show a value that is spelled rightly; a key that is switched off keeps its number."""
        if self.on is not None:
            with QSignalBlocker(self.on):
                self.on.setChecked(text not in ("off", "none"))
        if not self.key.switch and not (self.key.optional and text == "none"):
            self._show_value(text)
        self._arrange()

    def _show_value(self, text: str) -> None:
        chosen = self._chosen(text)
        if self.choice is not None:
            # Signals are blocked: showing a value is no choice.
            with QSignalBlocker(self.choice):
                listed = self.choice.findText(OWN_CODE)
                # The entry for own code is there only while it is chosen.
                if chosen == OWN_CODE and listed < 0:
                    self.choice.addItem(OWN_CODE)
                elif chosen != OWN_CODE and listed >= 0:
                    self.choice.removeItem(listed)
                self.choice.setCurrentText(chosen)
        if chosen in self.numbers:
            self.numbers[chosen].show_text(text.removeprefix(chosen))
        elif chosen == OTHER and self.free is not None:
            with QSignalBlocker(self.free):
                self.free.setText(text)

    def _chosen(self, text: str) -> str:
        """The choice that a spelled value belongs to."""
        if text in self.key.words or text == OWN_CODE:
            return text
        for word, _ in self.key.families:
            if re.fullmatch(rf"{word}[\d.]+", text):
                return word
        return OTHER if self.key.syntax else NUMBER

    def _number_words(self) -> list[str]:
        words = [word for word, _ in self.key.families]
        return [*words, NUMBER] if self.key.range is not None else words

    def _make_check(self) -> QCheckBox:
        check = QCheckBox(self)
        check.setAccessibleName(key_title(self.key.name))
        check.toggled.connect(self._take)
        self._row.addWidget(check)
        return check

    def _make_choice(self) -> QComboBox:
        choice = QComboBox(self)
        choice.setAccessibleName(key_title(self.key.name))
        choice.addItems([*self.key.words, *self._number_words(), *([OTHER] if self.key.syntax else [])])
        choice.currentTextChanged.connect(self._take)
        self._row.addWidget(choice)
        return choice

    def _make_number(self, word: str) -> NumberEdit:
        range_ = dict(self.key.families).get(word, self.key.range)
        assert range_ is not None
        number = NumberEdit(self.key.name, range_, self)
        for part in (number.slider, number.box):
            part.setAccessibleName(key_title(self.key.name))
        if word == NUMBER:
            number.show_middle()
        number.edited.connect(self.edited)
        self._row.addWidget(number, 1)
        return number

    def _make_free(self) -> QLineEdit:
        free = FormulaLine(self) if self.key.formula else QLineEdit(self)
        free.setAccessibleName(key_title(self.key.name))
        free.setPlaceholderText(self.key.syntax)
        free.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        free.textEdited.connect(self._take)
        self._row.addWidget(free, 1)
        return free

    def _make_browse(self) -> QToolButton:
        browse = QToolButton(self)
        browse.setText("…")
        browse.setToolTip("Choose a file")
        browse.setAccessibleName("Choose a file")
        browse.clicked.connect(self._ask_for_file)
        self._row.addWidget(browse)
        return browse

    def _ask_for_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Choose a file", "", "CSV files (*.csv);;All files (*)")
        if name and self.free is not None:
            self.free.setText(name)
            self._take()

    def _take(self) -> None:
        self._arrange()
        self.edited.emit()

    def _arrange(self) -> None:
        """Show what the choice needs; it can be used while the key is on."""
        used = self.on is None or self.on.isChecked()
        chosen = self.choice.currentText() if self.choice else None
        for word, number in self.numbers.items():
            number.setVisible(chosen in (None, word))
            number.setEnabled(used)
        for part in (self.free, self.browse):
            if part is not None:
                part.setVisible(chosen in (None, OTHER))


def rich_help(key: Key, idle: str = "", text: str = "") -> str:
    """The key's help as a tooltip: a line for each value, formulas as written.

    `idle` is the reason why it is disabled, `text` its present value, which is said in words first.
    """
    now = f"<p>{html_text(key_phrase(key.name, text))}: <code>{html_text(f'{key.name}={text}')}</code></p>"
    return (now if text else "") + _help_of(key) + (f"<p><i>{html_text(idle)}</i></p>" if idle else "")


@cache
def _help_of(key: Key) -> str:
    """The same without a reason; kept, because every change in a form asks for that of all keys."""
    head, _, rest = key.help.partition(": ")
    parts = rest.split("; ") if rest else []
    words = (*key.words, *(f"{word}[KX]" for word, _ in key.families), *re.findall(r"(\w+)=", key.syntax))
    lines = "".join(f"<li>{_formula(part, words)}</li>" for part in parts)
    several = len(parts) > 1
    sentences = [f"<p><b>{key.name}</b>: {_formula(head if several else key.help, ())}</p>"]
    sentences += [f"<ul style='margin: 2px 0 2px -24px'>{lines}</ul>"] if several else []
    sentences += [f"<p>{html_text(line)}</p>" for line in _amounts(key)]
    return "".join(sentences)


def _amounts(key: Key) -> list[str]:
    """The range or syntax of the key's values other than words, and what the key needs."""
    lines = [f"{word}: {range_}" for word, range_ in key.families]
    if key.range is not None:
        kind = {"count": "A whole number", "real": "A number", "duration": "A time such as 90, 30m, 2h or 3d"}
        lines.append(f"{kind[key.range.kind]}, {key.range}")
    lines += [f"Spelled {key.syntax}"] if key.syntax else []
    return lines + ([f"It needs {key.needs}"] if key.needs else [])


def _formula(text: str, words: tuple[str, ...]) -> str:
    """Values in bold where they begin a line, powers raised, roots and minus signs as signs."""
    shown = html_text(text)
    shown = re.sub(r"\^(-?)\(([^()]*)\)", r"<sup>\1\2</sup>", shown)
    shown = shown.replace("sqrt(", "√(").replace(" - ", " − ").replace("<sup>-", "<sup>−")
    shown = re.sub(r"\((\d)-(\w)\)", r"(\1 − \2)", shown)
    known = "|".join(words)
    return re.sub(rf"^((?:{known})(?:, (?:{known}))*)\b", r"<b>\1</b>", shown) if known else shown
