"""Man pages, made from the command line's own parser."""

from __future__ import annotations

import time

from arguments import Argument, Command

_DESCRIPTION = """\
Batchscope opens the workload log of a batch cluster, schedules it again under several policies, and shows the
schedules side by side. Without a command it opens the window with the given traces or sessions."""

_STATUS = (
    ("0", "done"),
    ("1", "the work failed"),
    ("2", "wrong usage, or input that cannot be used"),
    ("128 + N", "ended by signal N: 130 after Ctrl+C"),
)

_FILES = (
    ("~/.config/batchscope/settings.json", "settings"),
    ("~/.cache/batchscope", "compiled code, which may be deleted"),
    ("~/.local/state/batchscope", "sessions of windows that are open, reports of faults, and a log"),
)

_VARIABLES = (
    ("XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_STATE_HOME", "where these files lie instead"),
    ("QT_QPA_PLATFORM", "how the window is shown: xcb, wayland, or offscreen for none"),
    ("QT_SCALE_FACTOR", "how much larger the window is drawn"),
    ("BATCHSCOPE_TIMINGS", "where set to 1, the window writes to standard error how long its tasks take"),
)


def man_pages(commands: list[Command], version: str, epoch: int) -> dict[str, str]:
    """The pages by their file names: of the program, and of each command."""
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    pages = {"batchscope.1": _program(commands, version, date)}
    for command in commands:
        pages[f"batchscope-{command.name}.1"] = _page(command, version, date)
    return pages


def _program(commands: list[Command], version: str, date: str) -> str:
    lines = _head("batchscope", "simulate and compare the schedules of batch clusters", version, date)
    lines += [
        ".SH SYNOPSIS",
        ".B batchscope",
        "[COMMAND] [ARGUMENTS]",
        ".SH DESCRIPTION",
        _text(_DESCRIPTION),
    ]
    lines.append(".SH COMMANDS")
    for command in commands:
        lines += [".TP", f".BR batchscope\\-{_text(command.name)} (1)", _text(command.text)]
    for title, entries in (
        ("EXIT STATUS", _STATUS),
        ("FILES", _FILES),
        ("ENVIRONMENT", _VARIABLES),
    ):
        lines.append(f".SH {title}")
        for name, about in entries:
            lines += [".TP", f".B {_text(name)}", _text(about)]
    return "\n".join(lines) + "\n"


def _page(command: Command, version: str, date: str) -> str:
    lines = _head(f"batchscope-{command.name}", command.text, version, date)
    lines += [".SH SYNOPSIS", f".B batchscope {_text(command.name)}"]
    rest = command.usage.partition(f"batchscope {command.name}")[2].strip()
    lines += [_text(rest).replace(",", ",\\:")] if rest else []  # lines may break after commas
    lines += [".SH DESCRIPTION", _text(f"{command.text[0].upper()}{command.text[1:]}."), ".SH OPTIONS"]
    for argument in command.arguments:
        lines += [".TP", _tag(argument), _text(argument.text or "a value")]
        if argument.choices and len(argument.choices) <= 40:
            lines.append(_text(f"One of: {', '.join(argument.choices)}."))
    lines += [".SH SEE ALSO", ".BR batchscope (1)"]
    return "\n".join(lines) + "\n"


def _head(name: str, about: str, version: str, date: str) -> list[str]:
    title = f'.TH {name.upper()} 1 "{date}" "Batchscope {version}" "User Commands"'
    return [title.replace("-", "\\-"), ".nh", ".ad l", ".SH NAME", f"{_text(name)} \\- {_text(about)}"]


def _tag(argument: Argument) -> str:
    value = f" \\fI{_text(argument.value)}\\fR" if argument.value else ""
    if not argument.names:
        return value.strip()
    return ", ".join(f"\\fB{_text(name)}\\fR" for name in argument.names) + value


def _text(text: str) -> str:
    """Words for roff: with its own signs escaped, and no line that reads as a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("~", "\\(ti").replace("^", "\\(ha")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.splitlines())
