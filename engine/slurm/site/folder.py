"""A site as a folder of files, which are recognised by their contents: `slurm.conf`, associations, QOS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from engine.errors import InputError
from engine.input import exists, is_folder, read_text
from engine.logs.queue.state import is_queue_print
from engine.slurm.conf.kind import PRINTED, SLURM_CONF, conf_kind, kind_of_text
from engine.slurm.conf.scontrol_output import NODES, PARTITIONS, down_nodes, partition_states
from engine.slurm.conf.slurm_conf import SlurmConf, read_slurm_conf
from engine.slurm.site.assoc_table import is_assoc, read_assoc
from engine.slurm.site.associations import (
    is_dump,
    is_qos,
    is_sshare,
    read_dump,
    read_qos,
    read_qos_limits,
    read_sshare,
)
from engine.slurm.site.changes import changed
from engine.slurm.site.fit_spelling import parse_fit, split_tail
from engine.slurm.site.reservations import is_reservations, read_reservations
from engine.slurm.site.site import Site, read_site, switches_beside
from engine.slurm.site.unusable import (
    note_of_cut,
    note_of_cut_config,
    note_of_cut_dump,
    note_of_cut_reservations,
    note_of_error,
    note_of_heading,
    note_of_rest,
)
from engine.words import clip, plural

_FilesByKind = dict[str, tuple[Path, str]]
"""The file that counts of each kind, and its text."""

_MOST_FILES = 200
_MOST_BYTES = 64 << 20
_BESIDE = ("gres.conf", "topology.conf")
_BOOT = re.compile(r"^BOOT_TIME\s*=\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\s*$", re.MULTILINE | re.ASCII)


def is_site(path: Path) -> bool:
    """True for a `slurm.conf`, and for a folder with a file of that name."""
    return conf_kind(path / SLURM_CONF if is_folder(path) else path) == SLURM_CONF


def read_site_at(path: Path) -> Site:
    """The site of a `slurm.conf`, or of a folder that contains one or what `scontrol` prints in its place.

    A file of that very name stands for its folder; a file of another name is read alone.
    Of several files of a kind that named `slurm.conf` counts, else the one with the shortest name; `notes`
    of the site name the others, and other files of Slurm that are not read. What was fitted to a log may
    follow the path, as in the spelling of a site.
    """
    # A path that does not exist may have changes behind it.
    if not exists(path) and (tail := split_tail(str(path))).path != str(path):
        launch, completion, away, until = parse_fit(tail.fit)
        site = changed(read_site_at(Path(tail.path)), tail.changes)
        return replace(site, launch=launch, completion=completion, away=away, fitted_until=until)
    by_file = path.name == SLURM_CONF and exists(path) and not is_folder(path)
    if by_file:
        path = path.parent  # whose other files say the rest: shares, limits, reservations
    if not is_folder(path):
        site = read_site(path)
        cut = note_of_cut(path.name, read_text(path, _MOST_BYTES))
        return replace(site, notes=(*site.notes, cut)) if cut else site
    notes: list[str] = []
    files = _files_by_kind(path, notes, tells_strange=not by_file)
    conf = _conf_of(path, files, notes)
    site = _with_associations(Site(path, conf, switches=switches_beside(conf, path)), files, notes)
    site = _with_prints(site, files, notes)
    notes += [note_of_cut(file.name, text) for file, text in files.values()]
    notes += _unknown_qualities(site)
    return replace(site, notes=tuple(filter(None, notes)))


def _files_by_kind(folder: Path, notes: list[str], tells_strange: bool) -> _FilesByKind:
    """The files of a folder by their kind; `notes` get what is not read, also strange files if wanted."""
    files: _FilesByKind = {}
    strange: list[str] = []  # names of files that are of no kind
    # Files are known by what is in them: people name prints of commands as they like.
    for file in _files(folder, notes):
        try:
            text = read_text(file, _MOST_BYTES)
        except InputError:  # no text: a log, or something else
            strange.append(file.name)
            continue
        if failed := note_of_error(file, text):
            notes.append(failed)
            continue
        kind = _kind(text)
        # The first file of a kind counts; whether a second file says the same is told.
        if kind in files:
            other, same = files[kind][0].name, files[kind][1] == text
            says = "says the same" if same else "counts, which says something else"
            notes.append(f"{clip(file.name)}: not read; {clip(other)} {says}")
        elif kind:
            files[kind] = file, text
        # These are read with the slurm.conf, and a queue is no part of the site that its print lies beside.
        elif file.name not in _BESIDE and not is_queue_print(file):
            strange.append(file.name)
    if tells_strange and (rest := note_of_rest(strange)):  # nobody said that all files there are the site's
        notes.append(rest)
    return files


def _conf_of(folder: Path, files: _FilesByKind, notes: list[str]) -> SlurmConf:
    """The configuration, with what prints of `scontrol` say of nodes and partitions. Raises InputError.

    The nodes and partitions of a slurm.conf count before those that scontrol prints, which change by the
    hour; prints alone say what is down.
    """
    if SLURM_CONF not in files:
        if NODES not in files:
            raise InputError(
                f"{folder}: there is no slurm.conf in this folder, by its content, nor what `scontrol show "
                "node` prints"
            )
        return read_slurm_conf(files[NODES][0], needs_nodes=False)
    for kind, which in ((NODES, "nodes"), (PARTITIONS, "partitions")):
        if kind in files:
            read = f"read only for which {which} are down"
            told = f"{clip(files[kind][0].name)}: {read}; the slurm.conf says what `{kind}` prints"
            notes.append(told + (_contradiction(files) if kind == NODES else ""))
    conf = read_slurm_conf(files[SLURM_CONF][0], needs_nodes=False)
    if NODES in files:
        # Some sites keep their nodes in files that are not here: prints have them.
        if not conf.has_nodes:
            conf = _with_nodes_of(conf, read_slurm_conf(files[NODES][0]))
        conf = replace(conf, down=down_nodes(files[NODES][1]))
    if PARTITIONS in files:
        states = partition_states(files[PARTITIONS][1])
        own = tuple(
            replace(each, keys={**each.keys, "state": states[each.name]}) if each.name in states else each
            for each in conf.partitions
        )
        conf = replace(conf, partitions=own)
    return conf


def _with_associations(site: Site, files: _FilesByKind, notes: list[str]) -> Site:
    """The site with associations of the print that says most: a dump has limits, sshare shares alone."""
    contents = "shares and limits of accounts and users"
    if "sacctmgr dump" in files:
        file, text = files["sacctmgr dump"]
        site = replace(site, associations=read_dump(text, notes))
        headed = note_of_heading(file.name, len(site.associations), contents)
        notes.append(headed or note_of_cut_dump(file.name, text))
    elif "sacctmgr show assoc" in files:
        file, text = files["sacctmgr show assoc"]
        site = replace(site, associations=read_assoc(text, site.conf.option("ClusterName"), notes))
        notes.append(note_of_heading(file.name, len(site.associations), contents))
    elif "sshare" in files:
        file, text = files["sshare"]
        site = replace(site, associations=read_sshare(text, notes))
        notes.append(note_of_heading(file.name, len(site.associations), "shares of accounts and users"))
    return site


def _with_prints(site: Site, files: _FilesByKind, notes: list[str]) -> Site:
    """The site with its qualities of service, its reservations, and when its slurmctld began."""
    if "qos" in files:
        file, text = files["qos"]
        site = replace(site, qos=read_qos(text), qos_limits=read_qos_limits(text))
        contents = "priorities and limits of qualities of service"
        notes.append(note_of_heading(file.name, len(site.qos), contents))
    if "reservations" in files:
        file, text = files["reservations"]
        site = replace(site, reservations=read_reservations(text, notes))
        notes.append(note_of_cut_reservations(file.name, text))
    if PRINTED in files:
        file, text = files[PRINTED]
        notes.append(note_of_cut_config(file.name, text))
        if match := _BOOT.search(text):
            site = replace(site, boot=match[1])
    return site


def _with_nodes_of(conf: SlurmConf, printed: SlurmConf) -> SlurmConf:
    """A `slurm.conf` that names no nodes, with those that `scontrol` printed."""
    by_name = {partition.name: partition for partition in conf.partitions}
    partitions = tuple(
        replace(each, keys={**each.keys, **by_name[each.name].keys}) if each.name in by_name else each
        for each in printed.partitions
    )
    nodes = replace(conf, machine=printed.machine, groups=printed.groups, has_nodes=True)
    return replace(nodes, partitions=partitions or conf.partitions)


def _contradiction(files: _FilesByKind) -> str:
    """How the printed nodes differ from those of the slurm.conf, in words; empty if they do not."""
    try:
        conf = read_slurm_conf(files[SLURM_CONF][0]).machine
        printed = read_slurm_conf(files[NODES][0]).machine
    except InputError:
        return ""
    # Both files list nodes and CPUs: only nodes that are printed can contradict.
    sizes = [
        dict(zip(cluster.node_names(), cluster.node_cpus().tolist(), strict=True))
        for cluster in (conf, printed)
    ]
    strange = len(sizes[1].keys() - sizes[0].keys())
    other = sum(sizes[0].get(name, cpus) != cpus for name, cpus in sizes[1].items())
    parts = [f"{plural(strange, 'node')} that the slurm.conf has not"] if strange else []
    parts += [f"{plural(other, 'node')} with another number of CPUs"] if other else []
    return f", and contradicts it: it has {' and '.join(parts)}" if parts else ""


def _unknown_qualities(site: Site) -> Iterator[str]:
    """The qualities of service of partitions whose limits no file has."""
    known = dict(site.qos_limits)
    for partition in site.conf.partitions:
        name = partition.keys.get("qos", "")
        if name and name.lower() not in ("n/a", "none", "(null)") and name not in known:
            yield f"partition {clip(partition.name)}: no file has the limits of its QOS {clip(name)}"


def _files(path: Path, notes: list[str]) -> list[Path]:
    try:
        files = [file for file in path.iterdir() if exists(file) and not is_folder(file)]
        files.sort(key=lambda file: (file.name != "slurm.conf", len(file.name), file.name))
    except OSError as error:
        raise InputError(f"{path}: this folder cannot be read ({error.strerror})") from error
    small = [file for file in files if file.stat().st_size <= _MOST_BYTES]
    if len(small) > _MOST_FILES:
        notes.append(f"of {len(small):,} files of this folder the first {_MOST_FILES} are read")
    return small[:_MOST_FILES]


def _kind(text: str) -> str:
    """The kind of a file of a site by its contents; empty for other files."""
    # Files are told by their contents: sites name them as they like.
    if is_dump(text):
        return "sacctmgr dump"
    if is_assoc(text):
        return "sacctmgr show assoc"
    if is_sshare(text):
        return "sshare"
    if is_qos(text):
        return "qos"
    if is_reservations(text):
        return "reservations"
    kind = kind_of_text(text)
    return kind if kind == SLURM_CONF or kind.startswith(PRINTED) else ""
