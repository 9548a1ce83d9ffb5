"""The command that fetches a log of the Parallel Workloads Archive."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.terminal import progress_bar
from app.export.output import keep_others, print_json
from engine.errors import InputError
from engine.fetch import logs
from engine.fetch.download import acknowledgement, fetch_log
from engine.fetch.logs import log_named


def fetch(options: argparse.Namespace) -> None:
    """Fetch a log, or list the logs where none is named. Raises InputError."""
    if options.name is None:
        _list(options)
        return
    log = log_named(options.name)
    path = options.output or Path(log.file)
    chosen = options.output is not None and not path.is_dir()  # a name of the user's, which may be a link
    path = path / log.file if path.is_dir() else path
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    if chosen and not options.force:
        keep_others(path, r"[;\s\d]")  # a header or a job: as all logs of the archive begin
    with progress_bar(f"fetching {log.name}", options) as progress:
        target = path.resolve() if chosen and path.is_symlink() else path
        new = fetch_log(log, target, options.mirror, options.limit, progress, anew=options.force)
    thanks = acknowledgement(path)
    if options.json:
        print_json({"file": str(path), "fetched": new, "acknowledge": thanks})
    elif not options.quiet:
        print(f"{'fetched' if new else 'already there:'} {path}", file=sys.stderr)
        if thanks:
            print(f"Acknowledge: {thanks}; the Parallel Workloads Archive", file=sys.stderr)


def _list(options: argparse.Namespace) -> None:
    if options.json:
        print_json({"logs": [{"name": log.name, "file": log.file, "about": log.about} for log in logs.LOGS]})
        return
    for log in logs.LOGS:
        print(f"{log.name:<18}{log.about}")
