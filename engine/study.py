"""A study: a trace, a cluster and runs; the content of a window or of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.machine.cluster import Cluster, NodeGroup
from engine.policy.baseline import baseline_place
from engine.policy.policy import Policy
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped
from engine.trace import Trace

LineUp = tuple[tuple[int, str], ...]
"""Ids and titles of runs, in their order."""


@dataclass(frozen=True)
class Run:
    """A policy on a machine and, when finished, its schedule. `id` is unique within the study.

    `title` is a name given by a reader; the default name consists of policy and machine.
    """

    id: int
    policy: Policy
    cluster: Cluster
    schedule: Schedule | None = None
    title: str = ""


@dataclass(frozen=True)
class Study:
    """A trace under several policies, on `cluster` where a run has no machine of its own.

    A site brings its machine: its run is on that of its files, unless another is given.
    """

    trace: Trace
    cluster: Cluster
    runs: tuple[Run, ...] = field(default=())

    @classmethod
    def empty(cls) -> Study:
        """The study before any trace is opened: without a name, a job or a run."""
        return cls(Trace.empty(), Cluster.pool(1))

    def add(self, policy: Policy, cluster: Cluster | None = None, title: str = "") -> Study:
        """The study with an additional run, after the others; on its own machine unless another is given."""
        number = max((run.id for run in self.runs), default=0) + 1
        return replace(self, runs=(*self.runs, replace(self._make(number, policy, cluster), title=title)))

    def edit(self, run_id: int, policy: Policy, cluster: Cluster | None = None) -> Study:
        """The study with another policy or machine for a run, which keeps its id and title."""
        now = self.run(run_id)
        return self.change(replace(self._make(run_id, policy, cluster), title=now.title if now else ""))

    def change(self, run: Run) -> Study:
        """The study with the run of the same id replaced."""
        return replace(self, runs=tuple(run if r.id == run.id else r for r in self.runs))

    def remove(self, run_id: int) -> Study:
        """The study without that run."""
        return replace(self, runs=tuple(r for r in self.runs if r.id != run_id))

    def baseline(self, chosen: int | None = None) -> int | None:
        """The id of the run that others are compared with: the chosen one if it is there, else the usual one.

        None without runs.
        """
        ids = [run.id for run in self.runs]
        return ids[baseline_place(ids, [run.policy for run in self.runs], chosen)] if ids else None

    @property
    def is_elsewhere(self) -> bool:
        """Whether its machine is another than the log's own: then it was asked for, also for sites."""
        return self.cluster != self.trace.cluster

    @property
    def line_up(self) -> LineUp:
        """The ids and titles of the runs, in their order."""
        return tuple((run.id, run.title) for run in self.runs)

    def lined_up(self, line_up: LineUp) -> Study:
        """The study with its runs in the order and with the titles of `line_up`; others follow unchanged."""
        titles = dict(line_up)
        order = {run_id: index for index, run_id in enumerate(titles)}
        runs = sorted(self.runs, key=lambda run: order.get(run.id, len(order)))
        return replace(self, runs=tuple(replace(run, title=titles.get(run.id, run.title)) for run in runs))

    def name(self, run: Run) -> str:
        """The name of the run, for people; a number distinguishes it from earlier runs with the same name."""
        name, number = self._numbered(run)
        return numbered(name, number)

    def number(self, run: Run) -> int:
        """The number that distinguishes the run from earlier ones with the same name; 1 if there are none."""
        return self._numbered(run)[1]

    def _numbered(self, run: Run) -> tuple[str, int]:
        places = {other.id: place for place, other in enumerate(self.runs)}
        place = places.get(run.id, len(self.runs))
        runs = [*self.runs[:place], run, *self.runs[place + 1 :]]
        names = [escaped(each.title or label) for each, label in zip(runs, self._labels(runs), strict=True)]
        return names[place], names[:place].count(names[place]) + 1

    def label(self, run: Run) -> str:
        """The short name of a run of a site or of own code; empty for others."""
        place = self.runs.index(run)
        if run.policy.own is not None:
            return own_labels([(each.policy, each.cluster) for each in self.runs], self.trace.cluster)[place]
        return "" if run.policy.site is None else self._labels(self.runs)[place]

    def _labels(self, runs: Sequence[Run]) -> list[str]:
        return run_names([(run.policy, run.cluster) for run in runs], self.cluster)

    def _make(self, run_id: int, policy: Policy, cluster: Cluster | None) -> Run:
        """The log's own schedule ran on the study's machine, whatever is asked for."""
        machine = self.cluster if policy.recorded else cluster
        return Run(run_id, policy, machine_of(policy, self.cluster) if machine is None else machine)

    def run(self, run_id: int) -> Run | None:
        """The run of that id, if it is still there."""
        return next((r for r in self.runs if r.id == run_id), None)


def numbered(name: str, number: int) -> str:
    """The name of the run that is the `number`th with it: `easy (2)`."""
    return f"{name} ({number})" if number > 1 else name


