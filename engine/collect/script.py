"""A plan as a script of the shell, for somebody else to run on a login node."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from engine.collect.item import LOG, Item, Plan
from engine.collect.redaction import awk_programs
from engine.collect.slurm_items import NEEDED, wanted_fields

_HEAD = """\
#!/bin/sh
# Collects the log and the settings of a batch system for Batchscope, into a folder:
#     sh collect.sh DIR
# Run it as an ordinary user. It only reads, and writes into DIR alone. What is there already is not
# collected again, so that it can be run once more after a failure. Passwords and keys are left
# out{not_asked}.
# It needs sh, awk, tail and mv.
set -u
umask 077
dir=${{1:?give the folder to write to, as in: sh collect.sh DIR}}
# A folder without this one was not collected before: files in it are somebody else's.
[ -d "$dir/{log}" ] || for file in {names}; do
    [ ! -e "$dir/$file" ] && continue
    echo "$dir/$file: this file was not collected; name another folder" >&2
    exit 1
done
mkdir -p {folders} || exit 1
failed=0

hide_nothing() {{ cat; }}
hide_lines() {{ awk {lines}; }}
hide_words() {{ awk -F' ' {words}; }}

# collect FILTER FILE LACKING COMMAND...: what a command prints, whole or not at all; LACKING is what its
# absence costs.
collect() {{
    filter=$1 file=$dir/$2 lacking=$3
    shift 3
    {{ "$@" 2>"$file.err"; echo $? >"$file.status"; }} | "$filter" >"$file.part"
    if [ "$(cat "$file.status")" = 0 ] && [ -z "$(tail -c 1 "$file.part")" ]; then
        mv "$file.part" "$file" && whole=0
    else
        failed=1 whole=1
        [ -n "${{optional:-}}" ] && echo "$file: none" >&2 ||
            echo "$file: missing; $lacking ($(tail -n 1 "$file.err"))" >&2
    fi
    rm -f "$file.part" "$file.err" "$file.status"
    return $whole
}}
"""


def script_of(plan: Plan) -> str:
    """The script; it says in comments what each command brings."""
    programs = awk_programs(plan.asked)
    rooms = sorted({part for item in plan.items if (part := Path(item.file).parent.name)})
    folders = " ".join(f'"$dir/{room}"' for room in rooms)
    hidden = [word for word in ("commands", "directories", "comments") if word not in plan.asked]
    not_asked = f", and so are {', '.join(hidden)}" if hidden else ""
    head = _HEAD.format(
        folders=folders,
        log=LOG,
        names=" ".join(plan.names),
        not_asked=not_asked,
        lines=shlex.quote(programs["hide_lines"]),
        words=shlex.quote(programs["hide_words"]),
    )
    parts = [head]
    if plan.system == "slurm":
        parts.append("\n".join(_fields(plan)))
    parts += [_call(item) for item in plan.items]
    parts.append('[ $failed = 0 ] && echo "all is there" >&2\n' + _next(plan) + "exit $failed\n")
    return "\n".join(parts)


def _next(plan: Plan) -> str:
    """The line that says how to go on with the folder, whose files bring the machine."""
    file = next((f"/{item.file}" for item in plan.items if item.machine), "")
    machine = f" --cluster $dir{file}" if file or plan.system == "slurm" else ""
    return (
        'echo "next: copy $dir to where Batchscope is, and run there '
        f'batchscope info $dir/{LOG}{machine}" >&2\n'
    )


def _fields(plan: Plan) -> Iterator[str]:
    """The lines that choose the fields of sacct that this version has."""
    groups = list(wanted_fields(plan.asked))
    yield "# The fields of sacct:"
    yield from (f"#   {group.names}: {group.brings}" for group in groups)
    yield "# Those that an older sacct lacks are left out."
    # Fields differ between versions of Slurm: the script asks the site's own sacct.
    yield "known=\" $(sacct --helpformat | tr '[:upper:]\\n\\t' '[:lower:]  ') \""
    yield "fields="
    yield f"for field in {' '.join(group.names for group in groups)}; do"
    yield "    low=$(echo \"$field\" | tr '[:upper:]' '[:lower:]')"
    yield "    case $known in"
    yield '        *" $low "*) fields=$fields${fields:+,}$field ;;'
    yield '        *) echo "this sacct has no field $field" >&2 ;;'
    yield "    esac"
    yield "done"
    yield f'case $fields in {NEEDED[0]},*) ;; *) echo "sacct lists no fields" >&2 ;; esac\n'


def _call(item: Item) -> str:
    """The lines of an item: a portion that is there is not collected again."""
    words = [shlex.quote(word) for word in item.words]
    words = ['"--format=$fields"' if word.startswith("--format=") else word for word in words]
    call = f"collect hide_{item.hides} {item.file} {shlex.quote(item.cost)} {' '.join(words)}"
    # A day that is over is collected once; the parts that were collected during the day are removed then.
    if item.lasting:
        older = f'rm -f "$dir/{Path(item.file).parent.name}/{item.replaces}"*'
        call = f'[ -f "$dir/{item.file}" ] || {{ {call} && {older}; }}'
    # A shell of its own keeps the failure of an optional item from ending the script.
    if item.optional:
        call = f"( optional=1; {call} )"
    return f"# {item.file}: {item.brings}\n{call}\n"
