"""The parser of the command line: errors are one line, and name what was probably meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

WRONG_USAGE = 2
"""The exit status of wrong usage and of input that cannot be read."""

_MISSING = "the following arguments are required"
"""How argparse begins when an option is not given."""

_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)$", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Argument parser that reports errors in a single line, with near options and words."""

    _words: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Leave with the status of wrong usage.

        Where an option is missing, a misspelt option among the given words is the likelier fault: that
        option is named.
        """
        from engine.spelling import nearest

        if message.startswith(_MISSING):
            for word in self._words:
                if meant := self._hint(word):
                    message = f"unrecognized arguments: {word}{meant}"
                    break
        choice = _CHOICE.search(message)
        hint = nearest(choice[1], re.findall(r"'(.*?)'", choice[2])) if choice else None
        self.exit(WRONG_USAGE, f"{self.prog}: {message}{hint or ''} (see {self.prog} --help)\n")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As argparse does; words that are unknown are refused here, with the near options of this command.

        argparse hands those of a command on to the parser around it, which would name its own help.
        """
        self._words = args or ()
        options, extras = super().parse_known_args(args, namespace)
        if extras:
            hint = next(filter(None, map(self._hint, extras)), "")
            self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")
        return options, extras

    def _hint(self, word: str) -> str:
        """What was probably meant by a word that no option of this command begins with; else nothing."""
        from engine.spelling import nearest

        name = word.partition("=")[0]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        unknown = (
            name.startswith("--") and name != "--" and not any(option.startswith(name) for option in known)
        )
        return nearest(name, known) if unknown else ""
