"""The limits of a site's associations, qualities of service and partitions, as bounds of its jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from engine.errors import InputError
from engine.shown_text import shown_name
from engine.slurm.options.enforcement import LIMITS
from engine.slurm.scheduler.billing import billing_of
from engine.slurm.scheduler.bounds import UNBOUNDED, RunningLimit, make_bounds
from engine.slurm.scheduler.state import Ints, Mask, SiteBounds
from engine.slurm.site.site import Site
from engine.slurm.values.times import UNLIMITED_SECONDS, read_time
from engine.slurm.values.tres import amounts_of
from engine.trace import Trace
from engine.words import clip

Keys = Mapping[str, str]
Owner = tuple[str, ...]
"""Whose jobs count together, such as those of a quality of service, or of a user in one."""

_IGNORED = {
    "maxtrespernode": "limits of resources on a node",
    "mintres": "least resources of a job",
}
"""Limits that are not simulated: the jobs that have them are counted."""

_OF_RESOURCES = (
    *("grptres", "grptresmins", "grptresrunmins", "maxtres", "maxtresperjob", "maxtrespu", "maxtrespa"),
    *("maxtresrunminspu", "maxtresrunminspa"),
)
_WALL = "wall"  # what each job has one of, for group limits of run time
_COUNTED = ("node", "billing", _WALL)
"""What limits may count beside the resources of nodes: a job that asks for CPUs alone has the fewest nodes
that hold it."""


class JobKind(NamedTuple):
    """The properties that determine the limits of a job.

    At most `at_once` tasks of an `array` run at a time, if that is not 0.
    """

    account: str
    user: str
    qos: str
    partition: str
    array: str = ""
    at_once: int = 0


class _Minutes(NamedTuple):
    """Limits of resources times minutes: of all that has run, and whether that fades; of what runs still."""

    spent: Mapping[str, int]
    fades: bool
    ahead: Mapping[str, int]


_NO_MINUTES = _Minutes({}, True, {})


@dataclass
class _Table:
    """Bounds by what they are of, numbered as they are first met.

    An owner has several where jobs that count together are held back by different ones.
    """

    resources: tuple[str, ...]
    bounds: list[RunningLimit] = field(default_factory=list)
    numbers: dict[tuple[Owner, RunningLimit], int] = field(default_factory=dict)
    of_owner: dict[Owner, list[int]] = field(default_factory=dict)

    def number(
        self,
        owner: Owner,
        jobs: str | None,
        amounts: Mapping[str, int],
        minutes: _Minutes = _NO_MINUTES,
    ) -> Iterator[tuple[Owner, int | None]]:
        """Whose jobs count together, and the number of the bound on them; None if no limit is set."""
        most = tuple(amounts.get(name, UNBOUNDED) for name in self.resources)
        spent, ahead = self._seconds(minutes.spent), self._seconds(minutes.ahead)
        bound = RunningLimit(count_of(jobs), most, spent, minutes.fades, ahead)
        # Nothing is bounded: the owner gets no number, and its jobs need no row in the tables.
        if bound.jobs == UNBOUNDED and min((*most, *spent, *ahead)) == UNBOUNDED:
            yield owner, None
            return
        # Jobs of one owner under the same bound share its number, which counts them together.
        if (owner, bound) not in self.numbers:
            self.numbers[owner, bound] = len(self.bounds)
            self.of_owner.setdefault(owner, []).append(len(self.bounds))
            self.bounds.append(bound)
        yield owner, self.numbers[owner, bound]

    def _seconds(self, minutes: Mapping[str, int]) -> tuple[int, ...]:
        """Limits of minutes in seconds by resource; nothing where none is set."""
        if not minutes:
            return ()
        return tuple(60 * minutes[name] if name in minutes else UNBOUNDED for name in self.resources)


class LimitNames(NamedTuple):
    """Whose jobs each limit counts, in the order of their numbers, and the resources that they limit."""

    owners: tuple[Owner, ...]
    resources: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The owners in words."""
        return tuple(map(_owner_words, self.owners))


