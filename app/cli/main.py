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

from app.cli.options import (
    add_filter,
    add_metric,
    add_picture,
    add_share,
    add_trace,
    count,
    count_from_0,
    seconds,
)
from app.cli.parser import WRONG_USAGE, Parser
from app.cli.parts import (
    DONE,
    FAILED,
    add_difference,
    add_doctor,
    add_explain,
    add_figure,
    add_now,
    add_report,
    add_twin,
    collect_from_now_on,
    command,
)
from app.cli.shown import show_streams
from app.work.process import LEAST_ADDRESS_SPACE, WINDOW_ADDRESS_SPACE, check_address_space
from engine.errors import InputError
from engine.system import end_signals
from resources import studies

_WINDOW = "window"
_VALUE_MAY_BEGIN_WITH_DASH = ("--users", "--queues", "--jobs", "--from", "--to", "--measure", "--partitions")
_DESCRIPTION = """\
Batchscope re-schedules the workload of a batch cluster under several policies and shows the
schedules side by side. Without a command it opens the window, with the traces or sessions that are named."""


def run_process() -> None:
    """Entry point of a `batchscope` process: run the command and exit with its status."""
    _replace_closed()
    show_streams()
    _on_end(signal.default_int_handler)
    status = main()
    if "PySide6" not in sys.modules:  # a window takes itself down in order
        gc.freeze()  # or the interpreter looks through all that is left, for a quarter of a second
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 1 the work failed, 2 wrong usage or input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names that the terminal cannot show are no failure
    arguments = _join_values(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, _WINDOW)
    options = make_parser(arguments[0]).parse_args(arguments)
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
        if "failed to map segment" not in str(error):
            raise
        print("batchscope: not enough memory to load a library (ulimit -v)", file=sys.stderr)
        return FAILED
    except MemoryError as error:
        why = f": {error}" if str(error) else " for this trace on this machine"
        print(f"batchscope: not enough memory{why}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("batchscope: cancelled", file=sys.stderr)
        return FAILED


_LIGHT = ("doctor", "info", "policies", "convert", "fetch", "generate")
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
        "files", nargs="*", type=Path, metavar="FILE", help="traces and sessions, each in a window of its own"
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
    parser.add_argument("--slurm", metavar="POLICY", help="this policy as lines of a slurm.conf instead")
    about = "with --slurm, this slurm.conf as a whole, with the policy in it and the changed lines marked"
    parser.add_argument("--slurm-into", type=Path, metavar="FILE", help=about)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="with --slurm, write to FILE, not to standard output",
    )
    parser.set_defaults(run=command("commands:policies"), json=False, quiet=False)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="easy", metavar="POLICY", help="what to simulate (easy), or a slurm.conf"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the schedule: .csv, .parquet or .swf"
    )
    add_metric(parser)
    add_filter(parser)
    parser.set_defaults(run=command("commands:simulate"))


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", action="append", required=True, metavar="POLICY", help="repeat for each run"
    )
    parser.add_argument("--baseline", metavar="POLICY", help="the run that changes refer to (the first)")
    parser.add_argument(
        "--by",
        choices=("user", "queue", "class", "hour", "weekday", "price"),
        help="also of each user, queue, class of jobs, or queue with a price",
    )
    formats = ("text", "latex", "markdown", "csv", "json")
    about = "how the table is written: latex needs the package booktabs, csv has unrounded values (text)"
    parser.add_argument("--format", choices=formats, default="text", help=about)
    add_metric(parser)
    add_filter(parser)
    add_share(parser)
    parser.set_defaults(run=command("commands:compare"))


