"""A site: its `slurm.conf` and further files, as settings of its two schedulers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.slurm.conf.slurm_conf import SlurmConf, read_slurm_conf
from engine.slurm.options.enforcement import SAFE, enforced_by
from engine.slurm.options.option import ConfigPart, SlurmOption
from engine.slurm.options.releases import FAIR_TREE
from engine.slurm.options.rules import SiteRules
from engine.slurm.options.table import TABLE, is_known, option_of
from engine.slurm.options.taken_values import TakenValue, take
from engine.slurm.site.associations import Association
from engine.slurm.site.fit_spelling import format_change, format_fit
from engine.slurm.site.reservations import Reservation
from engine.slurm.values.host_list import expand_hosts
from engine.spelling import DAY, MINUTE

_REQUEUE_DELAY = 121
"""s after which a job that was queued again may start: credentials of its last run are void by then."""

_NEVER = 10**9
"""s between full passes of a main scheduler that is off: longer than any log."""

_OF_LIMITS = "grp", "max", "min"
"""How the names of limits of a quality of service begin, in lower case."""

_FOR_KERNELS = {
    "ticks": 1,
    "first_check": 0,
    "check_beat": 30_000,
    "first_beat": 0,
    "main_beat": 1000,
    "backfill_phase": 0,
    "bf_plans": 0,
    "launch_delay": 0,
    "completion_delay": 0,
    "end_notice": 0,
    "clock": 0,
    "end_batch": 30,
    "exempt": 0,
}
"""Rules that no option sets: slurmctld's own constants, and what a run sets later."""


