"""A report of runs: everything is drawn, described and written into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.export.formats import TitledTable, metrics_of_runs, metrics_rows, write_formats
from app.export.output import BY_CHANCE, EXPLAINED, CellWords, metrics_table
from app.export.provenance import Provenance, caption_of, table_caption
from app.export.tables import TABLES
from app.model.documents.document import SUFFIX, SavedCode, Session
from app.report.folder import write_folder
from app.report.methods import KEY_METRICS, methods
from app.report.page import ReportFigure, ReportPage, page_html
from app.session.archive import write_session
from app.session.capture import beside_file
from engine.errors import InputError
from engine.metrics.evaluation import Evaluation, summaries_of
from engine.metrics.phase_metrics import Ranges
from engine.report import Compared, Section, Statement, TextTable, sections_of
from engine.report.audit_section import audit_section
from engine.shown_text import escaped, in_a_line
from engine.sweep.paper_file import PAPER_FILE
from views.catalog import figure_spec
from views.data.change_look import COLUMNS, ChangeColumn, ChangeLook, group_name
from views.data.comparison import RunPair
from views.data.own_data import OwnData
from views.figures.request import FigureRequest
from views.spec import FigureSpec

if TYPE_CHECKING:
    from views.figures.printing import PrintedFigure

_HOW = (
    "Both configurations were simulated on the whole log. Load alone: the jobs after the change against "
    "those before it, under the old rules. Rules alone: the new rules against the old ones, both on the jobs "
    "after the change. Both by the models: the new rules on the jobs after it against the old rules on the "
    "jobs before it, to be compared with the recorded change."
)


def change_section(look: ChangeLook) -> Section:
    """The report's section on a change of rules: sentences, a table of changes and a table of both models."""
    texts = [f"{look.title}.", look.answer.sentence, *look.verdicts, _HOW]
    changes = [column for column in COLUMNS if column.brief]
    models = [column for column in COLUMNS if not column.brief]
    return Section(
        "Did the change help?",
        [Statement(words=text) for text in texts],
        [
            TextTable("change", "Waits before and after the change", _rows(look, changes)),
            TextTable("change-models", "Mean waits by the models of both rules", _rows(look, models)),
        ],
    )


def _rows(look: ChangeLook, columns: Sequence[ChangeColumn]) -> list[list[str]]:
    """Titles, then a row for each group, named with what it is a group of."""
    rows = [
        [f"{group.by} {group_name(group)}".strip(), *(each.show(each.value(group)) for each in columns)]
        for group in look.groups
    ]
    return [["Jobs", *(column.title for column in columns)], *rows]


FIGURES = (
    *("metrics", "gantt", "heatmap", "distributions", "scatter", "sizes", "hours", "timeline", "radar"),
    *("power", "gains"),
)
"""The kinds of figures in a report, if there are data for them; besides figures of differences."""

_DPI = 150
"""Resolution of pictures in the page."""

_TABLES = ("users", "queues")


@dataclass(frozen=True)
class ReportInput:
    """The input of a report: the runs as figures show them, and their evaluations.

    `evaluations` belong to the runs of `request`, in order; `baseline` is the index of a run.
    """

    request: FigureRequest
    about: Provenance
    evaluations: Sequence[Evaluation]
    session: Session
    baseline: int = 0
    change: ChangeLook | None = None  # of a site's rules, told before all else
    further: dict[str, Any] = field(default_factory=dict)  # for the manifest
    hidden: Mapping[str, str] = field(default_factory=dict)  # what-ifs that are not shown, and why
    paper: str = ""  # the text of a paper file that makes this report again; empty if none does
    words: Mapping[str, str] = field(default_factory=dict)  # given names of runs, metrics and units
    audited: bool = False  # whether the schedules are audited, which takes seconds for a large log

    @property
    def names(self) -> list[str]:
        """The names of the runs, where people read them."""
        return [result.name for result in self.request.results]

    @property
    def own_names(self) -> list[str]:
        """The names as they were given."""
        return [result.own_name for result in self.request.results]

    @property
    def ranges(self) -> list[Ranges]:
        """The range of each metric of each run over phases of a site's loops, by name."""
        return [result.ranges for result in self.request.results]


