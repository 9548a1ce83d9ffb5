"""Nodes and what they have free over a span of time, written down slowly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from engine.machine.cluster import Cluster
from engine.trace import Trace

Amount = tuple[int, ...]
Node = list[int]  # what one node has left of each resource
Piece = tuple[int, Amount]  # node, amounts

NO_LIMIT = 2**60  # RAM of a node whose RAM is not known


@dataclass(eq=False)
class Job:
    """One job and what has become of it. `expected` ends are the start plus the estimate."""

    number: int
    submit: int
    runtime: int
    walltime: int
    procs: int
    ram: int  # of the whole job; missing as in the trace
    user: int
    queue: int
    tasks: list[tuple[int, Amount]]
    nodes: list[list[int]]  # where the tasks of each group may go
    turn: list[int] = field(default_factory=list)  # the groups, the largest task first
    own: list[int] = field(default_factory=list)  # the nodes on which it ran by the log
    aligned: bool = False  # contiguous nodes begin at a multiple of their number
    whole: list[Amount] | None = None  # what each node has; each task takes all of one
    given: Amount = ()  # what it was allocated, where that is less than whole nodes have
    power: float = 0.0  # W above that of idle nodes, as the cap on power counts it
    estimate: int = 0
    first_estimate: int = 0
    start: int = -1
    done: int = 0  # s that earlier runs did; runtime, walltime and estimate are of the rest
    waits_since: int = -1  # when it came, or was stopped
    pieces: list[Piece] = field(default_factory=list)
    bound: int | None = None  # the latest start that a relaxed reservation may have
    slot: Hold | None = None  # what is planned for it, with reservations that are kept
    latest: int = -1  # no search puts the slot later
    fair_start: int = -1
    held: float = 0.0  # what it bid when it started
    stopped_by: int = -1  # the job for which this run was stopped

    @property
    def end(self) -> int:
        return self.start + self.runtime

    @property
    def expected(self) -> int:
        return self.start + self.estimate

    def total(self, resource: int) -> int:
        total = sum(count * need[resource] for count, need in self.tasks)
        return min(total, self.given[resource]) if self.given else total

    def least(self, resource: int) -> int:
        """The least that it takes of a resource, whole nodes with all that they have."""
        if self.whole is None:
            return self.total(resource)
        taken = 0
        for (count, need), nodes in zip(self.tasks, self.nodes, strict=True):
            own = [self.whole[node][resource] for node in nodes if holds(self.whole[node], need)]
            # Nobody is short of RAM that is not known.
            least = min([0 if amount == NO_LIMIT else amount for amount in own], default=0)
            taken += count * max(least, need[resource])
        return taken


@dataclass(frozen=True)
class Hold:
    """Pieces that are taken in begin <= time < end, by a running job, a reservation or an outage."""

    begin: int
    end: int
    pieces: tuple[Piece, ...]
    job: Job


def nodes_of(cluster: Cluster) -> list[Amount]:
    """What each node has when it is empty: CPUs, RAM where any node limits it, GPUs where any has some."""
    gpus_count = any("gpu" in dict(group.extra) for group in cluster.groups)
    ram_counts = gpus_count or any(group.ram is not None for group in cluster.groups)
    nodes: list[Amount] = []
    for group in cluster.groups:
        ram = NO_LIMIT if group.ram is None else group.ram
        gpus = (dict(group.extra).get("gpu", 0),) if gpus_count else ()
        nodes += [(group.cpus, ram, *gpus) if ram_counts else (group.cpus,)] * group.count
    return nodes


def outage(machine: list[Amount], node: int, begin: int, end: int) -> Hold:
    """A node that is down, as if a job took all of it."""
    taker = Job(
        -1, begin, end - begin, end - begin, machine[node][0], 0, -1, -1, [(1, machine[node])], [[node]]
    )
    return Hold(begin, end, ((node, machine[node]),), taker)


def tasks_of(trace: Trace, j: int, resources: int) -> list[tuple[int, Amount]]:
    """Groups of the job's tasks: how many, and what each needs inside one node."""
    tasks: list[tuple[int, Amount]] = []
    for row in range(trace.tasks.offset[j], trace.tasks.offset[j + 1]):
        further = [int(trace.tasks[name][row]) for name in trace.tasks.columns if name == "gpu"]
        need = (int(trace.tasks["cpus"][row]), max(0, int(trace.tasks["ram"][row])), *further)
        tasks.append((int(trace.tasks["count"][row]), need[:resources]))
    return tasks