@dataclass(frozen=True)
class Site:
    """The configuration of a site, as far as starts depend on it; two sites with equal contents are equal.

    `qos` are priorities by name, `qos_limits` their limits, `switches` the nodes of leaf switches. Without a
    file of `associations`, all accounts of a log have equal shares. `notes` list what was not read. `boot` is
    the start of slurmctld, by its own clock: its periods count from there. `draw` is the seed of random
    durations of node cleanup. `clock` is the time of a queue by the site's own clock, s from 1970 as if it
    were UTC: with it, reservations count for the queue.

    A log may have been fitted: `launch` is s from a decision to the start of a job, `completion` s for which
    nodes are cleaned up after one, and `away` are nodes, numbered as in the cluster, that were away from one
    time to another, s from the log's zero. Delays were fitted to jobs submitted before `fitted_until`, s from
    there; 0 if nothing was fitted.

    `changes` are options with other values than in the files, by name (`engine/slurm/site/changes.py`), and
    `files` is the site without them, where there are any.
    """

    path: Path
    conf: SlurmConf = field(compare=False)
    associations: tuple[Association, ...] = ()
    qos: tuple[tuple[str, float], ...] = ()
    qos_limits: tuple[tuple[str, Mapping[str, str]], ...] = field(default=(), hash=False)
    switches: tuple[tuple[str, tuple[str, ...]], ...] = ()
    reservations: tuple[Reservation, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    boot: str = ""
    completion_spread: int = 0
    draw: int = 0
    launch: int = 0
    completion: int = 0
    away: tuple[tuple[int, int, tuple[int, ...]], ...] = ()
    fitted_until: int = 0
    clock: int | None = None
    changes: tuple[tuple[str, str], ...] = ()
    files: Site | None = field(default=None, compare=False, repr=False)

    @property
    def unchanged(self) -> Site:
        """The site as its files say, with what was fitted to the log."""
        if self.files is None:
            return self
        fit = {name: getattr(self, name) for name in ("launch", "completion", "away", "fitted_until")}
        return replace(self.files, clock=self.clock, draw=self.draw, **fit)

    @property
    def machine(self) -> Cluster | None:
        """The machine of its files; None if they name no nodes."""
        return self.conf.machine if self.conf.has_nodes else None

    def on(self, machine: Cluster) -> Site:
        """The site on another machine, whose files do not name it. It stays as it is on its own."""
        if machine == self.machine:
            return self
        # The lines of the files are about other nodes than those of a machine that only counts processors.
        groups = () if machine.pooled else self.conf.groups
        return replace(self, conf=replace(self.conf, machine=machine, groups=groups, has_nodes=True))

    @property
    def spelling(self) -> str:
        """As on the command line: `site:` and the path, what was changed, and what was fitted to a log."""
        parts = [format_change(name, text) for name, text in self.changes]
        fit = format_fit(self.launch, self.completion, self.away, self.fitted_until)
        tail = ",".join([*parts, fit] if fit else parts)
        return f"site:{self.path}" + (f":{tail}" if tail else "")

    def label(self, parts: int) -> str:
        """A short spelling: the last `parts` of the path, what was changed, and whether it was fitted.

        A last part that says no more than that it is a site is preceded by another.
        """
        parts += parts == 1 and self.path.name.lower() == "site"
        names = self.path.parts[-parts:] or self.path.absolute().parts[-parts:]
        fitted = format_fit(self.launch, self.completion, self.away, self.fitted_until)
        changes = [format_change(name, text) for name, text in self.changes] + (["fitted"] if fitted else [])
        return "site:" + "/".join(names).replace("//", "/") + (f":{','.join(changes)}" if changes else "")

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """The words of SchedulerParameters, in lower case; of a word that is given twice the first counts."""
        words: dict[str, str] = {}
        for part in self.conf.option("SchedulerParameters").split(","):
            name, _, value = part.partition("=")
            if name.strip():
                words.setdefault(name.strip().lower(), value.strip())
        return words

    @cached_property
    def flags(self) -> frozenset[str]:
        """The words of PriorityFlags, in lower case."""
        return frozenset(re.split(r"[,\s]+", self.conf.option("PriorityFlags").lower()))

    @cached_property
    def enforced(self) -> frozenset[str]:
        """What slurmctld enforces of the accounting database: associations, limits, qos, safe."""
        return enforced_by(self.conf.options.get("accountingstorageenforce"))

    @property
    def has_limits(self) -> bool:
        """True if its files give an association or a quality of service limits."""
        of_qos = (
            key.startswith(_OF_LIMITS) for _, keys in self.qos_limits for key, text in keys.items() if text
        )
        return any(association.limits for association in self.associations) or any(of_qos)

    @property
    def further_files(self) -> tuple[str, ...]:
        """The files beside slurm.conf, as the table of options names them."""
        present = {
            "associations": self.associations,
            "qos_limits": self.qos_limits,
            "switches": self.switches,
        }
        return tuple(name for name, content in present.items() if content)

    @property
    def multifactor(self) -> bool:
        """True if priorities count; if the file does not say, by the release."""
        return self.conf.word("PriorityType") == "priority/multifactor"

    @property
    def fair_tree(self) -> bool:
        """True if fairshare uses fair tree, the default since 19.05, and not the classic formula."""
        if "depth_oblivious" in self.flags or "no_fair_tree" in self.flags:
            return False
        return "fair_tree" in self.flags or self.conf.release >= FAIR_TREE

    def value(self, name: str) -> int:
        """The number of a setting, or of a word of SchedulerParameters, as slurmctld takes it: in s for
        times. Raises InputError, which names the file.
        """
        option, taken = self._take(name)
        return taken.value * MINUTE if option.kind == "minutes" else taken.value

    def is_off(self, name: str) -> bool:
        """Whether the value of an option switches off what it is about."""
        return self._take(name)[1].off

    @cached_property
    def said(self) -> tuple[str, ...]:
        """In words, a line each: values that slurmctld takes otherwise than they are written."""
        lines = []
        for option in TABLE:
            if option.is_number and option.place in (ConfigPart.SETTING, ConfigPart.PARAMETER):
                try:
                    lines.append(take(option, self._text(option), self.conf.release).said)
                except InputError:  # which ends the simulation
                    continue
        return tuple(filter(None, lines))

    def _text(self, option: SlurmOption) -> str | None:
        if option.place is ConfigPart.PARAMETER:
            return self.parameters.get(option.name.lower())
        return self.conf.options.get(option.name.lower()) or None

    def _take(self, name: str) -> tuple[SlurmOption, TakenValue]:
        place = ConfigPart.PARAMETER if is_known(ConfigPart.PARAMETER, name) else ConfigPart.SETTING
        option = option_of(place, name)
        try:
            return option, take(option, self._text(option), self.conf.release)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error

    def rules(self, most_rows: int) -> SiteRules:
        """The settings of both schedulers; `most_rows` is of the widest job. Raises InputError."""
        numbers = {
            option.sets: self.value(option.name)
            for option in TABLE
            if option.is_number and option.sets in SiteRules._fields
        }
        numbers["requeue_delay"] = self._requeue_delay()
        # slurmctld computes priorities at most once a minute.
        numbers["calc_period"] = max(numbers["calc_period"], MINUTE)
        # A preempted job may take KillWait to end: so long the job that it ends for chooses no other.
        numbers["patience"] += numbers["kill_wait"]
        numbers["main_every"] = max(numbers["main_every"], 1)
        # Without a database no job has an association. A limit per association replaces that per user.
        numbers["bf_assoc_tests"] *= bool(self.associations)
        if numbers["bf_assoc_tests"]:
            numbers["bf_user_tests"] = 0
        # UNLIMITED is a word, for which kernels read -1.
        for name in ("OverTimeLimit", "ResvOverRun"):
            if self.is_off(name):
                numbers[option_of(ConfigPart.SETTING, name).sets] = -1
        backfills = "backfill" in self.conf.word("SchedulerType") and not self.is_off("bf_interval")
        first_full = numbers["main_every"] // 5
        if self.is_off("sched_interval"):  # neither events nor time call for a pass that tries a job
            if not backfills:
                raise InputError(f"{self.path}: both schedulers are off, and no job would start")
            numbers["main_depth"], numbers["main_every"], first_full = -1, _NEVER, _NEVER
        return SiteRules(
            **numbers,
            **_FOR_KERNELS,
            backfills=int(backfills),
            first_calc=numbers["calc_period"],
            completion_spread=self.completion_spread,
            seed=self.draw,
            first_full=first_full,
            first_backfill=numbers["bf_interval"] // 2,
            multifactor=int(self.multifactor),
            fair_tree=int(self.fair_tree),
            most_rows=most_rows,
            safe=int(SAFE in self.enforced),
        )

    def _requeue_delay(self) -> int:
        """The time for which a requeued job waits, s; releases after 22.05 have a setting of its own."""
        delay = self.value("requeue_delay")
        if delay >= 0:
            return min(delay, DAY)
        match = re.search(r"\bcred_expire=(\d{1,6})\b", self.conf.option("AuthInfo"), re.ASCII)
        return _REQUEUE_DELAY if match is None else min(int(match[1]), DAY) + 1


def site_of_machine(name_text: str, cluster: Cluster) -> Site:
    """A site of which only the machine is known: jobs are ordered by submission and backfilled."""
    options = {"prioritytype": "priority/basic"}
    return Site(Path(name_text), SlurmConf(Path(name_text), options, cluster, (), (), ()))


def read_site(path: Path) -> Site:
    """A site from its `slurm.conf`, and the `topology.conf` in the same folder. Raises InputError."""
    conf = read_slurm_conf(path, needs_nodes=False)
    return Site(path, conf, switches=switches_beside(conf, path.parent))


def switches_beside(conf: SlurmConf, folder: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The leaf switches of the `topology.conf` in a folder, or of what `scontrol show topology` prints there
    under this name; empty if it is not used or cannot be read.
    """
    from engine.input import exists, read_text

    path = folder / "topology.conf"
    if conf.option("TopologyPlugin").lower() != "topology/tree" or not exists(path):
        return ()
    switches = []
    for line in read_text(path, 4 << 20).split("\n"):
        keys = {key.lower(): value for key, value in re.findall(r"(\w+)=(\S+)", line.partition("#")[0])}
        # As scontrol prints them, also switches above the leaves name all nodes below them.
        if "switchname" in keys and "nodes" in keys and keys.get("level", "0") == "0":
            try:
                switches.append((keys["switchname"], tuple(expand_hosts(keys["nodes"]))))
            except InputError:
                return ()
    return tuple(switches)