def make_report(
    report: ReportInput, folder: Path, force: bool = False, say: Callable[[str], object] = lambda _: None
) -> None:
    """Write the report. `say` gets progress messages. Raises InputError and OSError, and then leaves no
    files.

    An existing folder has to be empty, or with `force` an earlier report.
    """

    def fill(part: Path) -> None:
        _fill(report, part, folder, say)

    source = report.session.source
    # The manifest says what the report was made of, so that it can be checked and made again.
    about = {
        "report": report.request.trace.name,
        "program": report.further.get("program", "batchscope"),
        "version": version("batchscope"),
        "inputs": {Path(source.path).name: {"sha256": source.sha256, "bytes": source.size}},
        "runs": [result.schedule.policy.spelling for result in report.request.results],
        "baseline": report.own_names[report.baseline],
    }
    # Code of the user's own belongs to the inputs: the same numbers need the same code.
    if code := report.session.code:
        about["code"] = [
            {"path": each.path, "sha256": each.sha256, "files": [name for name, _ in code_files(each)]}
            for each in code
        ]
    write_folder(folder, fill, about, force)


def _fill(report: ReportInput, part: Path, folder: Path, say: Callable[[str], object]) -> None:
    sites = [result.verdict for result in report.request.results]
    compared = Compared(report.names, report.evaluations, report.baseline, sites, report.hidden)
    say("statements")
    summaries_of(report.evaluations)  # on all cores, before statements ask for them in turn
    # The change of rules goes before all: who asks for it reads it first.
    sections = [*([change_section(report.change)] if report.change else []), *sections_of(compared)]
    if report.audited:
        say("audit")
        sections.append(audit_section(compared))
    (part / "figures").mkdir()
    (part / "tables").mkdir()
    shown = []
    for spec, request, pair in _figures(report):
        # Each figure is told before it is drawn, as some take seconds.
        say(spec.kind)
        picture = _drawn(spec, request, pair, report, part)
        if picture is not None:
            shown.append(picture)
    say("tables")
    files = list(_write_tables(report, sections, part))
    metrics = _key_metrics(report)
    name = f"session{SUFFIX}"
    # Paths in the session are relative to where the report will be, not to the part that is filled now.
    write_session(part / name, beside_file(report.session, folder.resolve() / name))
    paragraphs = methods(compared, report.about.share, report.session.cluster, _machines(report))
    for code in report.session.code:
        for address, text in code_files(code):
            (part / address).parent.mkdir(parents=True, exist_ok=True)
            (part / address).write_text(text, "utf-8", newline="")
            files.append((address, "Code of the user's own, as it ran; opening the report does not run it"))
    if report.paper:
        (part / PAPER_FILE).write_text(report.paper, "utf-8", newline="")
        files.append((PAPER_FILE, "How this report is made: `batchscope report --again` repeats it"))
    trace = report.request.trace
    page = ReportPage(
        title=f"{trace.shown_name}: {len(report.names)} schedules compared"
        if len(report.names) > 1
        else f"{trace.shown_name} under {report.names[0]}",
        lead=[report.about.note(timed=False).replace("\n", " ")],
        metrics=metrics,
        sections=sections,
        figures=shown,
        methods=paragraphs,
        files=[
            *files,
            (name, "The session, to be opened with Batchscope"),
            ("manifest.json", "Digests of inputs and of all these files"),
        ],
        note=paragraphs[-1],
    )
    # The page comes last, since it lists all files.
    (part / "index.html").write_text(page_html(page), "utf-8", newline="")


def code_files(code: SavedCode) -> Iterator[tuple[str, str]]:
    """The addresses in a report, and the texts, of a user's code; the digest tells equal names apart."""
    for text in code.texts:
        yield f"code/{code.sha256[:12]}/{text.file}", "\n".join(text.lines)


def _figures(report: ReportInput) -> Iterator[tuple[FigureSpec, FigureRequest, int | None]]:
    """The figures to draw; for each run besides the baseline also its difference."""
    request = report.request
    for kind in FIGURES:
        yield figure_spec(kind), request, None
    base = request.results[report.baseline]
    for place, other in enumerate(request.results):
        if place != report.baseline:
            yield figure_spec("difference"), replace(request, own=OwnData(RunPair(base, other))), place


