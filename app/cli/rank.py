"""The command `rank`: policies in the order of a metric, on both spans of each of some logs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli.loading import open_log, policy_of
from app.cli.options import refuse_given
from app.cli.terminal import progress_bar, show_compiling
from app.export.names_file import read_names
from app.export.output import aligned, print_json
from app.report.folder import check_folder
from app.report.ranks import rank_tables, write_ranks
from app.work.compile_kernels import fill_cache
from engine.search.ranking import RankedLog, rank_on, with_baseline


def rank(options: argparse.Namespace) -> None:
    """Rank the policies on each log; print the tables or write them into a folder.

    Raises InputError, OSError.
    """
    refuse_given(options, "ranks have spans of their own", "measure")
    baseline = policy_of(options.baseline, options)
    chosen = with_baseline([policy_of(text, options) for text in options.policy], baseline)
    # Names and folder are checked before the first simulation.
    words = read_names(options.names)
    if options.output is not None:
        check_folder(options.output, options.force)
    files: list[tuple[Path, list[Path]]] = [
        (options.trace, options.further),
        *((log, []) for log in options.log),
    ]
    # Compilation has a bar of its own, before that of the first log.
    if show_compiling(options.quiet):
        fill_cache()
    ranked: list[RankedLog] = []
    # Each log is read by the same options, apart from its own files.
    for file, further in files:
        of_log = argparse.Namespace(**{**vars(options), "trace": file, "further": further})
        opened = open_log(of_log, chosen)
        with progress_bar(opened.trace.shown_name, options) as show:
            ranked.append(rank_on(opened, chosen, baseline, options.by, report=show))
    spelled = baseline.spelling
    if options.output is not None:
        write_ranks(ranked, spelled, options.by, options.output, options.force, words)
        if not options.quiet:
            print(f"wrote {options.output}", file=sys.stderr)
    tables = {name: table.under_names(words) for name, table in rank_tables(ranked, spelled, options.by)}
    if options.json:
        print_json(
            {"ranked_by": options.by, "baseline": spelled, **{k: t.facts() for k, t in tables.items()}}
        )
    elif options.output is None:
        board = tables["board"]
        print("\n".join([*aligned([board.titles, *board.rows]), "", board.caption]))
