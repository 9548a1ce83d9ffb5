"""Writes the reference of commands, `resources/guide/commands.md`, from the parser of the command line."""

import argparse

from app.cli.main import make_parser
from tests.paths import ROOT

PAGE = ROOT / "resources" / "guide" / "commands.md"


def lines() -> list[str]:
    """The page: a list of the commands, then a table of the arguments of each."""
    # argparse tells its commands only by internal names.
    (commands,) = (
        action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    about = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    page = [
        "# Commands",
        "",
        "Made from the command line's own parser; `batchscope COMMAND --help` prints the same.",
    ]
    page += ["", "| command | what it does |", "| --- | --- |"]
    page += [f"| [`{name}`](#{name}) | {_cell(text)} |" for name, text in about.items()]
    for name, text in about.items():
        page += [
            "",
            f"## {name}",
            "",
            f"{text[0].upper()}{text[1:]}.",
            "",
            "| argument | meaning |",
            "| --- | --- |",
        ]
        page += [
            _row(action)
            # Options without help are hidden on purpose.
            for action in commands.choices[name]._actions
            if action.help != argparse.SUPPRESS and action.dest != "help"
        ]
    return page


def _row(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings)
    value = "" if action.nargs == 0 else _value(action)
    help_text = (action.help or "") % {**vars(action), "prog": "batchscope"}
    return f"| `{' '.join(part for part in (names, value) if part)}` | {_cell(help_text)} |"


def _value(action: argparse.Action) -> str:
    if action.metavar:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return " or ".join(map(str, action.choices))
    return action.dest.upper()


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