def bounds_of(
    site: Site,
    kinds: Sequence[JobKind],
    resources: tuple[str, ...],
    total: Ints,
    limit: Ints,
    nodes: Ints,
    ticks: int = 1,
) -> tuple[SiteBounds, Mask, LimitNames]:
    """The limits that bound each of n jobs, which jobs, (n,), ask for more than any one may, and their names.

    `total`, (n, K), is what each takes of each resource, `limit`, s, what it asks for, and `nodes`, (n,), how
    many it takes at least. The bounds count in `ticks` of a second.
    Of a quality of service those of the partition go before those of the job, and these before those of
    associations, as in Slurm: the latter count only where the former say nothing.
    """
    known = Known(site)
    extra = known.further_resources()
    if extra:
        # Amounts that only limits ask for: nodes, billing units, and wall time, of which each job takes one.
        columns = {
            "node": nodes,
            "billing": billing_of(site, [kind.partition for kind in kinds], resources, total, nodes),
            _WALL: np.ones(len(nodes), np.int64),
        }
        total = np.column_stack([total, *(columns[name] for name in extra)]).astype(np.int64)
        resources = (*resources, *extra)
    table, rules, met = _all_bounds(site, known, kinds, resources)
    owners = {kind: tuple(number for _, number in met[kind] if number is not None) for kind in rules}
    # A job that a limit does not hold back, because a quality of service has its own, counts all the same.
    counts = {
        kind: {number for owner, _ in met[kind] for number in table.of_owner.get(owner, ())} for kind in rules
    }
    beside = {kind: tuple(sorted(counts[kind].difference(owners[kind]))) for kind in rules}
    most_wall = {kind: seconds_of(rule.wall) for kind, rule in rules.items()}
    # A job beyond a limit of a single job can never start, so it is held from the start.
    never = limit > np.array([most_wall[kind] for kind in kinds], np.int64)
    single = {kind: [rule.job.get(name, UNBOUNDED) for name in resources] for kind, rule in rules.items()}
    never |= (total > np.array([single[kind] for kind in kinds], np.int64).reshape(total.shape)).any(axis=1)
    most_work = {kind: [rule.work.get(name, UNBOUNDED) for name in resources] for kind, rule in rules.items()}
    # In minutes, as the files give it.
    work = total * limit[:, None] // 60
    never |= (work > np.array([most_work[kind] for kind in kinds], np.int64).reshape(total.shape)).any(axis=1)
    aside = np.array([name != _WALL for name in resources])
    of_jobs, counted = [owners[kind] for kind in kinds], [beside[kind] for kind in kinds]
    by_node = resources.index("node") if "node" in extra else -1
    names = LimitNames(tuple(owner for owner, _ in table.numbers), resources)
    return make_bounds(of_jobs, table.bounds, total, ticks, aside, counted, by_node), never, names


def _all_bounds(
    site: Site, known: Known, kinds: Sequence[JobKind], resources: tuple[str, ...]
) -> tuple[_Table, dict[JobKind, _Rules], dict[JobKind, list[tuple[Owner, int | None]]]]:
    """All bounds of jobs of these kinds; and of each kind its rules, and its bounds by owner."""
    table = _Table(resources)
    rules = {kind: _rules(site, known, kind) for kind in dict.fromkeys(kinds)}
    return (
        table,
        rules,
        {kind: list(_bounds(table, kind, rules[kind], site.multifactor)) for kind in rules},
    )


def _owner_words(owner: Owner) -> str:
    """`user bob in QOS high`, `account astro`, `user bob of account astro`."""
    sort, *names = owner
    shown = [shown_name(name) for name in names]
    if sort == "qos" and len(names) == 1:
        return f"QOS {shown[0]}"
    if sort == "qos":
        return f"{names[1]} {shown[2]} in QOS {shown[0]}"
    if sort == "array":
        return f"array {shown[0]}"
    return f"user {shown[1]} of account {shown[0]}" if names[1] else f"account {shown[0]}"


def most_nodes(site: Site, kinds: Sequence[JobKind]) -> Ints:
    """The most nodes that limits of resources, each by itself, allow each of n jobs, (n,); or UNBOUNDED."""
    known, most = Known(site), dict[JobKind, int]()
    if "node" not in known.further_resources():
        return np.full(len(kinds), UNBOUNDED, np.int64)
    table = _Table(("node",))
    for kind in dict.fromkeys(kinds):
        rules = _rules(site, known, kind)
        numbers = [number for _, number in _bounds(table, kind, rules, False) if number is not None]
        amounts = (table.bounds[number].amounts[0] for number in numbers)
        most[kind] = min([rules.job.get("node", UNBOUNDED), *amounts])
    return np.array([most[kind] for kind in kinds], np.int64)


def job_kinds(trace: Trace) -> list[JobKind]:
    """The properties of each job that determine its limits."""
    columns = [trace.group, trace.user, trace.qos, trace.queue]
    names = [
        [""] * len(trace) if column is None else np.array(column.names, object)[column.codes].tolist()
        for column in columns
    ]
    kinds = [JobKind(*row) for row in zip(*names, strict=True)]
    # Tasks of an array that runs only some at once are owned by that array, too.
    if trace.at_once is not None:
        for job in np.flatnonzero(trace.at_once).tolist():
            array = str(trace.job_id[job]).partition("_")[0]
            kinds[job] = kinds[job]._replace(array=array, at_once=int(trace.at_once[job]))
    return kinds