def _drawn(
    spec: FigureSpec, request: FigureRequest, pair: int | None, report: ReportInput, part: Path
) -> ReportFigure | None:
    """The figure in its files, and for the page; None where there is nothing to draw."""
    from views.figures.printing import printed
    from views.figures.save import save_printed

    if spec.lacks(request):
        return None
    try:
        made = printed(spec.drawing(request), spec.print)
    except InputError:
        return None  # it needs more than these runs have
    caption = caption_of(spec, request, report.about)()
    name = spec.kind if pair is None else f"{spec.kind}-{pair + 1}"
    png, size = _picture(made)
    files = [f"figures/{name}{suffix}" for suffix in (".pdf", ".svg", ".png")]
    (part / files[2]).write_bytes(png)
    for file in files[:2]:
        save_printed(made, part / file, caption)
    label = spec.label.replace("&", "").rstrip("…")
    title = label if pair is None else f"{report.names[pair]} against {report.names[report.baseline]}"
    return ReportFigure(spec.kind, pair, title, caption.replace("\n", " "), png, size, files)


def _picture(made: PrintedFigure) -> tuple[bytes, tuple[int, int]]:
    """The figure as PNG, with its width and height in pixels."""
    from views.figures.save import rendered

    width, height = made.figure.get_size_inches()
    size = round(width * _DPI), round((height + made.below) * _DPI)
    return rendered(made, ".png", dpi=_DPI), size


def _key_metrics(report: ReportInput) -> TextTable:
    """The table at the top: the metrics that most look at first, and those that were asked for."""
    summaries = summaries_of(report.evaluations)
    names = (*KEY_METRICS, *report.evaluations[0].extra)
    few = [{name: summary[name] for name in names} for summary in summaries]
    titles, rows = metrics_rows(few, report.names, report.baseline, report.ranges)
    caption = "The most used metrics"
    if len(report.names) > 1:
        caption += f"; in brackets the change against {report.names[report.baseline]}"
    # The sign for changes by chance is explained only if it is there.
    if any(BY_CHANCE in cell for row in rows for cell in row[2:]):
        caption += f"; {EXPLAINED}"
    table = TitledTable(titles, rows).under_names(report.words)
    return TextTable("key-metrics", caption, [table.titles, *table.rows])


def _write_tables(report: ReportInput, sections: Sequence[Section], part: Path) -> Iterator[tuple[str, str]]:
    """All tables, those of users and queues as CSV alone; gives their addresses and words."""
    for spec in TABLES:
        if spec.kind in _TABLES and not spec.lacks(report.request):
            name = f"tables/{spec.kind}.csv"
            spec.write(report.request, report.about, part / name, escaped)
            yield name, f"{spec.label.replace('&', '').rstrip('…')}, as CSV"
    summaries = summaries_of(report.evaluations)
    metrics = metrics_of_runs(summaries, report.names, report.baseline, report.ranges)
    # Programs get the runs as they were given, whatever people are shown, and what they were made from.
    columns = report.about.add_to(metrics_table(summaries, report.own_names))
    tables: list[tuple[str, str, TitledTable, CellWords]] = [
        ("metrics", "Metrics", replace(metrics, bare=columns), escaped)
    ]
    for section in sections:
        for each in section.tables:
            titles, *rows = each.rows
            # Numbers are bare; names have been written for people.
            tables.append((each.name, each.caption, TitledTable(titles, rows), in_a_line))
    for stem, caption, table, words in tables:
        about = table_caption(report.request.trace, _machines(report), report.evaluations[0].jobs)
        named = replace(table.under_names(report.words), caption=f"{caption.rstrip('.')}. {about}")
        for path in write_formats(part / "tables" / stem, named, words):
            # Captions go on to say how their columns are counted.
            yield f"tables/{path.name}", f"{caption.partition('. ')[0]}, as {_FORMAT_WORDS[path.suffix]}"


_FORMAT_WORDS = {".csv": "CSV", ".json": "JSON", ".md": "Markdown", ".tex": "LaTeX"}


def _machines(report: ReportInput) -> list[str]:
    return [str(result.schedule.cluster) for result in report.request.results]
