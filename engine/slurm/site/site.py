"""A site: its `slurm.conf` and further files, as settings of its two schedulers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.slurm.conf.slurm_conf import SlurmConf, read_slurm_conf
from engine.slurm.options.rules import SiteRules
from engine.slurm.site.associations import Association
from engine.slurm.site.fit_spelling import format_fit
from engine.slurm.site.reservations import Reservation
from engine.slurm.values.host_list import expand_hosts
from engine.slurm.values.numbers import read_count, read_time
from engine.words import clip

_REQUEUE_DELAY = 121
"""s after which a job that was queued again may start: credentials of its last run are void by then."""


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

    @property
    def beside(self) -> tuple[str, ...]:
        """What files other than the `slurm.conf` set, in words: policies of keys take none of it."""
        message = (
            (self.associations, "shares and limits of accounts and users"),
            (self.qos or self.qos_limits, "priorities and limits of qualities of service"),
            (self.reservations, "reservations"),
            (self.switches, "leaf switches"),
        )
        return tuple(f"{text}: only the site's own Slurm regards them" for given, text in message if given)

    @property
    def spelling(self) -> str:
        """As on the command line: `site:` and the path, and what was fitted to a log."""
        fit = format_fit(self.launch, self.completion, self.away, self.fitted_until)
        return f"site:{self.path}" + (f":{fit}" if fit else "")

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """The words of SchedulerParameters, in lower case."""
        parts = (part.partition("=") for part in self.conf.option("SchedulerParameters").split(","))
        return {name.strip().lower(): value.strip() for name, _, value in parts if name.strip()}

    @cached_property
    def flags(self) -> frozenset[str]:
        """The words of PriorityFlags, in lower case."""
        return frozenset(re.split(r"[,\s]+", self.conf.option("PriorityFlags").lower()))

    @property
    def multifactor(self) -> bool:
        """True if priorities count; if the file does not say, from version 23.11 on."""
        kind = self.conf.option("PriorityType").lower()
        if kind:
            return kind == "priority/multifactor"
        return self.conf.version is not None and self.conf.version >= (23, 11)

    @property
    def fair_tree(self) -> bool:
        """True if fairshare uses fair tree, the default since 19.05, and not the classic formula."""
        if "depth_oblivious" in self.flags or "no_fair_tree" in self.flags:
            return False
        return "fair_tree" in self.flags or self.conf.version is None or self.conf.version >= (19, 5)

    def weight(self, key: str) -> int:
        """A weight of priorities; 0 if it is not given. Raises InputError, which names the file."""
        text = self.conf.option(key)
        return self._read_or_note(lambda: read_count(key, text)) if text else 0

    def seconds(self, key: str, usual: int) -> int:
        """A length of time of a setting, in s. Raises InputError, which names the file."""
        text = self.conf.option(key)
        return self._read_or_note(lambda: read_time(key, text)) if text else usual

    def _plain_seconds(self, key: str, usual: int) -> int:
        """A setting that is in seconds; what is not a number is the usual."""
        found = re.fullmatch(r"(\d{1,6})(?: sec)?", self.conf.option(key), re.ASCII)
        return int(found[1]) if found else usual

    def rules(self, most_rows: int) -> SiteRules:
        """The settings of both schedulers; `most_rows` is of the widest job. Raises InputError."""
        conf, number = self.conf, self._parameter
        over = conf.option("OverTimeLimit", "0").lower()
        kind = conf.option("SchedulerType", "sched/backfill").lower()
        interval, kill_wait = number("bf_interval", 30, 1), self._plain_seconds("KillWait", 30)
        # With `defer` a submission is not tried at once but after the same delay as other events.
        delay = number("batch_sched_delay", 3)
        every = number("sched_interval", 60)
        return SiteRules(
            ticks=1,
            first_check=0,
            check_beat=30_000,
            resv_over=self._resv_over(),
            first_beat=0,
            main_beat=1000,
            backfill_phase=0,
            main_depth=number("default_queue_depth", 100, 1),
            main_delay=delay,
            main_every=every if every > 0 else 60,
            backfills=int("backfill" in kind),
            bf_interval=interval,
            bf_tests=number("bf_max_job_test", 500, 1),
            bf_user_tests=number("bf_max_job_user", 0),
            bf_part_tests=number("bf_max_job_part", 0),
            bf_starts=number("bf_max_job_start", 0),
            bf_plans=0,
            bf_window=number("bf_window", 1440, 1) * 60,
            bf_resolution=number("bf_resolution", 60, 1),
            calc_period=max(self.seconds("PriorityCalcPeriod", 300), 60),
            first_calc=max(self.seconds("PriorityCalcPeriod", 300), 60),
            kill_wait=kill_wait,
            over_limit=int(over) * 60 if over.isdigit() else -1,
            launch_delay=0,
            completion_delay=0,
            completion_spread=self.completion_spread,
            seed=self.draw,
            end_notice=0,
            first_full=every // 5,
            first_backfill=interval // 2,
            clock=0,
            end_batch=30,
            end_linear=max(number("bf_window_linear", 0), 0),
            multifactor=int(self.multifactor),
            fair_tree=int(self.fair_tree),
            most_rows=most_rows,
            safe=int("safe" in re.split(r"[,\s]+", conf.option("AccountingStorageEnforce").lower())),
            requeue_delay=self._requeue_delay(),
            exempt=0,
            patience=kill_wait + self._plain_seconds("MessageTimeout", 10),
        )

    def _resv_over(self) -> int:
        """The time for which jobs may go on after their reservation, s; -1 without an end."""
        text = self.conf.option("ResvOverRun", "0").lower().removesuffix(" min")
        return min(int(text), 525_600) * 60 if text.isascii() and text.isdigit() and len(text) < 9 else -1

    def _requeue_delay(self) -> int:
        """The time for which a requeued job waits, s; releases after 22.05 have a setting of its own."""
        if self.conf.version is None or self.conf.version > (22, 5):
            own = self._parameter("requeue_delay", -1)
            if own >= 0:
                return min(own, 86_400)
        found = re.search(r"\bcred_expire=(\d{1,6})\b", self.conf.option("AuthInfo"), re.ASCII)
        return _REQUEUE_DELAY if found is None else min(int(found[1]), 86_400) + 1

    def _parameter(self, name: str, usual: int, least: int = 0) -> int:
        """A word of SchedulerParameters; what slurmctld would not take is the usual. Raises InputError."""
        text = self.parameters.get(name)
        if text is None:
            return usual
        if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
            raise InputError(f"{self.path}: {name}={clip(text)} is not a whole number")
        return int(text) if int(text) >= least else usual

    def _read_or_note(self, read: Callable[[], int]) -> int:
        try:
            return read()
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error


def site_of_machine(name_text: str, cluster: Cluster) -> Site:
    """A site of which only the machine is known: jobs are ordered by priority and backfilled."""
    return Site(Path(name_text), SlurmConf(Path(name_text), {}, cluster, (), (), ()))


def read_site(path: Path) -> Site:
    """A site from its `slurm.conf`, and the `topology.conf` in the same folder. Raises InputError."""
    conf = read_slurm_conf(path)
    return Site(path, conf, switches=switches_beside(conf, path.parent))


def switches_beside(conf: SlurmConf, folder: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The leaf switches of the `topology.conf` in a folder; empty if it is not used or cannot be read."""
    from engine.input import exists, read_text

    path = folder / "topology.conf"
    if conf.option("TopologyPlugin").lower() != "topology/tree" or not exists(path):
        return ()
    found = []
    for line in read_text(path, 4 << 20).split("\n"):
        keys = {key.lower(): value for key, value in re.findall(r"(\w+)=(\S+)", line.partition("#")[0])}
        if "switchname" in keys and "nodes" in keys:
            try:
                found.append((keys["switchname"], tuple(expand_hosts(keys["nodes"]))))
            except InputError:
                return ()
    return tuple(found)
