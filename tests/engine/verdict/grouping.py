"""Judges of claims on the waits of groups of jobs: sums over starts and submissions, job by job."""

from collections import Counter, defaultdict

from engine.claims.claim import Claim, Relation, Sure, Unit
from engine.claims.waits import GroupRelation
from engine.trace import Trace
from tests.engine.verdict.causes import causes
from tests.engine.verdict.seen import Numbers, Seen
from tests.engine.verdict.site_causes import PASS

DAY = 86_400

KINDS = {
    GroupRelation.RESOURCES: {
        *(Relation.WAITS_FOR_PROCESSORS, Relation.WAITS_FOR_RAM),
        *(Relation.WAITS_FOR_RESOURCES, Relation.WAITS_FOR_PLACE, Relation.WAITS_FOR_POWER),
    },
    GroupRelation.PRIORITY: {Relation.WAITS_PASSED_BY_NOBODY},
    GroupRelation.LIMITS: {Relation.WAITS_FOR_LIMITS},
    GroupRelation.LIMIT: {Relation.WAITS_FOR_LIMITS},
    GroupRelation.RESERVATIONS: {Relation.WAITS_FOR_RESERVATIONS},
    GroupRelation.NOT_REACHED: {Relation.WAITS_UNTRIED},
    GroupRelation.STOPPED_RUNS: {Relation.WAITS_RUN_AGAIN},
    GroupRelation.NEXT_PASS: {Relation.WAITS_FOR_PASS},
}
"""What may be said of single waits, for each kind of a policy that is simulated."""


def judge_group(claim: Claim, own: Seen) -> bool:
    """Whether a claim about the users, partitions or accounts that wait holds."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    trace = own.schedule.trace
    (group,) = (each for each in claim.about if each.role == "group")
    field, _, name = group.name.partition(" ")
    if field == "no":  # jobs without an account, say
        field, name = name, "-1"
    column = {"user": trace.user, "partition": trace.queue, "account": trace.group}[field]
    wait = {job: int(own.schedule.start[job]) - int(own.schedule.submit[job]) for job in own.jobs}
    sums: Counter[str] = Counter()
    jobs: dict[str, list[int]] = defaultdict(list)
    for job, seconds in wait.items():
        if seconds > 0:
            sums[column.names[column.codes[job]]] += seconds
            jobs[column.names[column.codes[job]]].append(job)
    submits = [int(trace.submit[job]) for job in jobs[name]]
    size = DAY if claim.quantity("all").unit is Unit.DAYS else 1
    # Of the limits of a site the largest is named, which makes up a half of that time at least.
    least = 2.5 if claim.relation in OF_SITE else 5
    people = claim.population
    return (
        (people.jobs, people.begin, people.end) == (len(submits), min(submits), max(submits))
        and _near(said["all"] * size, sums[name])
        and _near(said["part"], 100 * sums[name] / sum(sums.values()))
        and _share(claim, said, own, jobs[name])
        and (sums[name] == max(sums.values()) or said["share"] * said["part"] >= 100 * least - 1e-6)
    )


def is_judged(claim: Claim, own: Seen) -> bool:
    """Whether there is a judge: of sites with limits only of what they name, and of holds."""
    return own.schedule.policy.site is None or claim.relation in (*OF_SITE, GroupRelation.HELD)


def _share(claim: Claim, said: Numbers, own: Seen, jobs: list[int]) -> bool:
    """Whether the share of the group's waiting lies between what is surely and what may be of the kind."""
    # What the claim says in seconds, to be compared with sums of seconds.
    seconds = said["share"] / 100 * said["all"] * (DAY if claim.quantity("all").unit is Unit.DAYS else 1)
    if claim.sure is Sure.INFERRED:
        return own.schedule.policy.recorded and _seems(claim, seconds, own, jobs)
    assert isinstance(claim.relation, GroupRelation)
    # A site's reason is seen at passes only, hence a range instead of a number.
    if claim.relation in OF_SITE:
        least, most = _at_limit(claim, said, own, jobs)
        return least - 1e-3 <= seconds <= most + 1e-3
    if claim.relation is GroupRelation.HELD:
        held = [
            (int(own.schedule.start[job]) - int(own.schedule.submit[job]), int(own.schedule.trace.held[job]))
            for job in jobs
        ]
        least, most = (sum(min(wait, until + more) for wait, until in held if until) for more in (0, PASS))
        return least - 1e-3 <= seconds <= most + 1e-3
    kinds, found = KINDS[claim.relation], causes(own.schedule, jobs)
    # A reason is sure where nothing else would explain it, and possible where it would.
    least = sum(spent for each, spent in found.items() if each <= kinds)
    most = sum(spent for each, spent in found.items() if each & kinds)
    return least - 1e-3 <= seconds <= most + 1e-3


OF_SITE = {
    GroupRelation.LIMIT_OF_JOBS: {"jobs": ("grpjobs", "maxjobs")},
    GroupRelation.LIMIT_OF_AMOUNT: {
        **dict.fromkeys(("CPU", "CPUs"), ("grptres cpu",)),
        **dict.fromkeys(("GPU", "GPUs"), ("grptres gres/gpu",)),
    },
    GroupRelation.LIMIT_OF_TIME: {"CPU minutes": ("grptresrunmins cpu",)},
}
"""The keys of associations that say a limit, by the words of what is limited."""