def whole_tasks(
    trace: Trace, j: int, tasks: list[tuple[int, Amount]], machine: list[Amount]
) -> list[tuple[int, Amount]] | None:
    """The groups of a job whose tasks take nodes whole: how many nodes, and what each has to have."""
    # A pool is one node: nobody can take it whole.
    if "whole" not in trace.tasks.columns or len(machine) == 1:
        return None
    wanted = trace.tasks["whole"][trace.tasks.offset[j] : trace.tasks.offset[j + 1]].tolist()
    if not any(wanted):
        return None
    found: list[tuple[int, Amount]] = []
    for least, (count, need) in zip(wanted, tasks, strict=True):
        # Nodes with at least so many processors: the job asks for no more than the smallest of them has.
        if least > 0:
            fit = [node[0] for node in machine if holds(node, (least, *need[1:]))]
            found.append((count, (min([need[0], *fit]), *need[1:])))
            continue
        # Otherwise tasks are packed on the kind of node of which there are most.
        usual = [
            node
            for node in sorted(set(machine), key=lambda kind: (-machine.count(kind), kind))
            if holds(node, need)
        ]
        if not usual:
            found.append((count, need))
            continue
        # As many tasks on a node as it holds; the last node may have fewer.
        each = 1
        while each < count and holds(usual[0], tuple((each + 1) * amount for amount in need)):
            each += 1
        found.append((-(-count // each), tuple(each * amount for amount in need)))
    return found


FEATURES = {
    "": lambda has: True,
    "a": lambda has: "a" in has,
    "b": lambda has: "b" in has,
    "a|b": lambda has: "a" in has or "b" in has,
    "a&b": lambda has: "a" in has and "b" in has,
    "(a|c)&b": lambda has: ("a" in has or "c" in has) and "b" in has,
    "[a|c]": lambda has: "a" in has or "c" in has,
    "b*2": lambda has: True,
    "a&(": lambda has: True,
}
"""What constraints of jobs mean for a node with some features."""


def nodes_with_features(cluster: Cluster, text: str, nodes: list[int]) -> list[int]:
    """Those of the nodes that have the features; all where no node of the machine has them."""
    machine = [group.features for group in cluster.groups for _ in range(group.count)]
    if len(machine) == 1 or not any(machine):
        return nodes
    good = {node for node, features in enumerate(machine) if FEATURES[text](features)}
    return [node for node in nodes if node in good] if good else nodes


def nodes_for_queue(cluster: Cluster, groups: Sequence[str] | None) -> list[int]:
    """The nodes of some groups, each told by its name or its number from 1; all nodes where None."""
    chosen: list[int] = []
    first = 0
    for number, group in enumerate(cluster.groups, 1):
        if groups is None or (group.name and group.name in groups) or str(number) in groups:
            chosen += range(first, first + group.count)
        first += group.count
    return chosen


def nodes_for_words(cluster: Cluster, constraint: str, nodes: list[int]) -> list[int]:
    """Those of the nodes that a constraint leaves: each word that names any node must be met."""
    called: dict[str, set[int]] = {}
    machine = [(group, k) for group in cluster.groups for k in range(1, group.count + 1)]
    for node, (group, k) in enumerate(machine):
        # A node answers to its group, its cluster, its own name and its host.
        if group.name:
            host = f"{group.name}{k}.site.org"
            for word in (group.name, f"cl_{group.name}", f"{group.name}{k}", host, f"host={host}"):
                called.setdefault(word, set()).add(node)
    left = set(nodes)
    for word in constraint.split("#")[0].split(":"):
        # A word that names nothing here leaves all nodes, unless it excludes.
        if word.startswith("^"):
            left -= called.get(word[1:], set())
        else:
            left &= called.get(word, left)
    return sorted(left)


def partition(
    tasks: list[tuple[int, Amount]], machine: list[Amount], sizes: Sequence[int], least: int = 0
) -> int:
    """Whole nodes that a job gets, at least so many; more than there are where no partition is as large."""
    total = [sum(count * need[k] for count, need in tasks) for k in range(len(machine[0]))]
    nodes = max(1, least, *(-(-amount // node) for amount, node in zip(total, machine[0], strict=True)))
    large = [size for size in sizes if size >= nodes]
    return large[0] if large else (len(machine) + 1 if sizes else nodes)


def side_by_side(job: Job, left: Sequence[Sequence[int]]) -> list[Piece] | None:
    """The first nodes in a row that are entirely free."""
    (count, whole), (nodes,) = job.tasks[0], job.nodes
    for first in range(0, len(left) - count + 1, count if job.aligned else 1):
        run = range(first, first + count)
        if all(tuple(left[node]) == whole and node in nodes for node in run):
            return [(node, whole) for node in run]
    return None


LOOKS = 4_000
"""The most looks at a node of a search for a distribution of several groups."""


def by_reliability(nodes: int, failures: Sequence[Hold], first: int, now: int) -> list[int]:
    """The nodes by what they failed so far for each second that they were up since the first submission."""

    def rate(node: int) -> Fraction:
        spans = [hold for hold in failures if hold.pieces[0][0] == node]
        up = now - first - sum(min(hold.end, now) - hold.begin for hold in spans)
        return Fraction(len(spans), max(up, 1))

    return sorted(range(nodes), key=rate)


def place(job: Job, left: Sequence[Sequence[int]], placement: str | Sequence[int]) -> list[Piece] | None:
    """In the order asked for, else the largest tasks first, else by search on its own nodes, then on all."""
    if placement == "contiguous":
        return side_by_side(job, left)
    pieces = place_groups(job, range(len(job.tasks)), left, placement)
    if pieces is not None or len(job.tasks) == 1:
        return pieces
    if any(place_groups(job, [group], left, placement) is None for group in range(len(job.tasks))):
        return None
    pieces = place_groups(job, job.turn, left, placement)
    every = list(range(len(left)))
    for nodes in (job.own, every):
        if pieces is None and nodes:
            pieces = search(job, nodes, left)
    return pieces


def largest_first(tasks: list[tuple[int, Amount]], machine: list[Amount]) -> list[int]:
    """The groups of a job by the resource of which it takes the largest part of the machine."""
    kinds = range(len(machine[0]))
    parts = [
        sum(need[k] / max(sum(node[k] for node in machine), 1) * count for count, need in tasks)
        for k in kinds
    ]
    scarcest = max(kinds, key=lambda k: (parts[k], -k))
    return sorted(range(len(tasks)), key=lambda group: -tasks[group][1][scarcest])


def search(job: Job, nodes: Sequence[int], left: Sequence[Sequence[int]]) -> list[Piece] | None:
    """The first of all distributions: with the most tasks of the first group on the first node, and so on."""
    looks = 0

    def tried(turn: int, wanted: int, at: int, rest: list[Node]) -> list[Piece] | None:
        nonlocal looks
        # A group is done: the next begins again at the first node.
        if not wanted:
            if turn + 1 == len(job.turn):
                return []
            return tried(turn + 1, job.tasks[job.turn[turn + 1]][0], 0, rest)
        # The same bound as the kernel's: beyond so many looks a job counts as one that does not fit.
        looks += at < len(nodes)
        if at == len(nodes) or looks > LOOKS:
            return None
        group, node = job.turn[turn], nodes[at]
        need, whole = job.tasks[group][1], None if job.whole is None else job.whole[node]
        # How many tasks of the group the node could take now.
        room = 0
        while node in job.nodes[group] and room < wanted:
            if not holds(rest[node], tuple((room + 1) * amount for amount in need)):
                break
            # A node that is taken whole has to be empty, and one task has all of it.
            if whole is not None and (room or tuple(rest[node]) != whole):
                break
            room += 1
        # From the most tasks to none: the first complete distribution is the answer.
        for tasks in range(room, -1, -1):
            taken = whole if whole and tasks else tuple(tasks * amount for amount in need)
            after = [list(amounts) for amounts in rest]
            after[node] = [a - b for a, b in zip(rest[node], taken, strict=True)]
            others = tried(turn, wanted - tasks, at + 1, after)
            if others is not None:
                return [(node, taken), *others] if tasks else others
        return None

    return tried(0, job.tasks[job.turn[0]][0], 0, [list(node) for node in left])


def place_groups(
    job: Job, order: Iterable[int], left: Sequence[Sequence[int]], placement: str | Sequence[int]
) -> list[Piece] | None:
    """Task by task: a node that has begun to take tasks of a group takes all that it can."""
    rest = [list(node) for node in left]
    pieces: list[Piece] = []
    for group in order:
        (count, need), nodes = job.tasks[group], job.nodes[group]
        full: set[int] = set()
        while count:
            # Nodes that can take one more task, without those that were filled already.
            can = [v for v in nodes if v not in full and holds(rest[v], need)]
            if job.whole is not None:
                can = [v for v in can if tuple(rest[v]) == job.whole[v]]
            if not can:
                return None
            # `reliable` gives an order of nodes; the others choose by what is left.
            if not isinstance(placement, str):
                node = min(can, key=placement.index)
            elif placement == "first":
                node = can[0]
            elif placement == "best":
                node = min(can, key=lambda v: (rest[v][0], v))
            else:
                node = min(can, key=lambda v: (-rest[v][0], v))
            # A node is not returned to for this group: what it could not take, it cannot take later.
            full.add(node)
            if job.whole is not None:
                pieces.append((node, job.whole[node]))
                rest[node] = [0] * len(need)
                count -= 1
                continue
            tasks = 0
            while tasks < count and holds(rest[node], need):
                rest[node] = [a - b for a, b in zip(rest[node], need, strict=True)]
                tasks += 1
            count -= tasks
            pieces.append((node, tuple(tasks * amount for amount in need)))
    return pieces


def free_over(machine: list[Amount], taken: Iterable[Hold], begin: int, end: int) -> list[Node]:
    """The least that each node has of each resource at any time in begin <= time < end."""
    taken = list(taken)
    # What is free only shrinks where something begins.
    times = {begin} | {hold.begin for hold in taken if begin < hold.begin < end}
    return smallest([free_at(machine, taken, time) for time in times])


def free_at(machine: list[Amount], taken: Iterable[Hold], time: int) -> list[Node]:
    """What each node has left at one second."""
    left = [list(node) for node in machine]
    for hold in taken:
        if hold.begin <= time < hold.end:
            for node, amounts in hold.pieces:
                left[node] = [a - b for a, b in zip(left[node], amounts, strict=True)]
    return left


def smallest(states: list[list[Node]]) -> list[Node]:
    """Per node and resource the minimum of several states."""
    return [[min(values) for values in zip(*nodes, strict=True)] for nodes in zip(*states, strict=True)]


def holds(node: Sequence[int], need: Amount) -> bool:
    return all(have >= want for have, want in zip(node, need, strict=True))
