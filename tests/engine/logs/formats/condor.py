"""Small histories of HTCondor."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.logs.read import read_trace
from engine.trace import Trace

NOON = 1_577_880_000


def ad(proc: int = 0, **values: Any) -> dict[str, Any]:
    """Job 12.0 of ann, submitted at noon, that ran on 4 CPUs of c1 from 10 to 70 s after; None: no such."""
    attributes = {
        "ClusterId": 12,
        "ProcId": proc,
        "GlobalJobId": f"login.site.org#12.{proc}#{NOON}",
        "Owner": "ann",
        "User": "ann@site.org",
        "QDate": NOON,
        "JobUniverse": 5,
        "JobStatus": 4,
        "JobStartDate": NOON + 10,
        "JobCurrentStartDate": NOON + 10,
        "CompletionDate": NOON + 70,
        "RemoteWallClockTime": 60.0,
        "NumJobStarts": 1,
        "RequestCpus": 4,
        "RequestMemory": 2048,
        "LastRemoteHost": "slot1_2@c1.site.org",
        "Cmd": "/home/ann/run",
        "ExitBySignal": False,
        "ExitCode": 0,
    }
    return {name: value for name, value in (attributes | values).items() if value is not None}


def spelled(job: Mapping[str, Any]) -> str:
    """The ad as `condor_history -l` prints it."""
    return "".join(f"{name} = {_spelled(value)}\n" for name, value in sorted(job.items()))


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace('"', '\\"')
        return value.removeprefix("=") if value.startswith("=") else f'"{escaped}"'
    return str(value)


def as_lines(*ads: Mapping[str, Any]) -> str:
    """A text of ads, an attribute a line; a text that begins with `=` is an expression."""
    return "\n".join(map(spelled, ads))


def as_json(*ads: Mapping[str, Any]) -> str:
    """The list that `condor_history -json` prints."""

    def value(found: Any) -> Any:
        expression = isinstance(found, str) and found.startswith("=")
        return f"\\/Expr({found[1:]})\\/" if expression else found

    return json.dumps([{name: value(found) for name, found in job.items()} for job in ads], indent=1)


def read(folder: Path, text: str, **options: object) -> Trace:
    """The trace of a text."""
    path = folder / "history"
    path.write_text(text, "utf-8")
    return read_trace(path, **options)  # type: ignore[arg-type]