def limits_left_out(site: Site, kinds: Sequence[JobKind]) -> Iterator[tuple[str, int]]:
    """Limits that are not simulated, in words, and the number of the jobs that are under each."""
    known = Known(site)
    counts: dict[str, int] = {}
    of_kind = {kind: _ignored(site, known, kind) for kind in dict.fromkeys(kinds)}
    for kind in kinds:
        for text in of_kind[kind]:
            counts[text] = counts.get(text, 0) + 1
    return iter(counts.items())


def _ignored(site: Site, known: Known, kind: JobKind) -> list[str]:
    levels = [*known.chain(kind), *known.qualities(site, kind)]
    # Only what a file really sets is named; a key with an empty value sets nothing.
    texts = {text for keys in levels for key, text in _IGNORED.items() if _given(keys.get(key))}
    named = {name for keys in levels for key in _OF_RESOURCES for name in amounts_of(keys.get(key))}
    for name in sorted(named - {*site.conf.machine.resources, *_COUNTED}):
        texts.add(f"limits of {clip(name)}")
    # Without priority/multifactor slurmctld keeps no usage, so limits of usage cannot work there.
    spent, wall = (any(_given(keys.get(key)) for keys in levels) for key in ("grptresmins", "grpwall"))
    if (spent or wall) and not site.multifactor:
        texts.add("group limits of resources times minutes (Slurm needs priority/multifactor for them)")
    elif spent and not site.rules(1).safe:
        texts.add("group limits of resources times minutes that end running jobs")
    elif wall:
        texts.add("group limits of run time that end running jobs")
    return [f"are under {text}, which are not simulated" for text in sorted(texts)]


@dataclass(frozen=True)
class _Rules:
    """The limits of jobs of one kind: of one job, and of what runs at once, by whose it is."""

    wall: Sequence[str | None]
    job: Mapping[str, int]
    work: Mapping[str, int]  # resources times minutes of a job
    qualities: Sequence[tuple[str, Keys]]
    chain: Sequence[tuple[tuple[str, str], Keys]]


class Known:
    """The limits of a site by name: none where its slurm.conf does not have them enforced."""

    def __init__(self, site: Site) -> None:
        enforced = LIMITS in site.enforced
        self.associations = {
            (each.account, each.user): each if enforced else replace(each, limits=())
            for each in site.associations
        }
        self.qos = dict(site.qos_limits) if enforced else {}

    def further_resources(self) -> tuple[str, ...]:
        """Which of nodes and billing any limit names."""
        levels = [
            *self.qos.values(),
            *(dict(association.limits) for association in self.associations.values()),
        ]
        keys = (*_OF_RESOURCES, "maxtresmins", "maxtresminsperjob")
        named = {name for level in levels for key in keys for name in amounts_of(level.get(key))}
        named |= {_WALL} if any(_given(level.get("grpwall")) for level in levels) else set()
        return tuple(name for name in _COUNTED if name in named)

    def owners(self, kind: JobKind) -> list[tuple[str, str]]:
        """The association of a job, and those above it up to the root: that of its account first, if its
        user is not known.
        """
        owners: dict[tuple[str, str], None] = {(kind.account, kind.user): None} if kind.user else {}
        account = kind.account
        while account and (account, "") not in owners:
            owners[account, ""] = None
            above = self.associations.get((account, ""))
            account = "" if above is None else above.parent
        return [*owners]

    def chain(self, kind: JobKind) -> list[Keys]:
        """Their limits."""
        return [
            dict(self.associations[owner].limits) if owner in self.associations else {}
            for owner in self.owners(kind)
        ]

    def qualities(self, site: Site, kind: JobKind) -> list[Keys]:
        """The limits of the partition's quality of service and of the job's own, in the order of `names`."""
        return [self.qos[name] for name in self.names(site, kind)]

    def names(self, site: Site, kind: JobKind) -> list[str]:
        """The names of these, each once. The partition's goes first, unless the other has OverPartQOS."""
        partition = site.conf.partition(kind.partition.split(",")[0])
        names = ["" if partition is None else partition.keys.get("qos", ""), kind.qos]
        if "overpartqos" in self.qos.get(kind.qos, {}).get("flags", "").lower():
            names.reverse()
        return [name for name in dict.fromkeys(names) if name in self.qos]


def _rules(site: Site, known: Known, kind: JobKind) -> _Rules:
    names, chain = known.names(site, kind), known.chain(kind)
    qualities = [(name, known.qos[name]) for name in names]
    partition = site.conf.partition(kind.partition.split(",")[0])
    keys: Keys = {} if partition is None else partition.keys
    # The first quality of service that sets it counts, else the nearest level of the tree.
    of_qos = next((q["maxwall"] for _, q in qualities if _given(q.get("maxwall"))), None)
    of_tree = next(
        (level["maxwalldurationperjob"] for level in chain if _given(level.get("maxwalldurationperjob"))),
        None,
    )
    job: dict[str, int] = {}
    for text in (*(q.get("maxtres") for _, q in qualities), *(level.get("maxtresperjob") for level in chain)):
        job = amounts_of(text) | job  # the nearer one goes first
    work: dict[str, int] = {}
    for level in (*(q for _, q in qualities), *chain):
        work = amounts_of(level.get("maxtresmins", level.get("maxtresminsperjob"))) | work
    return _Rules(
        work=work,
        wall=(keys.get("maxtime"), of_qos if of_qos is not None else of_tree),
        job=job,
        qualities=qualities,
        chain=list(zip(known.owners(kind), chain, strict=True)),
    )


