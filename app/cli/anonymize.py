"""The command that writes a log and its site under other names."""

from __future__ import annotations

import argparse
import shlex
import sys

from app.export.output import keep_others, print_json
from engine.anonymous.export import anonymize as write_anonymized
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.words import counted


def anonymize(options: argparse.Namespace) -> None:
    """Write a log and its site under other names. Raises InputError, OSError."""
    if options.key is not None:
        # The folder is what is given away: a key inside would go with it.
        if options.key.resolve().is_relative_to(options.output.resolve()):
            raise InputError(f"{options.key}: the key tells all names; write it outside of {options.output}")
        refuse_inputs(options.key)
        if not options.force:
            keep_others(options.key, "kind,name,new name")
    # The first name is the log, further names belong to it.
    log, *further = options.trace
    done = write_anonymized(log, further, options.site, options.output, options.key)
    if options.json:
        site = None if done.site is None else str(done.site)
        print_json({"log": str(done.log), "site": site, "replaced": done.replaced})
    elif not options.quiet:
        print(f"wrote {done.log}: {counted(done.replaced, 'name')} replaced", file=sys.stderr)
        run = "easy" if done.site is None else shlex.quote(f"site:{done.site}")
        print(f"next: batchscope compare {shlex.quote(str(done.log))} -p recorded -p {run}", file=sys.stderr)
