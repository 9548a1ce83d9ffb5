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
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

from engine.errors import InputError
from views.catalog import NAMES

DONE, FAILED, WRONG_USAGE = 0, 1, 2

_WINDOW = "window"
_VALUE_MAY_BEGIN_WITH_DASH = ("--users", "--queues", "--jobs", "--from", "--to", "--measure")
_DESCRIPTION = """\
Batchscope re-schedules the workload of a batch cluster under several policies and shows the
schedules side by side. Without a command it opens the window, with the traces or sessions that are named."""


def run_process() -> None:
    """Entry point of a `batchscope` process: run the command and exit with its status."""
    _replace_closed()
    _on_end(signal.default_int_handler)
    status = main()
    if "PySide6" not in sys.modules:  # a window takes itself down in order
        gc.freeze()  # or the interpreter looks through all that is left, for a quarter of a second
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 done, 1 the work failed, 2 wrong usage or input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names that the terminal cannot show are no failure
    arguments = _join_values(sys.argv[1:] if argv is None else argv)
    parser = make_parser()
    if not arguments or (arguments[0] not in COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, _WINDOW)
    options = parser.parse_args(arguments)
    try:
        run: Callable[[argparse.Namespace], int] = options.run
        status = run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(f"batchscope: {error}", file=sys.stderr)
        return WRONG_USAGE
    except BrokenPipeError:
        _abandon_output()  # whoever read it has enough of it
        return DONE
    except OSError as error:
        if error.filename is None:
            print(f"batchscope: {error}", file=sys.stderr)
            _abandon_output()
        else:
            print(f"batchscope: {error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED
    except MemoryError:
        print("batchscope: not enough memory for this trace on this machine", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("batchscope: cancelled", file=sys.stderr)
        return FAILED


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
    """Set what the signals that end a process do; by default it ends at once.

    As Ctrl+C does, it leaves nothing half-written behind. What somebody had it ignore, as `nohup` does,
    it ignores.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


class _Parser(argparse.ArgumentParser):
    """Argument parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Leave with the status of wrong usage."""
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _join_values(arguments: Sequence[str]) -> list[str]:
    """`--users -alice` as `--users=-alice`: a value that would be read as an option of its own."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] in _VALUE_MAY_BEGIN_WITH_DASH and word[:1] == "-" and word[:2] != "--":
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(prog="batchscope", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"batchscope {version('batchscope')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (add, text) in COMMANDS.items():
        add(commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + "."))
    return parser


def _add_window(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="traces and sessions, each in a window of its own"
    )
    _add_picture(parser)
    parser.set_defaults(run=_window)


def _add_demo(parser: argparse.ArgumentParser) -> None:
    _add_picture(parser)
    parser.set_defaults(run=_demo)


def _add_picture(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("picture instead of a window")
    group.add_argument(
        "--screenshot", type=Path, metavar="FILE", help="draw the window to FILE when all is done"
    )
    group.add_argument("--size", type=_size, metavar="WxH", help="of the window (1600x1000)")
    group.add_argument("--theme", choices=("light", "dark"), help="(as set in the window, at first light)")
    group.add_argument("--view", choices=NAMES, help="what the window shows")


def _add_info(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.set_defaults(run=_command("info"))


def _add_policies(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_command("policies"), json=False, quiet=False)


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="easy", metavar="POLICY", help="what to simulate (easy), or a slurm.conf"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the schedule: .csv, .parquet or .swf"
    )
    _add_metric(parser)
    _add_filter(parser)
    parser.set_defaults(run=_command("simulate"))


def _add_compare(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.add_argument(
        "-p", "--policy", action="append", required=True, metavar="POLICY", help="repeat for each run"
    )
    parser.add_argument("--baseline", metavar="POLICY", help="the run that changes refer to (the first)")
    parser.add_argument(
        "--by",
        choices=("user", "queue", "class", "price"),
        help="also of each user, queue, class of jobs, or queue with a price",
    )
    _add_metric(parser)
    _add_filter(parser)
    _add_share(parser)
    parser.set_defaults(run=_command("compare"))


def _add_eet(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.add_argument("-p", "--policy", metavar="POLICY", help="what to judge (recorded, else easy)")
    _add_share(parser)
    _add_filter(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a row a job, .csv or .parquet")
    parser.set_defaults(run=_command("eet"))


def _add_queue(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.add_argument(
        "-p", "--policy", default="plan", metavar="POLICY", help="what to simulate (plan), or a slurm.conf"
    )
    parser.add_argument("--at", required=True, metavar="TIME", help="when: a date or seconds")
    parser.set_defaults(run=_queue)


def _add_audit(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    parser.add_argument(
        "schedule", metavar="SCHEDULE", help="CSV, Parquet or SWF file, or `recorded`: the log's own schedule"
    )
    parser.add_argument("-p", "--policy", metavar="POLICY", help="check this policy's promises too")
    parser.add_argument(
        "--tolerance", type=_seconds, default=0.0, metavar="SECONDS", help="differences that are no fault (0)"
    )
    parser.set_defaults(run=_audit)


def _add_convert(parser: argparse.ArgumentParser) -> None:
    _add_trace(parser)
    about = "what to write: .swf, .csv, .parquet, or .json for Batsim; .swf.gz and .json.gz are packed"
    parser.add_argument("output", type=Path, metavar="OUT", help=about)
    parser.set_defaults(run=_convert)


def _add_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "study",
        metavar="STUDY",
        help="study file (.toml), or a ready-made one: auction-or-queues, auction-and-load, "
        "auction-and-parallelism",
    )
    _add_trace(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of the results; those there are kept",
    )
    parser.set_defaults(run=_sweep)


def _add_share(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--share",
        default="fair",
        metavar="SPEC",
        help="what each user may expect: fair, 1/10, 64c256g, users.csv; with more behind it, as in "
        "fair:share_decay=3d,batches=10m",
    )


def _add_metric(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fair-starts",
        action="store_true",
        help="work out when jobs would have started had no later one come (unfair_jobs, unfair_delay_mean)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="NAME",
        help="one more metric, with its number: psf:alpha=1.5, value:delta=20; repeat for others",
    )


def _add_filter(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--filter",
        metavar="EXPR",
        help="metrics of jobs that match in at least one run, like 'user in (12, 62) and wait > 2h'; all "
        "jobs are simulated all the same (`batchscope policies` lists the fields)",
    )


def _add_trace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "trace", type=Path, metavar="TRACE", help="workload log, may be packed, or a folder of rotated logs"
    )
    group = parser.add_argument_group("options of all commands that read a trace")
    machines = "machine: 20x80c505g+48x12c90g, 338c, bluegene, a machines file or a slurm.conf; "
    machines += "with 20x80c~30d/4h each node fails every 30 days on average, for 4 hours "
    machines += "(30d/4h/7/0.7: seed 7, Weibull times of shape 0.7)"
    group.add_argument("--cluster", metavar="SPEC", help=machines)
    failures = (
        "when nodes of the log's machine failed, as Alea's files tell (the .failures file beside the log)"
    )
    group.add_argument("--failures", type=Path, metavar="FILE", help=failures)
    about = "which column of a table (CSV, Parquet) says what: lines of TOML like submit = 'Queued at'"
    group.add_argument("--columns", type=Path, metavar="FILE", help=about)
    group.add_argument("--estimate", metavar="NAME", help="estimate of policies that name none (requested)")
    group.add_argument("--jobs", metavar="A:B", help="only jobs A to B - 1, counted from 0 after cleaning")
    group.add_argument("--from", dest="start", metavar="TIME", help="only jobs submitted from then on")
    group.add_argument(
        "--to", dest="end", metavar="TIME", help="only jobs submitted before; a date or seconds"
    )
    group.add_argument("--theta", metavar="X", help="inter-arrival times times X: under 1 the load is higher")
    group.add_argument(
        "--rho",
        metavar="X",
        help="processors of jobs times X, up to the machine's, in as much less time",
    )
    group.add_argument("--measure", metavar="FROM:TO", help="metrics of jobs submitted in this span only")
    group.add_argument("--users", metavar="A,B", help="only these users; -A leaves one out")
    group.add_argument("--queues", metavar="A,B", help="only these queues; -A leaves one out")
    group.add_argument(
        "--clean", action="append", default=[], metavar="RULE=on|off", help="switch a rule of cleaning"
    )
    group.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="which values of jobs are drawn for policies that name none (0)",
    )
    group.add_argument("--json", action="store_true", help="one JSON document on standard output")
    group.add_argument("--quiet", action="store_true", help="no progress")


def _size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; spell it like 1600x1000") from None
    if not (320 <= width <= 16384 and 240 <= height <= 16384):
        raise argparse.ArgumentTypeError(f"{text}: sizes go from 320x240 to 16384x16384")
    return width, height


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not 0 to 86400 seconds")
    return seconds


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    """A command of `app.cli.commands`, which loads the engine only when it is run."""

    def run(options: argparse.Namespace) -> int:
        from app.cli import commands

        command: Callable[[argparse.Namespace], None] = getattr(commands, name)
        command(options)
        return DONE

    return run


def _audit(options: argparse.Namespace) -> int:
    from app.cli.audit import audit

    return DONE if audit(options) else FAILED


def _convert(options: argparse.Namespace) -> int:
    from app.cli.convert import convert

    convert(options)
    return DONE


def _sweep(options: argparse.Namespace) -> int:
    from app.cli.sweep import sweep

    return DONE if sweep(options) else FAILED


def _queue(options: argparse.Namespace) -> int:
    from app.cli.queue import queue

    queue(options)
    return DONE


def _window(options: argparse.Namespace) -> int:
    from app.cli.start import open_window

    _on_end(signal.SIG_DFL)  # its loop runs no Python that could be interrupted
    return open_window(options.files, options)


def _demo(options: argparse.Namespace) -> int:
    from app.cli.start import open_demo

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
    "sweep": (_add_sweep, "the runs of a study, with what a paper found and whether it holds"),
    "queue": (_add_queue, "the jobs that wait at a time, with their planned starts"),
    "audit": (_add_audit, "what a schedule breaks, of this program or another one"),
}

if __name__ == "__main__":
    run_process()