def _at_limit(claim: Claim, said: Numbers, own: Seen, jobs: list[int]) -> tuple[float, float]:
    """How long these jobs of a site wait at the limit that is named, at least and at most, s.

    A reason stands until the next pass. Beside other reasons none of the time need be told so.
    """
    schedule, named = own.schedule, {each.role: each.name for each in claim.about}
    assert schedule.policy.site is not None
    assert isinstance(claim.relation, GroupRelation)
    # The limits as the site has them, by the owner's name in words.
    keys = OF_SITE[claim.relation][named.get("resource", "jobs")]
    limits = {
        f"user {each.user} of account {each.account}" if each.user else f"account {each.account}": {
            key if "=" not in value else f"{key} {value.partition('=')[0]}": value.rpartition("=")[2]
            for key, value in each.limits
        }
        for each in schedule.policy.site.associations
    }
    most = [value for key, value in limits[named["owner"]].items() if key in keys]
    # The number that is told must be that of the site; an empty range refutes any share.
    if most != [f"{said['most']:.0f}"]:
        return 1.0, 0.0
    members = [job for job in range(len(schedule.trace)) if _is_of(named["owner"], schedule.trace, job)]
    over = [_seconds_over(claim.relation, int(most[0]), own, members, job, keys[0]) for job in jobs]
    # If all jobs fit beside each other, the limit is the only reason, and all of the time is sure.
    wide = sum(int(schedule.procs[job]) for job in range(len(schedule.trace))) > schedule.cluster.cpus
    return 0.0 if wide else sum(sure for sure, _ in over), sum(possible for _, possible in over)


def _is_of(owner: str, trace: Trace, job: int) -> bool:
    """Whether a job counts towards the limits of an owner, such as `user ann of account physics`."""
    account, user = (names.names[names.codes[job]] for names in (trace.group, trace.user))
    return owner in (f"account {account}", f"user {user} of account {account}")


def _seconds_over(
    relation: GroupRelation, most: int, own: Seen, members: list[int], job: int, key: str
) -> tuple[int, int]:
    """For how long a job would exceed a limit beside those of its owner that run; and with a pass more."""
    if job not in members:
        return 0, 0
    schedule, trace = own.schedule, own.schedule.trace
    starts, ends, limit = (each.tolist() for each in (schedule.start, schedule.end, trace.walltime))
    cpus = schedule.procs.tolist()
    gpus = [0] * len(cpus) if trace.gpus is None else trace.gpus.tolist()
    amount = gpus if key == "grptres gres/gpu" else cpus
    eligible = int(schedule.submit[job]) + (0 if trace.held is None else int(trace.held[job]))
    sure, stands, possible = 0, -1, 0
    for now in range(int(schedule.submit[job]), starts[job]):
        there = [other for other in members if other != job and starts[other] <= now < ends[other]]
        if relation is GroupRelation.LIMIT_OF_JOBS:
            exceeds = may_exceed = len(there) + 1 > most
        elif relation is GroupRelation.LIMIT_OF_AMOUNT:
            exceeds = may_exceed = sum(amount[other] for other in (*there, job)) > most
        else:
            # Time limits are whole minutes, and what running jobs have left is told from time to time.
            taken = [cpus[other] * 60 * -(-limit[other] // 60) for other in (*there, job)]
            used = sum(cpus[other] * (now - starts[other] + 60) for other in there)
            exceeds, may_exceed = sum(taken) - used > 60 * most, sum(taken) > 60 * most
        sure += exceeds and now >= eligible  # a hold goes first
        stands = now + PASS if may_exceed else stands
        possible += now < stands
    # Until the first pass has looked at it, and from the last second on, nothing need be told.
    return max(0, sure - PASS), possible


BARS = {GroupRelation.HELD, GroupRelation.DEPENDENCIES}
WORDS = {
    "Dependency": GroupRelation.DEPENDENCIES,
    "BeginTime": GroupRelation.HELD,
    "JobHeldUser": GroupRelation.HELD,
    "AssocGrpCpuLimit": GroupRelation.LIMITS,
    "Priority": GroupRelation.PRIORITY,
    "Resources": GroupRelation.RESOURCES,
    "None": GroupRelation.NOT_KNOWN,
}
"""What reasons of Slurm in a log mean."""


def _seems(claim: Claim, seconds: float, own: Seen, jobs: list[int]) -> bool:
    """Of a recorded schedule on a pool: what the log says, whether too little was idle, or nothing known."""
    schedule, least, most = own.schedule, 0, 0
    if not schedule.cluster.pooled:
        return True
    reason = schedule.trace.reason
    # What the log says of the reason and what was idle may both explain a second.
    for job in jobs:
        word = "None" if reason is None else reason.names[reason.codes[job]]
        follows = int(schedule.trace.preceding[job]) > 0
        bar = GroupRelation.DEPENDENCIES if follows else GroupRelation.HELD
        kinds = {
            "told": WORDS[word] if WORDS[word] in BARS else bar,
            "processors": GroupRelation.RESOURCES,
            "ram": GroupRelation.RESOURCES,
            "nothing": WORDS[word],
        }
        for seems, spent in Seen(schedule, own.capacity, [job]).seems.items():
            may_be = {kinds[each] for each in seems}
            # Sure is what has one explanation, possible what has this one among others.
            least += spent if may_be == {claim.relation} else 0
            most += spent if claim.relation in may_be else 0
    return least - 1e-3 <= seconds <= most + 1e-3


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6 * max(1.0, abs(other))
