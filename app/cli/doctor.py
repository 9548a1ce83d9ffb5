"""The `doctor` command: what the program needs and does not find, with what to do."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from app.work.health import check_all

_MARKS = {"ok": "ok   ", "note": "note ", "fault": "FAULT"}


def doctor(options: argparse.Namespace) -> bool:
    """Check everything and print it; whether there is no fault."""
    checks = []
    # Each check is printed as it is done: some check may take long, or never end.
    for check in check_all():
        checks.append(check)
        if not options.json:
            print(f"{_MARKS[check.state]} {check.name}: {check.found}", flush=True)
            if check.advice:
                print(f"      {check.advice}", flush=True)
    faults = sum(check.state == "fault" for check in checks)
    if options.json:
        print(json.dumps({"checks": [asdict(check) for check in checks], "faults": faults}, indent=1))
    else:
        print("Nothing is wrong." if not faults else f"{faults} {'fault' if faults == 1 else 'faults'}.")
    return not faults
