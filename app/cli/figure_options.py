"""Options of the command `figure`: of runs, of results, and of print."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.options import add_fair_starts, add_filter, add_share, add_trace, log_path
from app.cli.parts import add_doubtful, add_runs, command


class _OptionHelp(str):
    """A help text that ends with all options of views, which are looked up only where it is printed."""

    __slots__ = ()

    def __mod__(self, values: object) -> str:
        """The text, as argparse asks for it."""
        from app.export.look_options import list_look_options

        return f"{self}{list_look_options()}"


def _run(options: argparse.Namespace) -> int:
    """Draw a figure; the code of the other kinds is not imported."""
    from views.grammar.encoding import KINDS

    composed = options.kind in KINDS
    return command("composed_figure:draw_composed" if composed else "figure:make_figure")(options)


def add_figure(parser: argparse.ArgumentParser) -> None:
    """Options of `figure`."""
    # Imported here, since only this command needs the views, whose import takes time.
    from views.catalog import RUN_FIGURES
    from views.figures.printing import PAPERS
    from views.grammar.encoding import KINDS

    kinds = [spec.kind for spec in RUN_FIGURES if not spec.kind.endswith("-column")]
    about = f"kind of figure: {', '.join(kinds)}; append -column for a figure of one column's width. Or, of "
    about += "runs, or of results in place of a trace (the folder of a study, a table of runs): "
    about += ", ".join(KINDS)
    # What is drawn, and of which runs.
    parser.add_argument("kind", metavar="KIND", help=about)
    add_trace(parser)
    add_runs(parser, needed=False)
    add_composing(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=".pdf, .svg or .png")
    # How it is drawn: options of the view, metrics, and which times and jobs.
    about = _OptionHelp("an option or selection of the view; repeat for more. Options are ")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=about)
    about = "metrics of the figure `metrics`, with commas (the eight that papers compare schedules by)"
    parser.add_argument("--metrics", metavar="NAMES", help=about)
    about = "time range of charts over time (all): dates or seconds"
    parser.add_argument("--shown", metavar="FROM:TO", help=about)
    add_filter(parser)
    add_fair_starts(parser)
    add_doubtful(parser)
    about = "select a user: figures of one user, such as `filling`, show this user (otherwise the heaviest "
    about += "user), and Gantt charts fade the jobs of others; repeat for more"
    parser.add_argument("--user", action="append", default=[], metavar="NAME", help=about)
    about = "write the data of the figure: .csv, .parquet or .json"
    # Files beside the figure.
    parser.add_argument("--data", type=Path, metavar="FILE", help=about)
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
    # The printed page.
    group = parser.add_argument_group("print")
    papers = ", ".join(f"{name} ({paper.about})" for name, paper in PAPERS.items())
    group.add_argument("--paper", metavar="SIZE", help=f"a width in mm, or {papers}")
    about = "maximum height (that of the paper, otherwise what the figure needs)"
    group.add_argument("--height", type=float, metavar="MM", help=about)
    group.add_argument("--font", metavar="NAME", help="font (DejaVu Sans)")
    group.add_argument(
        "--font-size", type=float, metavar="PT", help="font size (that of the paper, otherwise 8)"
    )
    group.add_argument("--grey", action="store_true", help="no colours: greys, markers and hatches")
    group.add_argument("--no-title", action="store_true", help="omit the title")
    group.add_argument("--no-captions", action="store_true", help="omit the notes below plots")
    about = "omit the source lines below the figure; the file's metadata still holds them"
    group.add_argument("--no-note", action="store_true", help=about)
    add_share(parser)
    parser.set_defaults(run=_run)


def add_composing(parser: argparse.ArgumentParser) -> None:
    """Options of figures that are composed of results."""
    from views.grammar.encoding import KINDS, SPREADS

    # Which parameter is where in the figure.
    group = parser.add_argument_group(f"figures of results ({', '.join(KINDS)})")
    about = (
        "the parameter on the horizontal axis: log, policy, a key of policies, a column of results; of jobs "
    )
    about += "also user, queue and the like. rho+theta are two whose values stand together"
    group.add_argument("--x", metavar="NAME", help=about)
    about = (
        "the measures on the vertical axis, with commas, a plot each: metrics, or of runs quantities of jobs"
    )
    group.add_argument("--y", metavar="NAMES", help=about)
    group.add_argument(
        "--colour",
        default="",
        metavar="NAME",
        help="the parameter that colours distinguish, or rows of cells",
    )
    group.add_argument(
        "--style", default="", metavar="NAME", help="the parameter that markers and hatches distinguish"
    )
    about = (
        "the parameter that makes plots side by side; with DOWN,ACROSS a grid of rows and columns. Of the "
    )
    about += "figure timeline: run, a plot for each run"
    group.add_argument("--facet", default="", metavar="NAMES", help=about)
    # Which runs take part, and in which order.
    about = "only runs with these values: delta=1|5, theta=0.5..1; repeat for more parameters"
    group.add_argument("--where", action="append", default=[], metavar="NAME=VALUES", help=about)
    about = "values of a parameter in their order: policy=easy|fcfs; repeat for more parameters. Lines join "
    about += "the words of --x where they are put in order"
    group.add_argument("--order", action="append", default=[], metavar="NAME=VALUES", help=about)
    about = "show values in %% of the runs with this value: policy=auction"
    # How values are compared and drawn.
    group.add_argument("--baseline", metavar="NAME=VALUE", help=about)
    spreads = "; ".join(f"{name}: {text}" for name, text in SPREADS.items() if text)
    about = f"whiskers of means: {spreads}; or none (95)"
    group.add_argument(
        "--error", default="95", choices=list(SPREADS), metavar="KIND", help=about.replace("%", "%%")
    )
    group.add_argument("--log-x", action="store_true", help="a logarithmic horizontal axis")
    group.add_argument("--log-y", action="store_true", help="a logarithmic vertical axis")
    group.add_argument("--free", action="store_true", help="a vertical axis of its own for each plot")
    about = "cut bars that are over 4 times as high as all others, with their value above"
    group.add_argument("--cut", action="store_true", help=about)
    about = "another log whose runs are in the figure; --x, --colour or --facet log tells logs apart"
    group.add_argument("--log", type=log_path, action="append", default=[], metavar="FILE", help=about)
    about = 'a TOML file of names: "shown words" by parameter, value, measure or run, of all figures'
    group.add_argument("--names", type=Path, metavar="FILE", help=about)
