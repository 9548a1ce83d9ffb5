"""The rules of preemption of a site: classes of jobs, which may preempt which, and what happens then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.slurm.scheduler.limits import JobKind
from engine.slurm.scheduler.preempt import WIDEST, make_preemption
from engine.slurm.scheduler.state import Ints, Mask, SitePreemption
from engine.slurm.site.site import Site
from engine.slurm.values.times import clock_seconds, is_unlimited

BY_PARTITION, BY_QOS = "preempt/partition_prio", "preempt/qos"
REQUEUE, CANCEL = "requeue", "cancel"

_CLUSTER = "cluster"  # a quality of service that says so has the cluster's mode
_LONGEST = 365 * 86_400


@dataclass(frozen=True)
class PreemptionRules:
    """The rules of a site. A class of jobs is a partition, or a quality of service, by the plugin's type."""

    site: Site

    @cached_property
    def kind(self) -> str:
        """The plugin, in lower case; empty without preemption."""
        kind = self.site.conf.option("PreemptType").lower()
        return kind if kind in (BY_PARTITION, BY_QOS) else ""

    def class_of(self, kind: JobKind) -> str:
        """The class of a job."""
        return kind.qos if self.kind == BY_QOS else kind.partition.split(",")[0]

    def _keys(self, name: str) -> Mapping[str, str]:
        if self.kind == BY_QOS:
            return dict(self.site.qos_limits).get(name, {})
        partition = self.site.conf.partition(name)
        return {} if partition is None else partition.keys

    def mode(self, name: str) -> str:
        """The treatment of a preempted job of a class: REQUEUE, CANCEL, off, or suspend."""
        text = self._keys(name).get("preemptmode", "").lower()
        if text in ("", _CLUSTER):
            text = self.site.conf.option("PreemptMode", "off").lower()
        words = {word.strip() for word in text.split(",")} - {"gang", "within"}
        mode = next((word for word in (REQUEUE, CANCEL, "suspend") if word in words), "off")
        never_again = self.site.conf.option("JobRequeue", "1").strip() == "0"
        return CANCEL if mode == REQUEUE and never_again else mode

    def grace(self, name: str) -> int:
        """For how long a preempted job of a class runs on, s."""
        text = self._keys(name).get("gracetime", "").strip()
        if text.isascii() and text.isdigit() and len(text) < 9:
            return min(int(text), _LONGEST)
        return _seconds(text)

    def rank(self, name: str) -> int:
        """The tier of a partition, or priority of a quality of service: low values are preempted first."""
        if self.kind == BY_QOS:
            return int(dict(self.site.qos).get(name, 0.0))
        text = self._keys(name).get("prioritytier", self._keys(name).get("priority", "1"))
        return min(int(text), 65_535) if text.isascii() and text.isdigit() and len(text) < 10 else 1

    def beats(self, preemptor: str, victim: str) -> bool:
        """Whether jobs of a class may preempt jobs of another one, by how they end."""
        if self.mode(victim) not in (REQUEUE, CANCEL):
            return False
        return self._above(preemptor, victim)

    def _above(self, preemptor: str, victim: str) -> bool:
        if self.kind == BY_QOS:
            text = self._keys(preemptor).get("preempt", "")
            return victim != "" and victim in (name.strip() for name in text.split(","))
        return self.rank(preemptor) > self.rank(victim)

    @property
    def exempt(self) -> int:
        """The time that a job runs before it may be preempted, s."""
        return _seconds(self.site.conf.option("PreemptExemptTime"))

    def left_out(self, kinds: Sequence[JobKind]) -> Iterator[tuple[str, int]]:
        """Features of preemption that are not simulated, as texts, with the number of affected jobs."""
        if not self.kind:
            return
        classes = [self.class_of(kind) for kind in kinds]
        names = tuple(dict.fromkeys(classes))
        # A class is only suspended if any other may preempt it.
        suspended = {
            name
            for name in names
            if self.mode(name) == "suspend" and any(self._above(other, name) for other in names)
        }
        if count := sum(name in suspended for name in classes):
            yield "may be suspended for others (PreemptMode), which is not simulated", count
        exempt = {name for name in names if _seconds(self._keys(name).get("preemptexempttime", ""))}
        if count := sum(name in exempt for name in classes):
            yield "have a PreemptExemptTime of their quality of service, which is not simulated", count


def preemption_of(site: Site, kinds: Sequence[JobKind], ticks: int) -> SitePreemption | None:
    """The preemption among n jobs in `ticks` of a second; None where nobody may."""
    rules = PreemptionRules(site)
    if not rules.kind:
        return None
    # Rules are computed for each pair of classes of jobs, of which there are few, not of jobs.
    of_job = [rules.class_of(kind) for kind in kinds]
    names = tuple(dict.fromkeys(of_job))
    beats = np.array([[rules.beats(name, other) for other in names] for name in names], np.bool_)
    # Rules that let nobody preempt cost nothing in the kernels.
    if not beats.any():
        return None
    number = {name: k for k, name in enumerate(names)}
    kind = np.array([number[name] for name in of_job], np.int64)

    def each(values: list[int]) -> Ints:
        return np.array(values, np.int64)[kind]

    requeues: Mask = np.array([rules.mode(name) == REQUEUE for name in names], np.bool_)[kind]
    return make_preemption(
        kind,
        np.ascontiguousarray(beats.reshape(len(names), len(names))),
        requeues,
        each([rules.grace(name) * ticks for name in names]),
        each([rules.rank(name) * (WIDEST + 1) for name in names]),
    )


def _seconds(text: str) -> int:
    """The time in s, to the second unlike limits; 0 for other texts, and for no limit."""
    seconds = None if is_unlimited(text) else clock_seconds(text.strip())
    return 0 if seconds is None else min(seconds, _LONGEST)
