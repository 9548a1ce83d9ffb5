"""The command line: every command but the window works without a display."""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from app.cli.figure_options import add_figure
from app.cli.interrupt import tell_interrupt
from app.cli.options import (
    add_chosen_groups,
    add_filter,
    add_force,
    add_metric,
    add_output,
    add_picture,
    add_printing,
    add_share,
    add_trace,
    count,
    count_from_0,
    log_path,
    percentage,
    seconds,
)
from app.cli.parser import WRONG_USAGE, Parser
from app.cli.parts import (
    DONE,
    FAILED,
    add_anonymize,
    add_change,
    add_cite,
    add_collect,
    add_difference,
    add_doctor,
    add_doubtful,
    add_explain,
    add_generate,
    add_new,
    add_now,
    add_paper,
    add_rank,
    add_report,
    add_runs,
    add_search,
    add_sweep,
    add_twin,
    add_waits,
    collect_from_now_on,
    command,
)
from app.cli.terminal_text import show_streams
from app.work.process import LEAST_ADDRESS_SPACE, WINDOW_ADDRESS_SPACE, check_address_space
from engine.errors import InputError
from engine.system import end_signals

_WINDOW = "window"
_VALUE_MAY_BEGIN_WITH_DASH = (
    "--users",
    "--queues",
    "--jobs",
    "--from",
    "--to",
    "--measure",
    "--partitions",
    "--clusters",
)
_DESCRIPTION = """\
Batchscope re-schedules the workload of a batch cluster under several policies and shows the
schedules side by side. Without a command it opens the window with the given traces or sessions."""


def run_process() -> None:
    """Entry point of a `batchscope` process: run the command and exit with its status."""
    _replace_closed()
    show_streams()
    _on_end(_interrupt)
    status = main()
    if "PySide6" not in sys.modules:  # a window takes itself down in order
        gc.freeze()  # or the interpreter looks through all that is left, for a quarter of a second
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 1 the work failed, 2 wrong usage or input, and 128 more
    than a signal's number where that signal ended it, as shells say it: 130 after Ctrl+C.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names that the terminal cannot show are no failure
    arguments = _join_values(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, _WINDOW)
    options = make_parser(arguments[0]).parse_args(arguments)
    options.words = arguments
    try:
        if arguments[0] not in _LIGHT:
            check_address_space(WINDOW_ADDRESS_SPACE if arguments[0] in _WITH_WINDOW else LEAST_ADDRESS_SPACE)
        run: Callable[[argparse.Namespace], int] = options.run
        status = run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"batchscope: {error}", file=sys.stderr)
        return WRONG_USAGE
    except BrokenPipeError:
        _abandon_output()  # the reader has closed the pipe
        return DONE
    except OSError as error:
        if error.filename is None:
            print(f"batchscope: {error}", file=sys.stderr)
            _abandon_output()
        else:
            print(f"batchscope: {error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED
    except ImportError as error:
        from app.work.system_libraries import load_fault

        print(f"batchscope: {load_fault(error)}", file=sys.stderr)
        return FAILED
    except MemoryError as error:
        why = f": {error}" if str(error) else " for this trace on this machine"
        print(f"batchscope: not enough memory{why}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt as interrupt:
        return tell_interrupt(interrupt)


_LIGHT = ("doctor", "info", "policies", "convert", "collect", "fetch", "generate", "new", "cite")
"""Commands that work without the compiler."""

_WITH_WINDOW = (_WINDOW, "demo")


def _abandon_output() -> None:
    """Send what is left of the output nowhere, or the interpreter would try again as it leaves."""
    with suppress(OSError), Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _replace_closed() -> None:
    """Let what is written to a stream go nowhere that was closed before the start (`>&-`).

    Its number would otherwise be the next file's that is opened, which then holds what is printed.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDONLY if name == "stdin" else os.O_WRONLY)
            setattr(sys, name, os.fdopen(nowhere, "r" if name == "stdin" else "w"))


def _on_end(handler: Callable[..., object] | int) -> None:
    """Set the handler of the signals that end a process; the default ends it at once.

    Like Ctrl+C, this leaves no half-written files. Signals that were ignored at start, as under `nohup`, stay
    ignored.
    """
    for number in end_signals():
        if number != signal.SIGINT and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _interrupt(number: int, _frame: object) -> NoReturn:
    """Handle a signal that ends the process as Python handles Ctrl+C, and tell which signal it was."""
    raise KeyboardInterrupt(number)


def _join_values(arguments: Sequence[str]) -> list[str]:
    """`--users -alice` as `--users=-alice`: a value that would be read as an option of its own."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] in _VALUE_MAY_BEGIN_WITH_DASH and word[:1] == "-" and word[:2] != "--":
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        about = "show program's version number and exit"
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=about)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"batchscope {version('batchscope')}")
        parser.exit()


