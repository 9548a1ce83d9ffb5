"""Completions of the command line for bash, zsh and fish, made from its own parser.

shtab does less: the first word has no files, although a log alone opens the window, and values that are names
or files need functions for each shell, which in fish list no files (shtab 1.13, by the cases of the tests).
"""

from __future__ import annotations

from arguments import Argument, Command


def completions(commands: list[Command]) -> dict[str, str]:
    """The scripts by the name of their shell."""
    return {"bash": _bash(commands), "zsh": _zsh(commands), "fish": _fish(commands)}


def _bash(commands: list[Command]) -> str:
    cases, words, places = [], [], []
    first = " ".join([*(command.name for command in commands), "--help", "--version"])
    for command in commands:
        names = " ".join(name for option in command.options for name in option.names)
        words.append(f"        {command.name}) words='{names}' ;;")
        # The first word of a command, such as the kind of a figure: the place of later words is not known.
        if first_place := next((each for each in command.arguments if not each.names and each.known), None):
            places.append(f"        {command.name}:2) {_bash_values(first_place)} return ;;")
        for option in command.options:
            if option.value:
                patterns = "|".join(f"{command.name}:{name}" for name in option.names)
                cases.append(f"        {patterns}) {_bash_values(option)} return ;;")
    return f"""\
# bash completion of batchscope; made from its parser

_batchscope() {{
    local current=$2 previous=$3 command=${{COMP_WORDS[1]}} words
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '{first}' -- "$current"; compgen -f -- "$current")
        return
    fi
    case "$command:$COMP_CWORD" in
{chr(10).join(places)}
    esac
    case "$command:$previous" in
{chr(10).join(cases)}
    esac
    case "$command" in
{chr(10).join(words)}
        *) words='' ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}}
complete -F _batchscope batchscope
"""


def _bash_values(option: Argument) -> str:
    """Shell code that fills COMPREPLY with the values of an option."""
    names = "compopt -o filenames 2>/dev/null; "
    if option.choices:
        return f"mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.choices)}' -- \"$current\");"
    if option.known:
        words = f"compgen -W '{' '.join(option.known)}' -- \"$current\""
        files = '; compgen -f -- "$current"' if option.files else ""
        return f"{names if files else ''}mapfile -t COMPREPLY < <({words}{files});"
    if option.folders:
        return names + 'mapfile -t COMPREPLY < <(compgen -d -- "$current");'
    if option.files:
        return names + 'mapfile -t COMPREPLY < <(compgen -f -- "$current");'
    return ""


def _zsh(commands: list[Command]) -> str:
    entries = "\n".join(f"        '{command.name}:{_zsh_text(command.text)}'" for command in commands)
    cases = []
    for command in commands:
        specs = [spec for argument in command.arguments for spec in _zsh_specs(argument)]
        listed = " \\\n                ".join(specs)
        cases.append(f"        {command.name})\n            _arguments -s \\\n                {listed} ;;")
    # Names or files: a colon in a spec begins another part of it, so that each kind has a function.
    both = {
        argument.value: argument.known
        for command in commands
        for argument in command.arguments
        if argument.known and argument.files
    }
    kinds = "\n".join(
        f"{_zsh_function(value)}() {{ _alternative 'names:name:({' '.join(known)})' 'files:file:_files' }}"
        for value, known in both.items()
    )
    return f"""\
#compdef batchscope
# zsh completion of batchscope; made from its parser

{kinds}

_batchscope() {{
    local -a commands
    commands=(
{entries}
    )
    if (( CURRENT == 2 )); then
        _describe -t commands 'command' commands
        _files
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{chr(10).join(cases)}
        *) _files ;;
    esac
}}

_batchscope "$@"
"""


def _zsh_specs(argument: Argument) -> list[str]:
    kind = ""
    if argument.choices:
        kind = f"({' '.join(argument.choices)})"
    elif argument.known and argument.files:
        kind = _zsh_function(argument.value)
    elif argument.known:
        kind = f"({' '.join(argument.known)})"
    elif argument.folders:
        kind = "_files -/"
    elif argument.files:
        kind = "_files"
    value = argument.value.replace(":", "\\:").replace("[", "\\[").replace("]", "\\]").replace("'", "")
    if not argument.names:
        return [f"'{'*' if argument.many else ''}:{value}:{kind}'"]
    about = f"[{_zsh_text(argument.text)}]"
    return [f"'*{name}{about}{f':{value}:{kind}' if argument.value else ''}'" for name in argument.names]


def _zsh_function(value: str) -> str:
    """The name of the function that completes a value, by what stands for it in the usage."""
    return f"_batchscope_{value.lower()}"


def _zsh_text(text: str) -> str:
    """Words within single quotes, where colons and brackets have a meaning."""
    for sign in "\\:[]":
        text = text.replace(sign, "\\" + sign)
    return text.replace("'", "'\\''")


def _fish(commands: list[Command]) -> str:
    names = " ".join(command.name for command in commands)
    lines = ["# fish completion of batchscope; made from its parser", ""]
    for command in commands:
        about = _fish_text(command.text)
        none = f"'not __fish_seen_subcommand_from {names}'"
        lines.append(f"complete -c batchscope -n {none} -a {command.name} -d {about}")
        for place in command.arguments:
            if place.known and not place.names:
                seen = f"'__fish_seen_subcommand_from {command.name}'"
                lines.append(
                    f"complete -c batchscope -n {seen} -a '{' '.join(place.known)}' -d {place.value}"
                )
        for option in command.options:
            parts = ["complete -c batchscope", f"-n '__fish_seen_subcommand_from {command.name}'"]
            parts += [
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
            ]
            if option.choices:
                parts.append(f"-x -a '{' '.join(option.choices)}'")
            elif option.known:
                parts.append(f"-{'r' if option.files else 'x'} -a '{' '.join(option.known)}'")
            elif option.folders:
                parts.append("-x -a '(__fish_complete_directories)'")
            elif option.value:
                parts.append("-r" if option.files else "-x")
            lines.append(" ".join([*parts, f"-d {_fish_text(option.text)}"]))
    return "\n".join(lines) + "\n"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
