"""The simulator written down slowly: everything is worked out anew at every event, from the definitions."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.machine.cluster import Cluster
from engine.machine.power import power_of
from engine.policy.policy import Policy
from engine.trace import Trace
from tests.engine.estimate.naive import NaivePredictor
from tests.engine.simulation.naive_credits import NaiveCredits
from tests.engine.simulation.naive_fair import fair_start
from tests.engine.simulation.naive_hours import NaiveHours, idle_power
from tests.engine.simulation.naive_kept import move_forward, plan, plan_all_anew, pull_forward, start_planned
from tests.engine.simulation.naive_machine import (
    Hold,
    Job,
    Piece,
    by_reliability,
    free_over,
    largest_first,
    nodes_for_queue,
    nodes_for_words,
    nodes_of,
    nodes_with_features,
    outage,
    partition,
    place,
    tasks_of,
    whole_tasks,
)
from tests.engine.simulation.naive_order import expected_ends
from tests.engine.simulation.naive_pass import Pass, limit_of_queue
from tests.engine.simulation.naive_search import Searched, improve
from tests.engine.simulation.naive_switching import NaiveSwitching
from tests.engine.simulation.naive_tuner import NaiveTuner

STOPPED = -1
"""Instead of a decision on a job: the job was stopped."""

Row = tuple[int, int, int, int]  # now, job, Decision or STOPPED, value


class NaiveSimulation:
    """Runs a trace; afterwards `jobs` hold their starts and pieces, the lists at the end what was decided."""

    def __init__(
        self,
        trace: Trace,
        cluster: Cluster,
        policy: Policy,
        fair_starts: bool = False,
        fair_by: str = "estimate",
    ) -> None:
        self.trace, self.cluster, self.policy = trace, cluster, policy
        self.fair_starts, self.fair_by = fair_starts, fair_by
        self.believing = False  # in a fork: every job runs as long as is believed, nothing is learned
        self.machine = nodes_of(cluster)
        learns = str(policy.estimate).startswith(("last2", "hierarchy", "survival", "linear"))
        self.predictor = NaivePredictor(trace, str(policy.estimate)) if learns else None
        self.hours = NaiveHours(self)
        self.switching = NaiveSwitching(self)
        self.power_room = self._power_room()  # W that a cap on power leaves to jobs; None: there is none
        self.jobs = [self._job(number) for number in range(len(trace))]
        self.todo = [job for job in self.jobs if not self.never_starts(job)]
        self.first = self.todo[0].submit if self.todo else 0  # times of checks and passes count from here
        self.tuner = NaiveTuner(self)
        self.credits = NaiveCredits(self)
        self.queue: list[Job] = []  # in order of submission
        self.running: list[Job] = []  # in order of start
        self.ended: list[Job] = []
        self.outages = self.coming_failures()
        self.failures = self.outages  # that are still to come, in order of time, then of nodes
        self.down: list[Hold] = []
        self.stopped: list[Job] = []  # as they ran
        self.given_up: list[Job] = []
        self.random = policy.seed % (2**31 - 2) + 1
        self.next_search = -1
        self.searches: list[Searched] = []
        self.taught: list[
            tuple[int, int, int]
        ] = []  # of jobs that ended: user, runtime, and what was believed
        self.unsearched = False  # whether the plan is another than a search left it that found no more
        self.now = self.first  # the second that was simulated last
        self.overran = False  # whether a job outlived its estimate in that second
        self.by_clock = False  # whether the clock alone may have let a job start in it
        self.passes: list[int] = []
        asks = any(word in str(policy) for word in ("slack", "violated", "tardiness", "fair_slowdown"))
        self.eet = expected_ends(self) if asks else []
        self.reserved: list[tuple[int, int, int]] = []  # now, job, promised start
        self.passed: list[tuple[int, int, int]] = []  # now, job, whom it passed
        self.reasons: list[Row] = []  # of every waiting job at every pass

    def _job(self, j: int) -> Job:
        trace = self.trace
        tasks = tasks_of(trace, j, len(self.machine[0]))
        # All that the job holds at its tasks' own sizes; where it takes whole nodes it holds more than that
        # below.
        given = tuple(sum(count * need[k] for count, need in tasks) for k in range(len(self.machine[0])))
        whole = whole_tasks(trace, j, tasks, self.machine)
        tasks = whole or tasks
        # A contiguous allocation is one group of whole nodes: how many, follows from the sum over all tasks.
        if self.policy.placement == "contiguous":
            least = sum(count for count, _ in whole or ())
            needed = [
                (1, tuple(min(a, sum(count * need[k] for count, need in tasks)) for k, a in enumerate(given)))
            ]
            size = partition(needed, self.machine, self.policy.partitions, least)
            tasks, given = [(size, self.machine[0])], ()
        nodes = nodes_for_queue(
            self.cluster, self.policy.queue_nodes.as_dict().get(trace.queue.names[trace.queue.codes[j]])
        )
        # Groups of tasks may name nodes or features of their own, so each has its own list of nodes.
        words = self._constraints(j)
        job = Job(
            number=j,
            submit=int(trace.submit[j]),
            runtime=int(trace.runtime[j]),
            walltime=int(trace.walltime[j]),
            waits_since=int(trace.submit[j]),
            procs=min([sum(count * need[0] for count, need in tasks), *given[:1]]),
            ram=int(trace.ram[j]),
            user=int(trace.user.codes[j]),
            queue=int(trace.queue.codes[j]),
            tasks=tasks,
            nodes=[
                nodes_with_features(self.cluster, features, nodes_for_words(self.cluster, text, nodes))
                for text, features in zip(words or [""] * len(tasks), self._features(j), strict=False)
            ],
            turn=largest_first(tasks, self.machine),
            own=self._own_nodes(j),
            aligned=bool(self.policy.partitions),
            whole=self.machine if whole or any(text.endswith("#excl") for text in words) else None,
            given=given,
        )
        job.power = self._power(job)
        # A predictor that learns is asked at the submission, when it knows more than now.
        if self.predictor is None:
            job.estimate = job.first_estimate = self.estimate(job)
        return job

    def _power_room(self) -> float | None:
        model, cap = power_of(self.trace.cluster), self.policy.power_cap
        if cap is None:
            return None
        assert model is not None
        return (math.inf if cap == "series" else 1000 * cap) - idle_power(self.cluster, model)

    def _power(self, job: Job) -> float:
        """What the job takes at most above idle nodes: who takes whole nodes may take the largest ones."""
        if self.power_room is None:
            return 0.0
        model = power_of(self.trace.cluster)
        assert model is not None
        watts = [model.groups[0].core_w, 0.0, model.groups[0].gpu_w]
        whole = sum(count for count, _ in job.tasks) if job.whole else 0
        most = [max(node[k] for node in self.machine) for k in range(len(self.machine[0]))]
        return sum(w * max(job.total(k), whole * most[k]) for k, w in enumerate(watts[: len(most)]))

    def placed(self, job: Job, taken: list[Hold], begin: int, end: int) -> list[Piece] | None:
        """Where the job can be from `begin` to `end` beside what is taken, under the cap at each second."""
        # What is taken changes only where a hold begins, so the cap is checked there and at the begin; ends
        # free power.
        times = {begin} | {hold.begin for hold in taken if begin < hold.begin < end}
        times |= {time for time in self.hours.cap_changes(begin) if time < end}
        for time in times if self.power_room is not None else ():
            held = sum(hold.job.power for hold in taken if hold.begin <= time < hold.end)
            if held + job.power > self.hours.room_at(time):
                return None
        return place(job, free_over(self.machine, taken, begin, end), self.placement)

    def _own_nodes(self, j: int) -> list[int]:
        """The nodes on which a job ran by the log, if it is the log's machine."""
        recorded = self.trace.recorded_nodes
        if recorded is None or self.cluster != self.trace.cluster:
            return []
        return sorted(set(recorded["node"][recorded.offset[j] : recorded.offset[j + 1]].tolist()))

    def coming_failures(self) -> list[Hold]:
        """What is down already when the first job comes fails then."""
        if not len(self.trace):
            return []
        table, first = self.cluster.outages(self.trace.submit), self.first
        rows = zip(table.node.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
        spans = sorted((max(start, first), node, end) for node, start, end in rows if end > first)
        return [outage(self.machine, node, start, end) for start, node, end in spans]

    def _constraints(self, j: int) -> list[str]:
        """What is said of the nodes of each group of tasks; nothing on a pool."""
        tasks = self.trace.tasks
        if not self.policy.constraints or len(self.machine) == 1 or "constraint" not in tasks.columns:
            return []
        rows = slice(tasks.offset[j], tasks.offset[j + 1])
        return [self.trace.constraints[number] for number in tasks["constraint"][rows]]

    def _features(self, j: int) -> list[str]:
        """What each group of tasks asks of the features of nodes."""
        tasks = self.trace.tasks
        rows = slice(tasks.offset[j], tasks.offset[j + 1])
        if "feature" not in tasks.columns:
            return [""] * len(tasks["count"][rows])
        return [self.trace.features[number] for number in tasks["feature"][rows]]

    def estimate(self, job: Job) -> int:
        """What the scheduler believes now that the job will run for."""
        if self.predictor is not None:
            return self.predictor.predict(job.number)
        if str(self.policy.estimate) == "actual":
            return job.runtime
        if str(self.policy.estimate) == "requested":
            return job.walltime
        return max(1, math.floor(float(str(self.policy.estimate).removeprefix("scaled")) * job.runtime + 0.5))

    def never_starts(self, job: Job) -> bool:
        """Whether the empty machine cannot hold the job, or a limit alone is too small for it."""
        limits = (self.policy.max_user_cpus, self.policy.max_queue_cpus, limit_of_queue(self, job))
        if any(limit is not None and job.procs > limit for limit in limits):
            return True
        if self.power_room is not None and not self.hours.ever_admit(job):
            return True
        return place(job, self.machine, self.placement) is None

    @property
    def placement(self) -> str | list[int]:
        """How nodes are chosen; where it is by reliability, in what order."""
        # Before the first failure is known, which is while jobs are made, reliability orders nothing.
        if self.switching.on and hasattr(self, "now"):
            return self.switching.order()
        if self.policy.placement != "reliable" or not hasattr(self, "failures"):
            return self.policy.placement if self.policy.placement != "reliable" else "first"
        begun = [hold for hold in self.outages if hold not in self.failures]
        return by_reliability(len(self.machine), begun, self.first, self.now)

    @property
    def keeps(self) -> bool:
        return self.policy.depth == "kept"

    @property
    def searching(self) -> bool:
        """Whether there is something to search now."""
        return self.keeps and self.policy.search != "none" and len(self.queue) > 1

    def simulate(self) -> list[int]:
        """Starts of all jobs, -1 for those that can never start or are given up."""
        while self.todo or self.running or self.queue:
            self.one_second(self.next_event())
        return [job.start for job in self.jobs]

    def next_event(self) -> int:
        # The next second in which anything can happen; all others would change nothing.
        times = [job.submit for job in self.todo] + [job.end for job in self.running]
        times += [job.slot.begin for job in self.queue if job.slot is not None]
        times += [hold.begin for hold in self.failures[:1]] + [hold.end for hold in self.down]
        times += [self.next_search] if self.next_search >= 0 else []
        times += self.hours.ahead()
        if self.queue and self.policy.pass_every is not None:
            every = self.policy.pass_every
            # Passes at an interval are counted from the first submission, whether earlier ones were made or
            # not.
            times.append(self.first + ((self.now - self.first) // every + 1) * every)
        return min([*times, *([] if self.believing else self.tuner.next_checks())])

    def one_second(self, now: int) -> None:
        self.by_clock = now in self.hours.ahead()
        self.now = now
        self.overran = self.overrun(now)
        if self.overran and self.keeps:
            plan_all_anew(self, now)
        arrived = self.submit(now)
        self.end_and_start(now, arrived)

    def overrun(self, now: int) -> bool:
        """Estimates that are used up grow, but for jobs that end this very second."""
        moved = False
        for job in self.running:
            # A job that ends in this very second was not too short: its end comes later in the second.
            if now - job.start >= job.estimate and job.end != now:
                moved = True
                # The walltime is believed next; where that is used up too, one more second each time.
                job.estimate = job.walltime
                if now - job.start >= job.estimate:
                    job.estimate = now - job.start + 1
        return moved

    def submit(self, now: int) -> list[Job]:
        arrived: list[Job] = []
        for job in [job for job in self.todo if job.submit == now]:
            self.todo.remove(job)
            self.queue.append(job)
            arrived.append(job)
            if self.predictor is not None:
                self.predictor.submitted(job.number, now)
                job.estimate = job.first_estimate = self.estimate(job)
            # With a kept plan a job has its slot as soon as it comes; else a pass decides.
            if self.keeps:
                plan(self, job, now)
            # Fair starts see the jobs that came in this second before this one, and none later.
            if self.fair_starts:
                job.fair_start = fair_start(self, job, now, arrived)
        return arrived

    def end_and_start(self, now: int, arrived: list[Job]) -> None:
        """The rest of a second, from its ends on."""
        ending = [job for job in self.running if job.end == now]
        # Ends are looked at before nodes that come back or fail, and both before the pass.
        triggered = bool(ending) or self.admits(arrived, now)
        for job in ending:
            self.running.remove(job)
            self.ended.append(job)
            if not self.believing:
                self.taught.append((job.user, job.runtime, self.rest(job, job.first_estimate)))
            if self.predictor is not None and not self.believing:
                self.predictor.ended(job.number, job.start - job.done, now)  # as if it had run in one
            self.unsearched = True
            if self.searching and job.expected - now >= self.policy.search_every:
                self.next_search = now
            # Under the rule of the earliest gap an end always moves jobs; else only one that came before it
            # was believed.
            if self.keeps and (self.policy.gap == "earliest" or job.expected > now):
                move_forward(self, now)
        changed = self.repair_and_fail(now)
        triggered |= changed
        triggered |= self.by_clock
        freed = bool(ending) or changed or self.overran
        # The tuner changes values that the pass of this second already uses.
        if not self.believing and now in self.tuner.next_checks():
            self.tuner.check(now)
            triggered = True
        if self.keeps:
            # A search that found nothing is not repeated while the plan is the same.
            if self.next_search == now and self.unsearched:
                over = improve(self, now)
                move_forward(self, now)
                self.unsearched = not over
                freed = True
            if freed and self.policy.gap == "best":
                pull_forward(self, now)
            start_planned(self, now)
            every = self.policy.search_every
            # The next search comes at a multiple of the interval, if there is anything to search by then.
            self.next_search = -1
            if self.searching:
                self.next_search = self.first + ((now - self.first) // every + 1) * every
            return
        # With an interval, passes come then only, whatever happens in between.
        if self.policy.pass_every is not None:
            triggered = bool(self.queue) and self.at_interval(now)
        if triggered:
            self.passes.append(now)
            self.estimate_anew()
            Pass(self, now).sweep()

    def repair_and_fail(self, now: int) -> bool:
        """Nodes come back, then nodes fail; whether any did."""
        back = [hold for hold in self.down if hold.end == now]
        self.down = [hold for hold in self.down if hold.end != now]
        failing = [hold for hold in self.failures if hold.begin == now]
        self.failures = [hold for hold in self.failures if hold.begin != now]
        for hold in failing:
            ((node, _),) = hold.pieces
            for job in [job for job in self.running if node in dict(job.pieces)]:
                self.stop(job, now)
            self.down.append(hold)
        # Plans used the nodes that are down now.
        if failing and self.keeps:
            plan_all_anew(self, now)
        return bool(back or failing)

    def stop(self, job: Job, now: int, by: int = -1) -> None:
        """The job no longer runs, and waits as if it never had."""
        self.running.remove(job)
        # The run up to the failure is kept with its true length; the job itself goes on with what is left.
        self.stopped.append(replace(job, runtime=now - job.start, stopped_by=by))
        self.reasons.append((now, job.number, STOPPED, 0))
        self.reserved.append((now, job.number, STOPPED))
        if self.predictor is not None and not self.believing:
            self.predictor.stopped(job.number)
        # With checkpoints, what ran is done: the walltime shrinks with it, but by its definition never to
        # nothing.
        if self.policy.on_failure == "continue":
            job.done += now - job.start
            job.runtime -= now - job.start
            job.walltime = max(int(self.trace.walltime[job.number]) - job.done, 1)
        job.start, job.pieces, job.waits_since = -1, [], now
        job.estimate = self.rest(job, job.first_estimate)
        most = 0 if self.policy.on_failure == "lose" else self.policy.max_restarts
        # One stop more than restarts are allowed gives the job up.
        failed = sum(run.number == job.number and run.stopped_by < 0 for run in self.stopped)
        if by < 0 and failed > most:
            self.given_up.append(job)
            return
        # It waits at its old place in order of submission, as if it had never started.
        self.queue.append(job)
        self.queue.sort(key=lambda item: item.number)

    def rest(self, job: Job, whole: int) -> int:
        """What is left of an estimate of the whole job; where the job ran for longer, what is left of L."""
        return whole - job.done if whole > job.done else job.walltime

    def admits(self, arrived: list[Job], now: int) -> bool:
        """Whether these submissions, by themselves, have a pass made."""
        if not self.policy.gate:
            return bool(arrived)
        busy = sum(hold.job.procs for hold in self.holds(now))
        return any(job.procs <= sum(node[0] for node in self.machine) - busy for job in arrived)

    def at_interval(self, now: int) -> bool:
        """Whether it is a second at which passes are made that come at an interval."""
        assert self.policy.pass_every is not None
        return (now - self.first) % self.policy.pass_every == 0

    def estimate_anew(self) -> None:
        if self.predictor is not None and not self.policy.estimate_once:
            for job in self.queue:
                job.estimate = self.rest(job, self.estimate(job))

    def begin(self, job: Job, now: int, pieces: list[Piece]) -> None:
        start = self.switching.take(job, pieces, now)
        job.start, job.pieces, job.slot, job.bound = start, pieces, None, None
        job.held = self.credits.present(job)
        self.queue.remove(job)
        self.running.append(job)
        self.credits.pay(job)
        if self.believing and self.fair_by == "estimate":
            job.runtime = job.estimate
        elif not self.believing and self.predictor is not None:
            self.predictor.started(job.number, now)

    def holds(self, now: int) -> list[Hold]:
        """What running jobs are expected to hold from now on, and nodes that are down."""
        took = self.switching.took
        running = [Hold(took[job.number], job.expected, tuple(job.pieces), job) for job in self.running]
        return [hold for hold in running + self.down if hold.end > now]
