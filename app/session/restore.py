"""The way from a session file back to a study: find the trace, spell out the runs, pick what was picked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.model.documents.document import LONGEST_TITLE, SavedCode, Session, Source, stamp_of
from app.model.picked_objects import selection_of
from app.model.questions import find_study
from app.model.reading import Opened, TraceMissingError, read_checked, source_of, usable_share
from app.session.archive import read_session
from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.own.allowed_code import UnnamedCodeError, is_allowed
from engine.own.file import OwnFile, read_own_file
from engine.policy.policy import parse_policy
from engine.policy.share import file_of_share
from engine.simulation.control import Control
from engine.study import Run, Study
from engine.trace.scale import Scaling, parse_scale
from engine.words import clip
from resources import example_path


def read_saved_study(file: Path, trace_path: Path | None, control: Control) -> Opened:
    """The study of a session file; `trace_path`, if given, replaces the path of the trace in the file.

    Raises InputError; TraceMissingError if the trace is not at its path.
    """
    stamp, session = stamp_of(file), read_session(file)
    if session.file:  # an autosaved copy, of a session that has a file of its own
        stamp = stamp_of(Path(session.file))
    opened = study_of(session, file, trace_path, control)
    return replace(opened, stamp=stamp, study_file=find_study(session.view.study))


def unnamed_code(read: Callable[[], Session]) -> tuple[OwnFile, ...]:
    """The files of code that runs of a session name, and that the user of this process has not named, and
    those that offered metrics or quantities in it, named or not.

    None where `read` cannot give the session: that is told when it is opened.
    """
    files: dict[str, OwnFile] = {}
    with suppress(InputError, OSError):
        session = read()
        for saved in session.runs:
            try:
                parse_policy(saved.policy)
            except UnnamedCodeError as error:
                files[error.file.digest] = error.file
            except InputError:
                continue
        files.update((file.digest, file) for _, file in _offering(session))
    return tuple(files.values())


def _offering(session: Session) -> Iterator[tuple[SavedCode, OwnFile]]:
    """The files of a session's code, as they are now, that offer metrics or quantities.

    What the session keeps of their texts is never run.
    """
    for code in session.code:
        path = Path(code.path)
        if path.suffix != ".py":
            continue
        with suppress(InputError, OSError, ValueError):  # moved or deleted by now, or no name of a file
            file = read_own_file(path)
            if any(each.kind in ("metric", "quantity") for each in file.declared):
                yield code, file


def _doubts_on_offers(session: Session) -> Iterator[str]:
    """Messages about own metrics and quantities that are not there, or not those of the session."""
    for code, file in _offering(session):
        if not is_allowed(file.digest):
            yield f"metrics and quantities of {file.path} were left out: its code was not allowed to run"
        elif file.digest != code.sha256:
            yield f"{file.path} is not the code that this session was saved with"


def study_of(
    session: Session, file: Path, trace_path: Path | None, control: Control, *, any_log: bool = True
) -> Opened:
    """The study of a session that was read from, or will be saved to, `file`.

    Another log than the session's is a doubt; without `any_log` it raises InputError, as does what cannot be
    read.
    """
    path = trace_path or _find(session.source, file)
    # The log is compared by its bytes: a file of the same name may have been replaced.
    source = source_of(path, session.reading.further_paths(path))
    other_log = bool(session.source.sha256) and source.sha256 != session.source.sha256
    if other_log and not any_log:
        raise InputError(f"{path}: this is another log than that of the link, which has other contents")
    # Errors in the text of a session name the session, not the log.
    try:
        cluster = parse_cluster(session.cluster) if session.cluster else None
        runs_scale = parse_scale(session.scale)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    trace, notes = read_checked(path, control, cluster, session.reading)
    # A machine that equals the log's is the log's own: runs on it follow the log.
    machine = cluster if cluster is not None and cluster.spelling != trace.cluster.spelling else trace.cluster
    runs, doubts = _runs(session, machine, trace.cluster, runs_scale)
    # Doubts are told in the order of their weight: a newer version, another log, then single runs.
    if session.newer:
        doubts = [
            f"A newer Batchscope ({session.newer}) wrote {file.name}. What this version does not know is "
            "not shown. The file will not be overwritten: Save asks for another name.",
            *doubts,
        ]
    if other_log:
        doubts = [
            f"{path.name} is not the trace that this session was saved with; its runs are simulated anew",
            *doubts,
        ]
    study = Study(trace, machine, runs)
    share, doubtful = usable_share(_share(session, file))
    picked = selection_of(session.view.picked, trace)
    return Opened(
        path,
        source,
        study,
        notes,
        share,
        reading=session.reading,
        session=session,
        selection=picked,
        doubts=tuple(dict.fromkeys((*doubts, *_doubts_on_offers(session), *doubtful))),
        found=trace_path is not None,
    )


def relative_to(path: str, folder: Path) -> str:
    """Relative path from a folder to a file; empty where there is none, as between two drives."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return ""


def _share(session: Session, file: Path) -> str:
    """The share, with its file beside the session as it was before, else where it was."""
    shares, beside = file_of_share(session.share), session.share_beside
    if shares is None or not beside or Path(beside).is_absolute():
        return session.share
    path = file.resolve().parent / beside
    try:
        there = path.is_file()
    except (OSError, ValueError):  # no name that a file can have
        there = False
    return session.share.replace(shares, str(path.resolve()), 1) if there else session.share


def _find(source: Source, file: Path) -> Path:
    """The trace: beside the session as it was before, else where it was."""
    if source.example:
        return example_path()
    if not source.path:
        raise InputError(f"{file}: this session names no trace")
    paths = [Path(source.path)]
    if source.relative and not Path(source.relative).is_absolute():
        paths.insert(0, file.resolve().parent / source.relative)
    try:
        there = [path for path in paths if path.exists()]
        same = [path for path in there if path.is_dir() or path.stat().st_size == source.size]
    except (OSError, ValueError):  # no name that a file can have
        there = same = []
    if not there:
        raise TraceMissingError(file, source.path)
    return (same or there)[0].resolve()


def _runs(
    session: Session, machine: Cluster, own: Cluster, scaling: Scaling
) -> tuple[tuple[Run, ...], list[str]]:
    """The runs with new ids, and messages about runs that cannot be read.

    The `scaling` of a session of earlier versions becomes a part of the workload of each simulated run.
    """
    runs: dict[int, Run] = {}
    doubts: list[str] = []
    digests: dict[str, set[str]] = {}  # of the files of own code, as they were
    for code in session.code:
        digests.setdefault(code.path, set()).add(code.sha256)
    for saved in session.runs:
        try:
            policy = parse_policy(saved.policy)
            if scaling and policy.simulated and not policy.variant.scaling:
                policy = replace(policy, variant=replace(policy.variant, scaling=scaling))
            cluster = machine
            if saved.cluster:  # which spells a site's machine without the names of its nodes
                brought = policy.machine
                same = brought is not None and brought.spelling == saved.cluster
                cluster = brought if same and brought else parse_cluster(saved.cluster, own)
        except InputError as error:
            doubts.append(f"a run was left out: {error}")
            continue
        if policy.own is not None:
            file = policy.own.file
            if file.digest not in digests.get(str(file.path), {file.digest}):
                doubts.append(f"{file.path} is not the code that this session was saved with")
        number = saved.id if 0 < saved.id <= 9999 and saved.id not in runs else max(runs, default=0) + 1
        runs[number] = Run(number, policy, cluster, title=clip(saved.title, LONGEST_TITLE))
    return tuple(runs.values()), list(dict.fromkeys(doubts))