def _bounds(table: _Table, kind: JobKind, rules: _Rules, counts: bool) -> Iterator[tuple[Owner, int | None]]:
    """The numbers of the bounds of what runs at once, and, if usage `counts`, of what has run, by owner."""
    bounded: dict[str, set[str]] = {}  # by kind of limit: the resources of which a level before has one

    def first(limit: str, amounts: Mapping[str, int]) -> dict[str, int]:
        """The amounts of which no level before has such a limit."""
        before = bounded.setdefault(limit, set())
        return {name: amount for name, amount in amounts.items() if name not in before}

    def first_count(limit: str, keys: Keys) -> str | None:
        return None if limit in bounded else keys.get(limit)

    # slurmctld goes through the qualities of service, then the user, then the accounts up to the root; a
    # limit that is set hides the same one further on.
    for name, keys in rules.qualities:
        new = {
            "grptres": amounts_of(keys.get("grptres")),
            "spent": _minutes(keys, counts),
            "ahead": amounts_of(keys.get("grptresrunmins")),
        }
        fades = "nodecay" not in keys.get("flags", "").lower()
        minutes = _Minutes(first("spent", new["spent"]), fades, first("ahead", new["ahead"]))
        jobs = first_count("grpjobs", keys)
        yield from table.number(("qos", name), jobs, first("grptres", new["grptres"]), minutes)
        for owner, end in ((("user", kind.user), "pu"), (("account", kind.account), "pa")):
            new[f"maxtres{end}"] = amounts_of(keys.get(f"maxtres{end}"))
            new[f"maxtresrunmins{end}"] = amounts_of(keys.get(f"maxtresrunmins{end}"))
            own = first(f"maxtresrunmins{end}", new[f"maxtresrunmins{end}"])
            jobs, most = first_count(f"maxjobs{end}", keys), first(f"maxtres{end}", new[f"maxtres{end}"])
            yield from table.number(("qos", name, *owner), jobs, most, _NO_MINUTES._replace(ahead=own))
        # Hidden from here on, resource by resource.
        for limit, amounts in new.items():
            bounded[limit] |= set(amounts)
        bounded |= {
            limit: set() for limit in ("grpjobs", "maxjobspu", "maxjobspa") if _given(keys.get(limit))
        }
    # MaxJobs of an association gives way to any limit of jobs of a user or an account.
    jobs_given = "maxjobspu" in bounded or "maxjobspa" in bounded
    most_jobs = next((keys["maxjobs"] for _, keys in rules.chain if _given(keys.get("maxjobs"))), None)
    yield from table.number(("user", kind.account, kind.user), None if jobs_given else most_jobs, {})
    for owner, keys in rules.chain:
        minutes = _Minutes(
            first("spent", _minutes(keys, counts)),
            True,
            first("ahead", amounts_of(keys.get("grptresrunmins"))),
        )
        amounts = first("grptres", amounts_of(keys.get("grptres")))
        yield from table.number(("group", *owner), first_count("grpjobs", keys), amounts, minutes)
    if kind.at_once:
        yield from table.number(("array", kind.array), str(kind.at_once), {})


def _minutes(keys: Keys, counts: bool) -> dict[str, int]:
    """The group limits of resources times minutes, and of minutes."""
    if not counts:
        return {}
    wall = seconds_of([keys.get("grpwall")])
    return amounts_of(keys.get("grptresmins")) | ({_WALL: wall // 60} if wall < UNBOUNDED else {})


def _given(text: str | None) -> bool:
    return bool(text) and text not in ("-1", "INFINITE", "UNLIMITED", "(null)")


def count_of(text: str | None) -> int:
    """The number; UNBOUNDED if none is given."""
    return int(text) if text is not None and re.fullmatch(r"\d{1,12}", text.strip(), re.ASCII) else UNBOUNDED


def seconds_of(texts: Sequence[str | None]) -> int:
    """The shortest of these times, s; UNBOUNDED if none is given."""
    least = UNBOUNDED
    for text in texts:
        if text is None or not _given(text.strip().upper()):
            continue
        try:
            seconds = read_time("MaxWall", text.strip())
        except InputError:
            continue
        least = min(least, seconds if seconds < UNLIMITED_SECONDS else UNBOUNDED)
    return least
