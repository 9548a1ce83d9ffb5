"""The parser of the command line: errors are one line, and name what was probably meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

WRONG_USAGE = 2
"""The exit status of wrong usage and of input that cannot be read."""

_CHOICE = re.compile(r"invalid choice: '(.*?)' \(choose from (.*)\)$", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """Argument parser that reports errors in a single line, with near options and words."""

    def error(self, message: str) -> NoReturn:
        """Leave with the status of wrong usage."""
        from engine.spelling import nearest

        choice = _CHOICE.search(message)
        hint = nearest(choice[1], re.findall(r"'(.*?)'", choice[2])) if choice else None
        self.exit(WRONG_USAGE, f"{self.prog}: {message}{hint or ''} (see {self.prog} --help)\n")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As argparse does; for an unknown option the near ones of this command are named."""
        from engine.spelling import nearest

        found, extras = super().parse_known_args(args, namespace)
        for word in extras:
            known = [name for name in self._option_string_actions if name.startswith("--")]
            name = word.partition("=")[0]
            if name.startswith("--") and (hint := nearest(name, known)):
                self.error(f"unrecognized arguments: {' '.join(extras)}{hint}")
        return found, extras
