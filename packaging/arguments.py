"""The commands and their arguments as plain values, read from the command line's own parser."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDERS = ("DIR", "FOLDER")
_FILES = ("FILE", "LOG", "TRACE", "SCHEDULE", "POLICY", "STUDY", "SPEC")
"""Values that are files, or names or files: a policy may be a slurm.conf."""


@dataclass(frozen=True)
class Argument:
    """An option or a positional argument.

    `names`: spellings of an option, empty for a positional one. `value`: what stands for its value in the
    usage, empty for a switch. `choices`: the values, where these can be listed. `known`: some of them,
    where they cannot. `files`, `folders`: what it names. `many`: whether it may have several values.
    """

    names: tuple[str, ...]
    value: str
    text: str
    choices: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    files: bool = False
    folders: bool = False
    many: bool = False


@dataclass(frozen=True)
class Command:
    """A command: its name, what it does, its usage and its arguments."""

    name: str
    text: str
    usage: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> list[Argument]:
        """The arguments that have names."""
        return [argument for argument in self.arguments if argument.names]


def read_commands(parser: argparse.ArgumentParser) -> list[Command]:
    """The commands of a parser, in their order."""
    (group,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    about = {choice.dest: choice.help or "" for choice in group._choices_actions}
    return [_command(name, text, group.choices[name]) for name, text in about.items()]


def _command(name: str, text: str, parser: argparse.ArgumentParser) -> Command:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    arguments = tuple(_argument(action) for action in parser._actions if action.help != argparse.SUPPRESS)
    return Command(name, text, usage, arguments)


def _argument(action: argparse.Action) -> Argument:
    text = (action.help or "").replace("%%", "%")
    if "%(" in text:
        text = text % {**vars(action), "prog": "batchscope"}
    value = "" if action.nargs == 0 else _value(action)
    folders = value in _FOLDERS
    return Argument(
        names=tuple(action.option_strings),
        value=value,
        text=" ".join(text.split()),
        choices=tuple(map(str, action.choices or ())),
        known=_known_values().get(value, ()),
        files=(action.type is Path and not folders) or value in _FILES,
        folders=folders,
        many=action.nargs in ("*", "+"),
    )


@cache
def _known_values() -> dict[str, tuple[str, ...]]:
    """Names that complete a value, by what stands for the value in the usage."""
    from engine.policy.policy import PRESETS
    from resources import studies
    from views.catalog import RUN_FIGURES
    from views.grammar.encoding import KINDS

    kinds = (*(spec.kind for spec in RUN_FIGURES), *KINDS)  # those of a run, then the composed kinds
    return {"POLICY": tuple(PRESETS), "KIND": kinds, "STUDY": tuple(studies())}


def _value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return " ".join(action.metavar) if action.metavar else action.dest.upper()
