"""The process that works out metrics and quantities of a user's own, from columns of jobs: it answers with a
number, or writes a column.

Each question comes as a line of JSON, and as a file in memory with the columns. What the code prints goes to
standard error. Nothing isolates the code from the rest of the machine: it may do what its user may.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from engine.errors import InputError
from engine.own.declare import Declaration
from engine.own.measured_columns import RESULT, MeasuredColumns, fill, number
from engine.own.running import Covered, described, take_niceness_of_program
from engine.own.shared_arrays import load, mapped, places_from_json
from engine.system import limit_own_memory


def main() -> None:
    """Answer each line of standard input with a line on standard output; the first line has the code."""
    first = sys.stdin.readline()
    if not first:
        return
    code = json.loads(first)
    # The pipe is for answers alone: what the user's code prints there would be read as an answer.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the user's code prints
    take_niceness_of_program()
    limit_own_memory(int(code["memory"]))
    sys.meta_path.insert(0, Covered(str(code["path"]), code["modules"]))
    # The first line has the code of all questions, and asks the first of them.
    line = first
    while line:
        asked = {**code, **json.loads(line)}
        try:
            replied: dict[str, Any] = {"value": _value(asked)}
        except InputError as error:
            replied = {"fault": str(error)}
        answer.write(json.dumps(replied) + "\n")
        answer.flush()
        line = sys.stdin.readline()
    os._exit(0)  # whatever threads the code has left behind


def _value(asked: Mapping[str, Any]) -> float | None:
    """The metric's value; None of a quantity, whose column is written. Raises InputError."""
    name, path = str(asked["name"]), str(asked["path"])
    columns = dict(zip(asked["columns"], _arrays(asked), strict=True))
    result = columns.pop(RESULT, None)
    jobs = MeasuredColumns(columns, asked["names"], int(asked["processors"]))
    # Each question runs the file anew, so that none depends on what was measured before.
    module = ModuleType(asked["module"])
    module.__file__ = path
    sys.modules[module.__name__] = module
    doing = "reading the file"
    try:
        exec(compile(asked["text"], path, "exec"), module.__dict__)
        doing = name
        made = getattr(module, name, None)
        function = made.function if isinstance(made, Declaration) else made
        if not callable(function):
            raise InputError(f"{name} is not there once the file has run")
        returned = function(jobs, **asked["values"])
        if result is None:
            return number(name, returned)
        fill(name, returned, result, asked["each"])
        return None
    except InputError:
        raise
    except BaseException as error:  # also SystemExit
        raise InputError(described(error, doing, path)) from None


def _arrays(asked: Mapping[str, Any]) -> Any:
    return load(mapped(asked["file"]), places_from_json(asked["places"]))


if __name__ == "__main__":
    main()
