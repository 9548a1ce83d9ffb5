"""The command that writes a trace in the format of another program."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.loading import open_log
from app.export.output import SWF_BEGINS, check_output, print_json, write_table
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.trace.convert import BATSIM, FORMATS, SWF, TABLE, left_out, trace_table, write_batsim, write_swf
from engine.words import counted

_BEGINS = {
    SWF: SWF_BEGINS,
    BATSIM: r'\{\n"description": "[^\n]*",\n"nb_res": ',
    TABLE: "job_id,user,group,queue,executable,submit,",
}
"""How its files begin, by their format."""


def convert(options: argparse.Namespace) -> None:
    """Write a trace by the suffix of the file, and say what that format cannot hold. Raises InputError."""
    path: Path = options.output
    # `.gz` says how the file is packed: the format is the suffix before it.
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    kind = FORMATS.get(suffix)
    if kind is None or (path.suffix == ".gz" and kind not in (SWF, BATSIM)):
        known = ", ".join((*FORMATS, ".swf.gz", ".json.gz"))
        raise InputError(f"{path}: cannot write this format; name it {known}")
    check_output(path, path.suffix, begins=_BEGINS.get(kind, ""), force=options.force)
    trace = open_log(options).trace
    # The log that was read must not be overwritten by what is made of it.
    refuse_inputs(path)
    if kind == SWF:
        write_swf(trace, path)
    elif kind == BATSIM:
        write_batsim(trace, path)
    else:
        write_table(trace_table(trace), path)
    # What a format cannot hold is told even if all went well: the reader would miss it much later.
    missing = left_out(trace, kind)
    if options.json:
        print_json({"file": str(path), "jobs": len(trace), "left_out": missing})
    elif not options.quiet:
        print(f"wrote {counted(len(trace), 'job')} to {path}", file=sys.stderr)
        for text in missing:
            print(f"not kept: {text}", file=sys.stderr)