def _add_eet(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument("-p", "--policy", metavar="POLICY", help="what to judge (recorded, else easy)")
    add_share(parser)
    add_filter(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a row a job, .csv or .parquet")
    parser.set_defaults(run=command("commands:eet"))


def _add_queue(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="plan", metavar="POLICY", help="what to simulate (plan), or a slurm.conf"
    )
    parser.add_argument("--at", required=True, metavar="TIME", help="when: a date or seconds")
    about = "write a page for browsers (.html) that needs no other file"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=about)
    parser.set_defaults(run=command("queue:queue"))


def _add_audit(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    parser.add_argument(
        "schedule", metavar="SCHEDULE", help="CSV, Parquet or SWF file, or `recorded`: the log's own schedule"
    )
    parser.add_argument("-p", "--policy", metavar="POLICY", help="check this policy's promises too")
    parser.add_argument(
        "--tolerance", type=seconds, default=0.0, metavar="SECONDS", help="differences that are no fault (0)"
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
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="or a folder (here)")
    parser.add_argument("--mirror", default=BASE, metavar="URL", help="a server with the archive's folders")
    parser.add_argument(
        "--limit", type=count, default=1 << 30, metavar="BYTES", help="the most to fetch (1 GiB)"
    )
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=command("fetch:fetch"))


def _add_convert(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    about = "what to write: .swf, .csv, .parquet, or .json for Batsim; .swf.gz and .json.gz are packed"
    parser.add_argument("output", type=Path, metavar="OUT", help=about)
    parser.set_defaults(run=command("convert:convert"))


def _add_search(parser: argparse.ArgumentParser) -> None:
    add_trace(parser)
    for name in ("minimize", "maximize"):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="METRIC",
            help=f"a metric to {name}; repeat for several",
        )
    about = "a bound, like 'veet_q3 <= 20' or 'wait_max <= 10 %%' as a change against the baseline"
    parser.add_argument("--subject-to", action="append", default=[], metavar="EXPR", help=about)
    about = "key to vary, over its whole range or as in bf=0..1, order=fcfs|sjf; repeat for others"
    parser.add_argument("--vary", action="append", default=[], metavar="KEY[=VALUES]", help=about)
    parser.add_argument(
        "-p", "--policy", default="easy", metavar="POLICY", help="whose keys are varied (easy)"
    )
    parser.add_argument(
        "--baseline", default="easy", metavar="POLICY", help="what is to be beaten (easy), or a slurm.conf"
    )
    parser.add_argument("--trials", type=count, default=200, metavar="N", help="policies to try (200)")
    add_share(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="a row a policy that was tried: .csv or .parquet"
    )
    _add_scheduler(parser)
    parser.set_defaults(run=command("search:search_policies"))


def _add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "output",
        type=Path,
        metavar="OUT",
        help="log to write, .swf or .csv, compressed if .gz follows; its machine is written next to it",
    )
    parser.add_argument(
        "--model",
        choices=("lublin", "bursty", "saturated", "campus"),
        help="what the workload is like: of Lublin & Feitelson 2003 (default), with long sessions of users, "
        "with more work than the machine can do, or the bundled example's",
    )
    about = "take machine, users, load and distributions from this log; prints how similar the new log is"
    parser.add_argument("--like", type=Path, metavar="TRACE", help=about)
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw how like: .png, .svg or .pdf")
    parser.add_argument("--jobs", type=count, metavar="N", help="(10000, or as many as the log has)")
    parser.add_argument(
        "--cluster", metavar="SPEC", help="machine, as in 20x80c505g (128c), or a machines file"
    )
    about = "processor time that jobs take, of all that there is (as the gaps of the model have it)"
    parser.add_argument("--load", type=float, metavar="X", help=about)
    parser.add_argument("--users", type=count, metavar="N", help="(100)")
    parser.add_argument("--seed", type=count_from_0, metavar="N", help="another seed gives other jobs (0)")
    parser.add_argument("--json", action="store_true", help="a single JSON document on standard output")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    parser.set_defaults(run=command("generate:generate"))


def _add_scheduler(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        default="",
        help="have the workers of a Dask cluster make the runs, like tcp://host:8786",
    )


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "study",
        metavar="STUDY",
        help=f"study file (.toml), or a built-in study: {', '.join(studies())}",
    )
    add_trace(parser, optional=True)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for the results; results already there are kept",
    )
    about = "another log, with a column of its own in tables; repeat for more"
    parser.add_argument("--log", type=Path, action="append", default=[], metavar="FILE", help=about)
    about = "folder for figures of the study and tables with the paper's numbers beside them, new or empty"
    parser.add_argument("--figures", type=Path, metavar="DIR", help=about)
    parser.add_argument("--force", action="store_true", help="replace such a folder that is there")
    _add_scheduler(parser)
    parser.set_defaults(run=command("sweep:sweep"))


def _window(options: argparse.Namespace) -> int:
    from app.cli.start import open_window

    collect_from_now_on()
    _on_end(signal.SIG_DFL)  # its loop runs no Python that could be interrupted
    return open_window(options.files, options)


def _demo(options: argparse.Namespace) -> int:
    from app.cli.start import open_demo

    collect_from_now_on()
    _on_end(signal.SIG_DFL)
    return open_demo(options)


COMMANDS: dict[str, tuple[Callable[[argparse.ArgumentParser], None], str]] = {
    _WINDOW: (_add_window, "open the window, with the traces or sessions that are named (the default)"),
    "demo": (_add_demo, "the bundled example under four policies"),
    "info": (_add_info, "jobs, users, span, load and quality notes of a trace"),
    "policies": (_add_policies, "the preset policies, and how policies and filters are spelled"),
    "simulate": (_add_simulate, "schedule a trace under one policy"),
    "compare": (_add_compare, "metrics of a trace under several policies"),
    "eet": (_add_eet, "expected end times and which of them a schedule violates"),
    "convert": (_add_convert, "write a trace in the format of another program"),
    "fetch": (_add_fetch, "fetch a log of the Parallel Workloads Archive"),
    "search": (_add_search, "the best configuration for a machine, judged on time that it never saw"),
    "generate": (_add_generate, "write a synthetic log, of a model or like another log"),
    "sweep": (_add_sweep, "the runs of a study, with what a paper found and whether it holds"),
    "queue": (_add_queue, "the jobs that wait at a time, with their planned starts"),
    "explain": (add_explain, "why a job waited, by reasons that add up to its wait"),
    "difference": (add_difference, "what one policy changes against another, and for whom"),
    "figure": (add_figure, "a figure of runs for print, as PDF, SVG or PNG"),
    "report": (add_report, "write a folder with a page on how runs differ, figures and tables"),
    "twin": (add_twin, "how near a site's own Slurm, simulated, comes to what its log recorded"),
    "now": (
        add_now,
        "planned and simulated starts of the waiting jobs of the queue as it is, and why they wait",
    ),
    "audit": (
        _add_audit,
        "list the rules that a schedule breaks; the schedule may come from another program",
    ),
    "doctor": (add_doctor, "what this program needs from the computer and does not find, with what to do"),
}

if __name__ == "__main__":
    run_process()
