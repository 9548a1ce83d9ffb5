"""The model of a campus workload: a few numbers, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from engine.machine.cluster import Cluster, NodeGroup
from engine.trace.generate.requests import CAMPUS, WalltimeRequests

EXAMPLE_CLUSTER = Cluster((NodeGroup(7, 80, 504 << 10, name="node"),))


@dataclass(frozen=True)
class CampusModel:
    """The shape of a workload on a machine of identical nodes; the defaults are the bundled example's.

    They follow the machine and the log that Toth & Klusacek 2014 (section 4.1) studied: 7
    nodes of 80 CPUs and 504 GB, 70 users, 17,250 jobs in five months, of minutes to 30
    days and of megabytes to whole nodes. Values that the paper does not give are chosen so that the
    machine is crowded for weeks and calm for others, and that few users do much of the work.
    """

    cluster: Cluster = EXAMPLE_CLUSTER
    users: int = 70
    jobs: int = 17_000
    days: int = 150

    start: datetime = datetime(2013, 1, 8, tzinfo=ZoneInfo("Europe/Prague"))
    """The log's second 0: a midnight, of a Tuesday after the holidays."""

    load: float = 0.82
    """Processor time that jobs ask for, of all that there is. Without backfilling such nodes
    carry little more: above it the queue of `fcfs` would grow to the end."""

    heavy_work: tuple[float, ...] = (0.12, 0.11, 0.10)
    """The share of all work of each of the heaviest users. That is about a fair share
    of the machine, so they may expect to get it; but as they request it all the time, they
    come last under fairshare whenever others request more."""

    heavy_cpus: int = 32
    """CPUs of most jobs of the heavy users. Two of them fill a node but for a gap that the
    narrower jobs of others slip into."""

    heavy_burst: float = 2.0
    """Jobs that a heavy user submits at once (median): few, in a steady stream."""

    flatness: float = 5.0
    """The work of the k-th of the other users is proportional to 1 / (k + flatness): Zipf's law with a
    flat top (Mandelbrot), so that none of them comes near a heavy user."""

    burst: float = 20.0
    """Similar jobs that such a user submits at once (median): often more than fit into a fair
    share, so that the last of them may well wait."""

    project_weeks: float = 8.0
    """Time for which such a user is active (median). Users come and go, so that of 70 about
    ten have a job in the system at once."""

    spells: int = 3
    spell_weeks: int = 3
    crowd: float = 1.5
    """In `spells` spells of `spell_weeks` weeks these users submit this many times more jobs per hour than
    otherwise, and the queue grows; the calm weeks between drain it. The last spell ends with the
    log, so that schedules have different last ends."""

    ram: float = 1024.0
    """MiB for each CPU, median over users. The example's nodes have six times that, so that
    mostly processors are short, and RAM only at times."""

    requests: WalltimeRequests = CAMPUS
    """The walltimes that users ask for."""

    @property
    def zero(self) -> int:
        """Unix time of the log's second 0."""
        return int(self.start.timestamp())

    @property
    def timezone(self) -> str:
        """Name of the time zone in which users keep their hours."""
        return str(self.start.tzinfo)


EXAMPLE = CampusModel()
"""The model of the bundled example."""

EXAMPLE_SEED = 26
"""The seed of the bundled example."""