def all_numbered(names: Sequence[str]) -> list[str]:
    """The names of runs that stand side by side, equal ones with their number."""
    return [numbered(name, names[:place].count(name) + 1) for place, name in enumerate(names)]


def machine_of(policy: Policy, usual: Cluster) -> Cluster:
    """The machine that a policy runs on, if none is asked for: that of its site's files, else the usual."""
    return usual if policy.machine is None else policy.machine


def run_names(runs: Sequence[tuple[Policy, Cluster]], usual: Cluster) -> list[str]:
    """The labels of runs of a study, each a policy on a machine; equal ones are of equal runs.

    Sites and files of own code are called by the last parts of their paths, so many that no two runs are
    called alike.
    """
    spelled = [run_name(policy, cluster, usual) for policy, cluster in runs]
    needed = [_parts_needed(policy, runs) for policy, _ in runs]
    labels = [
        run_name(policy, cluster, usual, parts=least)
        for (policy, cluster), least in zip(runs, needed, strict=True)
    ]
    paths = [path for policy, _ in runs if (path := _path(policy)) is not None]
    deepest = max((len(path.parts) for path in paths), default=1)
    # Labels that still stand for several runs take another part of their paths, until none does.
    for parts in range(2, deepest + 2):
        meant: dict[str, set[str]] = {}
        for label, spelling in zip(labels, spelled, strict=True):
            meant.setdefault(label, set()).add(spelling)
        for place, label in enumerate(labels):
            if len(meant[label]) > 1:
                whole = parts > deepest  # they differ in what labels leave out
                policy, cluster = runs[place]
                least = max(parts, needed[place])
                labels[place] = spelled[place] if whole else run_name(policy, cluster, usual, parts=least)
    return labels


def own_labels(runs: Sequence[tuple[Policy, Cluster]], usual: Cluster) -> list[str]:
    """The labels of runs of own code, each a policy on a machine; empty for other runs."""
    labels = run_names(runs, usual)
    return [label if policy.own is not None else "" for (policy, _), label in zip(runs, labels, strict=True)]


def _parts_needed(policy: Policy, runs: Sequence[tuple[Policy, Cluster]]) -> int:
    """How many last parts of the path of own code tell its file from those of all other runs.

    Runs of two files may differ in their parameters alone: nobody would see that it is not one file.
    """
    if policy.own is None:
        return 1
    path = policy.own.file.path.absolute()
    others = {other.own.file.path.absolute() for other, _ in runs if other.own is not None} - {path}
    parts = 1
    # As many parts of the path as tell it from all others.
    while parts < len(path.parts) and any(other.parts[-parts:] == path.parts[-parts:] for other in others):
        parts += 1
    return parts


def run_name(policy: Policy, cluster: Cluster, usual: Cluster, parts: int | None = None) -> str:
    """The policy's spelling, and the machine if that is not the usual machine: `easy on 8x80c504g`.

    So it is for a site that does not run on the machine of its files. If only the failures differ, they are
    named instead: `easy with ~30d/4h`, `easy without failures`. With `parts` a site, or a file of own code,
    is called by the last parts of its path, and a site's machine in a short form.
    """
    site = policy.site
    spelling = policy.called(parts)
    if policy.own is not None and parts is not None:
        file = policy.own.file.path
        tail = file.absolute().parts[-parts:] if parts > 1 else file.parts[-1:]
        last = "/".join(tail).replace("//", "/")  # of the root there is a slash already
        spelling = last + spelling.removeprefix(str(file))
    if cluster == usual and policy.machine in (None, cluster):
        return spelling
    if cluster != usual and cluster.groups == usual.groups:
        failures = "without failures" if cluster.failures is None else f"with ~{cluster.failures.spelling}"
        return f"{spelling} {failures}"
    short = site is not None and parts is not None
    return f"{spelling} on {short_machine(cluster) if short else cluster.spelling}"


def _path(policy: Policy) -> Path | None:
    """The path of a policy's site, or of its file of own code; None for others."""
    if policy.own is not None:
        return policy.own.file.path
    return None if policy.site is None else policy.site.path


def machine_names(clusters: Sequence[Cluster]) -> list[str]:
    """The short form of each machine, or its spelling where two machines would be called alike."""
    short = [short_machine(cluster) for cluster in clusters]
    meant = {(name, cluster.spelling) for name, cluster in zip(short, clusters, strict=True)}
    named = [name for name, _ in meant]
    return [
        name if named.count(name) == 1 else cluster.spelling
        for name, cluster in zip(short, clusters, strict=True)
    ]


def short_machine(cluster: Cluster) -> str:
    """The machine in a short form for people: nodes with the same resources are counted together.

    Groups that differ in their features alone, or that others stand between, are one here.
    """
    counts: dict[NodeGroup, int] = {}
    for group in cluster.groups:
        alike = NodeGroup(1, group.cpus, group.ram, group.extra)
        counts[alike] = counts.get(alike, 0) + group.count
    groups = tuple(replace(alike, count=count) for alike, count in counts.items())
    return replace(cluster, groups=groups).spelling