def make_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or with the options of one command alone: those of others load much."""
    parser = Parser(prog="batchscope", description=_DESCRIPTION)
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (add, text) in COMMANDS.items():
        own = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if only in (None, name):
            add(own)
    return parser


def _add_window(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        type=log_path,
        metavar="FILE",
        help="traces, sessions and copied links to views, each in a window of its own",
    )
    about = "simulate traces under this policy instead of those in the settings; repeat for each run"
    parser.add_argument("-p", "--policy", action="append", default=[], metavar="POLICY", help=about)
    add_picture(parser)
    parser.set_defaults(run=_window)


def _add_demo(parser: argparse.ArgumentParser) -> None:
    add_picture(parser)
    parser.set_defaults(run=_demo, policy=[])


def _add_info(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.set_defaults(run=command("info:info"))


def _add_policies(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slurm", metavar="POLICY", help="print this policy as lines of a slurm.conf")
    about = "with --slurm, print a copy of this slurm.conf with the policy; changed lines are marked"
    parser.add_argument("--slurm-into", type=Path, metavar="FILE", help=about)
    add_output(parser, "with --slurm, write to FILE instead of standard output")
    parser.set_defaults(run=command("grammar:policies"), json=False, quiet=False)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="easy", metavar="POLICY", help="policy to simulate (easy), or a slurm.conf"
    )
    add_output(parser, "write the schedule: .csv, .parquet or .swf")
    add_metric(parser)
    add_filter(parser)
    parser.set_defaults(run=command("commands:simulate"))


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    add_runs(parser)
    about = "the run that changes are relative to (a site's own, else easy, else the first simulated)"
    parser.add_argument("--baseline", metavar="POLICY", help=about)
    parser.add_argument(
        "--by",
        choices=("user", "account", "queue", "class", "hour", "weekday", "price"),
        help="also metrics of each group",
    )
    add_doubtful(parser)
    about = "print all metrics, not only the dozen that are asked for most; csv and json always have all"
    parser.add_argument("--all", action="store_true", help=about)
    formats = ("text", "latex", "markdown", "csv", "json")
    about = "format of the table (that of FILE, else text); latex needs the package booktabs, csv has "
    about += "unrounded values"
    parser.add_argument("--format", choices=formats, help=about)
    about = "metrics of the table in this order, with commas (the dozen that are asked for most)"
    parser.add_argument("--rows", metavar="NAMES", help=about)
    add_chosen_groups(parser)
    add_output(parser, "write the table to FILE: .csv, .json, .md or .tex")
    add_metric(parser)
    add_filter(parser)
    add_share(parser)
    parser.set_defaults(run=command("compare:compare"))


def _add_eet(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p",
        "--policy",
        metavar="POLICY",
        help="schedule to measure (recorded if the log has starts, otherwise easy)",
    )
    add_share(parser)
    add_filter(parser)
    add_output(parser, "write a table with one row for each job: .csv or .parquet")
    parser.set_defaults(run=command("commands:eet"))


def _add_queue(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="plan", metavar="POLICY", help="policy to simulate (plan), or a slurm.conf"
    )
    parser.add_argument("--at", required=True, metavar="TIME", help="the instant: a date or seconds")
    about = (
        "also replay the queue so many times (0) with runtimes of like jobs that had ended by then, and list "
    )
    about += "the median of each job's starts and the span of most"
    parser.add_argument("--replays", type=count_from_0, default=0, metavar="N", help=about)
    about = "how many of 100 starts spans are to contain (80), where they are calibrated; else, of replays"
    parser.add_argument("--cover", type=percentage, default=80, metavar="N", help=about)
    about = "calibrate spans at so many random earlier instants of the schedule (60; 0: not at all)"
    parser.add_argument("--calibrate", type=count_from_0, metavar="N", help=about)
    about = "let no further job come in replays; else jobs come as in the last weeks of the log, and go "
    about += "first where the policy says so"
    parser.add_argument("--no-arrivals", action="store_true", help=about)
    about = "for the user of the waiting job with this id, in at most forty words: when it starts, how sure "
    about += "that is, why it waits, and what would help: the queue of that instant is planned again with "
    about += "this job asking for less time, fewer processors, or another queue"
    parser.add_argument("--answer", metavar="ID", help=about)
    about = "the whole answer of --answer: the request, the starts, and how these are worked out"
    parser.add_argument("--method", action="store_true", help=about)
    about = "write a page for browsers (.html) that needs no other file"
    add_output(parser, about)
    parser.set_defaults(run=command("site.queue:queue"))


def _add_audit(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "schedule",
        metavar="SCHEDULE",
        help="CSV, Parquet or SWF file; `recorded`: the log's own schedule; or `simulated`: that of the "
        "policy, with its reasons of waits",
    )
    parser.add_argument("-p", "--policy", metavar="POLICY", help="also check what this policy guarantees")
    parser.add_argument(
        "--tolerance", type=seconds, default=0.0, metavar="SECONDS", help="ignore differences up to this (0)"
    )
    parser.set_defaults(run=command("audit:audit"))


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    from engine.fetch.logs import BASE

    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="name of a log, such as KTH-SP2; without a name all logs are listed",
    )
    add_output(parser, "file or folder to write (current folder)")
    parser.add_argument(
        "--mirror", default=BASE, metavar="URL", help="download from this mirror of the archive"
    )
    parser.add_argument(
        "--limit",
        type=count,
        default=1 << 30,
        metavar="BYTES",
        help="refuse downloads larger than this (1 GiB)",
    )
    add_printing(parser)
    parser.set_defaults(run=command("fetch:fetch"))


def _add_convert(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    about = "file to write: .swf, .csv, .parquet, or .json for Batsim; .swf.gz and .json.gz are compressed"
    parser.add_argument("output", type=Path, metavar="OUT", help=about)
    add_force(parser)
    parser.set_defaults(run=command("convert:convert"))


def _window(options: argparse.Namespace) -> int:
    from app.cli.start import open_window
    from app.model.file_kinds import LINK_MARK
    from engine.input import exists
    from engine.spelling import nearest

    collect_from_now_on()
    for path in options.files:
        # A word without a folder or a suffix is more often a misspelt command than a lost file.
        bare = path.name == str(path) and not path.suffix and LINK_MARK not in path.name
        if bare and not exists(path):
            hint = nearest(path.name, COMMANDS)
            raise InputError(f"{path}: no such file{hint and f' or command{hint}'}")
    _on_end(signal.SIG_DFL)  # its loop runs no Python that could be interrupted
    return open_window(options.files, options)


def _demo(options: argparse.Namespace) -> int:
    from app.cli.start import open_demo

    collect_from_now_on()
    _on_end(signal.SIG_DFL)  # as in `_window`
    return open_demo(options)


COMMANDS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]] = {
    _WINDOW: (_add_window, "open traces or sessions in the window (the default)"),
    "demo": (_add_demo, "open the bundled example under four policies"),
    "info": (_add_info, "print jobs, users, time span, load and quality notes of a trace"),
    "policies": (_add_policies, "list the preset policies, and the syntax of policies and filters"),
    "simulate": (_add_simulate, "simulate a trace under one policy"),
    "compare": (_add_compare, "compare metrics of a trace under several policies"),
    "eet": (_add_eet, "compute expected end times, and which of them a schedule violates"),
    "convert": (_add_convert, "write a trace in the format of another program"),
    "collect": (
        add_collect,
        "collect the log and the settings of a cluster, by the commands of its batch system",
    ),
    "anonymize": (add_anonymize, "write a log and its site under other names, which keep every start"),
    "fetch": (_add_fetch, "download a log of the Parallel Workloads Archive"),
    "search": (
        add_search,
        "find the best configuration for a machine, validated on a held-out part of the log",
    ),
    "generate": (add_generate, "write a synthetic log, from a model or similar to another log"),
    "sweep": (add_sweep, "run a study, and test whether the findings of its paper hold"),
    "queue": (_add_queue, "list the jobs that wait at an instant, with their planned starts"),
    "explain": (add_explain, "explain why a job waited, by reasons that add up to its wait"),
    "rank": (add_rank, "rank policies on logs, on a span to tune them and on one kept from that"),
    "difference": (add_difference, "show what changes between two policies, and for whom"),
    "waits": (add_waits, "show what waits are made of, by account, partition, user and week"),
    "figure": (add_figure, "draw a figure of runs for print, as PDF, SVG or PNG"),
    "report": (add_report, "write a report on the differences between runs, with figures and tables"),
    "paper": (add_paper, "make all figures, tables and numbers of a paper from its folder, or check them"),
    "cite": (add_cite, "print BibTeX entries of this program and of the papers that it implements"),
    "twin": (add_twin, "measure how closely the simulation of a site's own Slurm matches its log"),
    "change": (
        add_change,
        "tell what a change of a site's slurm.conf at a date did to waits, and what the rules explain",
    ),
    "now": (
        add_now,
        "predict when the jobs in the current queue will start, and explain why they wait",
    ),
    "audit": (
        _add_audit,
        "list the constraints that a schedule violates, also one made by another program",
    ),
    "new": (add_new, "write a file, or a package, to begin code of your own with"),
    "doctor": (
        add_doctor,
        "check what this program needs from the computer, and say how to fix what is missing",
    ),
}

if __name__ == "__main__":
    run_process()
