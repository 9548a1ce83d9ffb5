"""Jobs and limits of the slow twin of a site's schedulers."""

from __future__ import annotations

from dataclasses import dataclass, field

END = 10**9


@dataclass(eq=False)
class Job:
    """A job of `tasks` tasks of `need` CPUs, at most `most` of them on a node; times in ticks.

    It takes as many `nodes` as it wants, if so many have room, and runs `inside` a closed time. Jobs of
    higher grades may preempt it: it runs on for its `grace` then, and is queued again or cancelled.
    """

    submit: int
    runtime: int
    limit: int
    tasks: int
    need: int
    most: int
    owner: int = 0
    user: int = 0
    account: int = 0
    free: bool = False  # counts towards the limits of its owner, which do not hold it back
    follows: int | None = None  # the job at whose end, and `think` ticks after it, it is submitted
    think: int = 0
    inside: int | None = None
    grade: int = 0
    requeues: bool = False
    grace: int = 0
    nodes: tuple[int, int, int] = (1, 1, END)  # that it takes at least, if it can, and at most
    start: int | None = None
    took: int = 0  # nodes of its run before
    on: dict[int, int] = field(default_factory=dict)
    since: int = -END  # when it last preempted others
    came: int | None = None  # when it was first submitted
    ends_for: Job | None = None  # who preempts it, and when it ends for that
    cut: int = END
    until: int = END  # when its grace is over
    lost: int = 0  # ticks that it ran in vain
    latest: int = END  # the check of time limits after its closed time
    stops: int = 0  # how often failures have stopped it
    gone: bool = False  # given up after that

    def runs(self, time: int) -> bool:
        """Whether it holds its nodes at this tick."""
        return self.start is not None and self.start <= time < self.end

    @property
    def end(self) -> int:
        """When its run ends."""
        assert self.start is not None
        return min(self.cut, self.latest, self.start + self.runtime)

    @property
    def limit_end(self) -> int:
        """When its run ends by its limit."""
        assert self.start is not None
        return min(self.cut, self.until, self.start + self.limit)


@dataclass(frozen=True)
class Limits:
    """Jobs, CPUs and nodes that each owner may have, and nodes that are closed: (first, last, nodes).

    `work` are CPUs times ticks that all jobs of an owner may have taken; where that is `safe`, as many are
    set aside for what runs as its limits say. `ahead` are those that what runs may take by its limits. Nodes
    that have `failed`, (first, last, node), stop their jobs, which run again for so many `restarts`.
    """

    jobs: dict[int, int]
    cpus: dict[int, int]
    closed: list[tuple[int, int, set[int]]]
    work: dict[int, int] = field(default_factory=dict)
    safe: int = 0
    ahead: dict[int, int] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    failed: list[tuple[int, int, int]] = field(default_factory=list)
    restarts: int = 0

    def allow(self, job: Job, jobs: list[Job], time: int, on: dict[int, int] | None = None) -> bool:
        """Whether a job may start beside those of its owner, on the nodes that it would be on if known."""
        if job.free:
            return True
        all_own = [each_job for each_job in jobs if each_job.owner == job.owner]
        own = [member for member in all_own if member.runs(time)]
        cpus = sum(member.tasks * member.need for member in [job, *own])
        # Nodes are known once it is placed; before that those of its last run, or its least.
        nodes = sum(len(member.on) for member in own) + (len(on) if on else job.took or job.nodes[0])
        # What ended before, in vain or not, counts as work; with `safe` also what runs may still take.
        spent = sum(member.tasks * member.need * member.lost for member in all_own)
        for member in all_own:
            if member.start is not None and member.end <= time:
                spent += member.tasks * member.need * (member.end - member.start)
        ahead = sum(member.tasks * member.need * (member.limit_end - (member.start or 0)) for member in own)
        ahead += job.tasks * job.need * job.limit
        most = self.work.get(job.owner, END * END)
        return (
            len(own) < self.jobs.get(job.owner, END)
            and cpus <= self.cpus.get(job.owner, END)
            and nodes <= self.nodes.get(job.owner, END)
            and spent < most
            and not (self.safe and spent + ahead > most)
            and ahead <= self.ahead.get(job.owner, END * END)
        )

    def in_time(self, job: Job, start: int) -> bool:
        """Whether a job that starts then does so during its closed time, if it has one."""
        if job.inside is None:
            return True
        first, last, _ = self.closed[job.inside]
        return first <= start < last

    def usable(self, job: Job, nodes: int, held: list[tuple[int, int, set[int]]], time: int) -> list[bool]:
        """The nodes of its own closed time, if it has one, that are not held while it would run from then.

        What is `held` begins with the closed times.
        """
        usable = [job.inside is None or node in self.closed[job.inside][2] for node in range(nodes)]
        for number, (first, last, who) in enumerate(held):
            if number != job.inside and last > time and first <= time + job.limit:
                usable = [ok and node not in who for node, ok in enumerate(usable)]
        return usable
