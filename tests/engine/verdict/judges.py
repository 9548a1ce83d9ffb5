"""Judges of claims: each decides from the columns of schedules and of the log whether a claim holds.

They share nothing with the code under test but its data types, and count job by job in plain Python.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.claims.claim import Claim, Relation, Unit
from engine.claims.waits import GroupRelation
from engine.machine.power import power_of
from engine.schedule.schedule import Decision
from engine.simulation.log_buffer import MOST_ROWS
from tests.engine.verdict.comparing import COMPARING
from tests.engine.verdict.grouping import judge_group
from tests.engine.verdict.reporting import REPORTING, known_use, used_part
from tests.engine.verdict.seen import Numbers, Seen


def judge(claim: Claim, runs: Sequence[Seen]) -> bool:
    """Whether a claim holds of these runs, which are numbered as in its places."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    own = runs[claim.subject.place.row]
    if isinstance(claim.relation, GroupRelation):
        return judge_group(claim, own)
    chosen = [place.row for place in claim.evidence if place.table == "jobs"]
    if chosen and claim.population.jobs == len(chosen):  # of these alone
        own = replace(own, jobs=chosen)
    if claim.relation in (Relation.BUSY, Relation.RAM_USED):  # of those whose use is known
        own = replace(own, jobs=known_use(own, claim.relation))
    submits = [int(own.schedule.trace.submit[job]) for job in own.jobs]
    people = claim.population
    ends = min(submits, default=0), max(submits, default=0)
    if (people.jobs, people.begin, people.end) != (len(submits), *ends):
        return False
    return JUDGES[claim.relation](claim, said, own, runs)


def _late(own: Seen) -> dict[int, bool]:
    """Whether each job is late by a minute and a tenth of its runtime."""
    schedule = own.schedule
    runtime = (schedule.end - schedule.start).tolist()
    return {job: late >= 60 and 10 * late >= runtime[job] for job, late in own.lateness.items()}


def _mostly(values: Sequence[bool]) -> bool:
    return 2 * sum(values) > len(values)


def _in_months(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    late = _late(own)
    months: dict[int, dict[tuple[int, int], list[bool]]] = defaultdict(lambda: defaultdict(list))
    for job in own.jobs:
        months[own.user(job)][own.month(job)].append(late[job])
    chosen = {user for user, own in months.items() if _mostly([_mostly(jobs) for jobs in own.values()])}
    enough = len({own.month(job) for job in own.jobs}) >= 3
    return enough and _names_users(claim, said, chosen, len(months))


def _with_jobs(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    late = _late(own)
    jobs: dict[int, list[bool]] = defaultdict(list)
    for job in own.jobs:
        jobs[own.user(job)].append(late[job])
    chosen = {user for user, values in jobs.items() if _mostly(values)}
    few = len({own.month(job) for job in own.jobs}) < 3
    return few and _names_users(claim, said, chosen, len(jobs))


def _names_users(claim: Claim, said: Numbers, chosen: set[int], users: int) -> bool:
    evidence = {place.row for place in claim.evidence if place.table == "users"}
    return (said["late users"], said["users"], evidence) == (len(chosen), users, chosen)


def _worst(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    (user,) = claim.about
    total = own.by_user
    code = user.place.row
    late = {job: late for job, late in own.lateness.items() if own.user(job) == code}
    latest = claim.quantity("lateness").place
    return (
        total[code] == max(total.values()) > 0
        and abs(said["lateness"] - total[code] / len(late)) < 1e-6
        and latest is not None
        and late[latest.row] == max(late.values())
        and user.name == f"user {own.schedule.trace.user.names[code]}"
    )


def _nobody_late(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not any(own.lateness.values()) and said["users"] == len({own.user(job) for job in own.jobs})


def _nobody_waits(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not own.waits and said["jobs"] == len(own.jobs)


def _waits_for(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Whether a share of all waits, in %, is between what is surely of this kind and what can be."""
    waits, kind = own.causes, claim.relation
    sure = sum(seconds for kinds, seconds in waits.items() if kinds == {kind})
    most = sum(seconds for kinds, seconds in waits.items() if kind in kinds)
    seconds = said["share"] / 100 * sum(waits.values())
    return most > 0 and sure - 1e-6 <= seconds <= most + 1e-6


LIMITS = (
    "max_user_jobs",
    "max_user_cpus",
    "max_queue_cpus",
    "queue_limits",
    "queue_nodes",
    "power_cap",
    "power_off",
    "price_below",
)


def _keys(own: Seen) -> set[str]:
    """The limits in the spelling of a policy that is no site."""
    return {key for key in LIMITS if f"{key}=" in own.schedule.policy.spelling}


def _comparable(own: Seen, runs: Sequence[Seen]) -> list[Seen]:
    """The other simulated runs that obey the limits of a run."""
    return [
        run for run in runs if run is not own and run.schedule.policy.simulated and _keys(own) <= _keys(run)
    ]


def _less_without(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Another run saves so much, but obeys less than is named, and no run that obeys it saves as much."""
    (run,) = (each for each in claim.about if each.role == "run")
    (limits,) = (each for each in claim.about if each.role == "limits")
    before, after = (sum(each.by_user.values()) for each in (own, runs[run.place.row]))
    within = [sum(each.by_user.values()) for each in _comparable(own, runs)]
    least = said.get("least", 0.0)
    return (
        set(limits.name.split(" and ")) == _keys(own) - _keys(runs[run.place.row]) != set()
        and abs(said["less"] - 100 * (1 - after / before)) < 1e-6
        and after < before
        and all(100 * total > (100 - least) * before - 1e-6 for total in within)
    )


def _least_without(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    (limits,) = claim.about
    missing = [_keys(run) - _keys(own) for run in runs]
    return set(limits.name.split(" and ")) in missing and _least(claim, said, own, runs)


def _helps(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    (named,) = claim.about
    other, before, after = runs[named.place.row], own.by_user, runs[named.place.row].by_user
    # The sum over users decides which run helps most; the claim then tells about the worst-served user.
    saved = 100 * (1 - sum(after.values()) / sum(before.values()))
    totals = [sum(run.by_user.values()) for run in _comparable(own, runs)]
    true = sum(after.values()) == min(totals) and abs(said["less"] - saved) < 1e-6
    if claim.relation is Relation.HELPS_LITTLE or not true:
        return true and 0 < saved < 5 and other is not own
    users = [user for user, late in before.items() if late == max(before.values())]
    jobs = Counter(own.user(job) for job in own.jobs)
    if claim.relation is Relation.HELPS_WHOLLY:
        return saved >= 5 and any(after[user] == 0 for user in users)
    relieves = claim.relation is Relation.HELPS
    return saved >= 5 and any(
        after[user] > 0
        and abs(said["lateness"] - after[user] / jobs[user]) < 1e-6
        and (after[user] < before[user]) == relieves
        for user in users
    )


def _least(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return len(runs) > 1 and all(sum(run.by_user.values()) >= sum(own.by_user.values()) for run in runs)


def _change(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    other = _other(claim, own, runs)
    before, after = sum(own.by_user.values()), sum(other.by_user.values())
    totals = [sum(run.by_user.values()) for run in _comparable(own, runs)]
    submits = [int(own.schedule.submit[job]) for job in own.jobs]
    # Twelve weeks tell gains from noise: the best run may then not be sure.
    weeks = len({(submit - min(submits)) // (7 * 86_400) for submit in submits})
    best, unsure = after == min(totals), claim.relation is Relation.NO_SURE_CHANGE
    stands = best and weeks >= 12 and _half_in_weeks(said, own) if unsure else best or weeks >= 12
    return stands and abs(said["less"] - 100 * (1 - after / before)) < 1e-6 and said["less"] >= 5


def _half_in_weeks(said: Numbers, own: Seen) -> bool:
    """So many weeks of submission have half of all lateness, and no fewer do."""
    first = min(int(own.schedule.submit[job]) for job in own.jobs)
    late: Counter[int] = Counter()
    for job in own.jobs:
        late[(int(own.schedule.submit[job]) - first) // (7 * 86_400)] += own.lateness[job]
    few, largest = int(said["few"]), sorted(late.values(), reverse=True)
    return (
        said["weeks"] == len(late)
        and 2 * sum(largest[:few]) >= late.total()
        and 2 * sum(largest[: few - 1]) < late.total()
    )


def _no_run_within(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not _comparable(own, runs) and said["less"] >= 5 and _less_without(claim, said, own, runs)


def _no_change(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    before = sum(own.by_user.values())
    totals = [sum(run.by_user.values()) for run in _comparable(own, runs)]
    return bool(totals) and said["least"] == 5 and all(100 * total > 95 * before - 1e-6 for total in totals)


def _other(claim: Claim, own: Seen, runs: Sequence[Seen]) -> Seen:
    """The run that the change is to: that of a run's place which is not the subject's."""
    places = [*claim.evidence, *(quantity.place for quantity in claim.quantities)]
    rows = {place.row for place in places if place is not None and place.table == "runs"}
    (row,) = rows - {claim.subject.place.row}
    return runs[row]


def _brings(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    other = _other(claim, own, runs)
    jobs = len(own.jobs)
    before, after = own.waited, other.waited
    means = abs(said["before"] - before / jobs) < 1e-6 and abs(said["after"] - after / jobs) < 1e-6
    if said["jobs"] != jobs or not means:
        return False
    if claim.relation is Relation.NO_SURE_WAITING:
        submits = [int(own.schedule.submit[job]) for job in own.jobs]
        return len({(submit - min(submits)) // (7 * 86_400) for submit in submits}) >= 12
    less = claim.relation is Relation.LESS_WAITING
    return (after <= before) == less and _is_time(claim, "days", abs(before - after))


def _is_time(claim: Claim, name: str, seconds: int) -> bool:
    """Whether a time, in days or below a day in s, is of so many s."""
    quantity = claim.quantity(name)
    days = quantity.unit is Unit.DAYS
    return days == (seconds >= 86_400) and abs(quantity.value * (86_400 if days else 1) - seconds) < 1e-3


def _idle(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    before, after = (run.asked_idle / 3600 for run in (own, _other(claim, own, runs)))
    return (
        (after < before) == (claim.relation is Relation.LESS_IDLE)
        and after != before
        and abs(said["before"] - before) < 1e-6
        and abs(said["after"] - after) < 1e-6
    )


def _use(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """The used parts of both runs, which read alike, to a tenth of a per cent, or do not."""
    before, after = (100 * used_part(run) for run in (own, _other(claim, own, runs)))
    if claim.relation is Relation.USED_ALIKE:
        return abs(said["used"] - before) < 1e-6 and abs(before - after) < 0.1001
    return abs(said["before"] - before) < 1e-6 and abs(said["after"] - after) < 1e-6 and before != after


def _energy(own: Seen) -> tuple[float, int]:
    """The energy of a pool whose processors draw alike, in kWh, and the time in which it is taken, s."""
    schedule = own.schedule
    model = power_of(schedule.cluster)
    assert model is not None
    (node,) = model.groups
    begin = min(int(schedule.submit[job]) for job in own.jobs)
    end = max(int(schedule.end[job]) for job in own.jobs)
    busy = sum(
        int(schedule.procs[job]) * max(min(int(schedule.end[job]), end) - max(int(start), begin), 0)
        for job, start in enumerate(schedule.start.tolist())
        if start >= 0
    )
    joules = node.idle_w * schedule.cluster.cpus * (end - begin) + node.core_w * busy
    return joules / 3.6e6, end - begin


def _takes_energy(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    (before, time), (after, _) = (_energy(run) for run in (own, _other(claim, own, runs)))
    if claim.relation is Relation.ENERGY_A_MONTH:
        return time >= 30 * 86_400 and _near(said["by"], abs(after - before) * 30 * 86_400 / time)
    small = 100 * abs(after - before) < before
    if claim.relation is Relation.ENERGY_ALIKE:
        return small and _near(said["after"], after)
    less = claim.relation is Relation.LESS_ENERGY
    return (
        not small
        and _near(said["before"], before)
        and _near(said["after"], after)
        and (after < before) == less
    )


def _near(value: float, other: float) -> bool:
    return abs(value - other) <= 1e-6 * max(1.0, abs(other))


def _nobody_pays(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return any(
        not [more for more in _longer(own, other).values() if more > 0]
        and said["gaining"] == sum(more < 0 for more in _longer(own, other).values())
        for other in runs
        if other is not own
    )


def _some_pay(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """Held against each run that may be the other: the users name none."""
    return any(_pay_by(claim, said, own, other) for other in runs if other is not own)


def _pay_by(claim: Claim, said: Numbers, own: Seen, other: Seen) -> bool:
    longer = _longer(own, other)
    paying = {user: more for user, more in longer.items() if more > 0}
    (user,) = claim.about
    code = user.place.row
    one = claim.relation is Relation.ONE_PAYS
    # Waits of the named user's jobs under both runs, summed here and not taken from the claim.
    jobs = [job for job in own.jobs if own.user(job) == code]
    waits = [
        sum(int(run.schedule.start[job]) - int(run.schedule.submit[job]) for job in jobs)
        for run in (own, other)
    ]
    return (
        {place.row for place in claim.evidence} == set(paying)
        and one == (len(paying) == 1)
        and (one or (said["paying"] == len(paying) and _is_time(claim, "all", sum(paying.values()))))
        and said["users"] == len(longer)
        and said["gaining"] == sum(more < 0 for more in longer.values())
        and longer[code] == max(longer.values())
        and _is_time(claim, "longer", longer[code])
        and abs(said["before"] * len(jobs) - waits[0]) < 1e-3
        and abs(said["after"] * len(jobs) - waits[1]) < 1e-3
    )


def _longest_rises(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """The longest waits of both runs, of which the later is one of the named user."""
    (user,) = claim.about
    before, after = int(said["before"]), int(said["after"])
    # The longest wait of each run, with its job: ties go to the larger index.
    longest = [
        max((int(run.schedule.start[job]) - int(run.schedule.submit[job]), job) for job in own.jobs)
        for run in runs
    ]
    place = claim.quantity("after").place
    assert place is not None
    return (
        longest[claim.subject.place.row][0] == before
        and after - before >= 3600
        and 10 * (after - before) >= before
        and own.user(place.row) == user.place.row
        and any(
            wait == after == int(run.schedule.start[place.row]) - int(run.schedule.submit[place.row])
            for run, (wait, _) in zip(runs, longest, strict=True)
        )
    )


def _longer(own: Seen, other: Seen) -> Counter[int]:
    """By how much each user waits longer in all under another run, s."""
    longer: Counter[int] = Counter({own.user(job): 0 for job in own.jobs})
    for job in own.jobs:
        longer[own.user(job)] += int(other.schedule.start[job]) - int(own.schedule.start[job])
    return longer


def _untold(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return not own.schedule.policy.simulated and not _named_reasons(own)


def _reasons_named(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """How many measured jobs waited, and of how many of these the log names a reason."""
    schedule = own.schedule
    waited = sum(schedule.start[job] > schedule.submit[job] for job in own.jobs)
    return (said["named"], said["waited"]) == (_named_reasons(own), waited) and said["named"] > 0


def _named_reasons(own: Seen) -> int:
    schedule, reason = own.schedule, own.schedule.trace.reason
    if reason is None or schedule.policy.spelling != "recorded":
        return 0
    words = (
        reason.names[reason.codes[job]] for job in own.jobs if schedule.start[job] > schedule.submit[job]
    )
    return sum(word.lower() not in ("", "none", "unknown", "n/a") for word in words)


def _not_kept(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    return own.schedule.policy.simulated and not len(own.schedule.log.time) and own.waited > 0


def _reasons_full(claim: Claim, said: Numbers, own: Seen, runs: Sequence[Seen]) -> bool:
    """The time after the last row of jobs that have as many as a log keeps of one, by the rows of the log."""
    log = own.schedule.log
    rows: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for time, job, kind in zip(log.time.tolist(), log.job.tolist(), log.kind.tolist(), strict=True):
        rows[job].append((time, kind))
    seconds = 0
    for job in own.jobs:
        full = [time for time, kind in rows[job] if kind == Decision.UNTOLD]
        if full and len(rows[job]) >= MOST_ROWS:
            seconds += int(own.schedule.start[job]) - full[0]
    return seconds > 0 and abs(said["share"] / 100 * own.waited - seconds) < 1e-3


JUDGES: dict[Relation, Callable[[Claim, Numbers, Seen, Sequence[Seen]], bool]] = {
    Relation.LATE_IN_MONTHS: _in_months,
    Relation.LATE_WITH_JOBS: _with_jobs,
    Relation.WORST_USER: _worst,
    Relation.NOBODY_LATE: _nobody_late,
    Relation.NOBODY_WAITS: _nobody_waits,
    Relation.WAITS_PASSED_BY_NOBODY: _waits_for,
    Relation.WAITS_BEHIND: _waits_for,
    Relation.WAITS_FOR_NODES: _waits_for,
    Relation.WAITS_BESIDE_SITE_RESERVATIONS: _waits_for,
    Relation.WAITS_NOT_ELIGIBLE: _waits_for,
    Relation.WAITS_UNTOLD: _reasons_full,
    Relation.REASONS_NOT_KEPT: _not_kept,
    Relation.WAITS_FOR_PROCESSORS: _waits_for,
    Relation.WAITS_FOR_RAM: _waits_for,
    Relation.WAITS_FOR_RESOURCES: _waits_for,
    Relation.WAITS_FOR_POWER: _waits_for,
    Relation.WAITS_FOR_PRICE: _waits_for,
    Relation.WAITS_FOR_PLACE: _waits_for,
    Relation.WAITS_FOR_RESERVATIONS: _waits_for,
    Relation.WAITS_FOR_LIMITS: _waits_for,
    Relation.WAITS_UNTRIED: _waits_for,
    Relation.WAITS_RUN_AGAIN: _waits_for,
    Relation.WAITS_FOR_PASS: _waits_for,
    Relation.HELPS: _helps,
    Relation.HELPS_WHOLLY: _helps,
    Relation.HELPS_OTHERS: _helps,
    Relation.HELPS_LITTLE: _helps,
    Relation.LESS_WITHOUT: _less_without,
    Relation.LEAST_LATE: _least,
    Relation.LEAST_WITHOUT: _least_without,
    Relation.REASONS_NOT_RECORDED: _untold,
    Relation.REASONS_NAMED: _reasons_named,
    Relation.CHANGE: _change,
    Relation.CHANGE_OF_REAL: _change,
    Relation.NO_CHANGE: _no_change,
    Relation.NO_CHANGE_WITHIN: _less_without,
    Relation.NO_SURE_CHANGE: _change,
    Relation.LESS_WAITING: _brings,
    Relation.MORE_WAITING: _brings,
    Relation.NO_SURE_WAITING: _brings,
    Relation.LESS_IDLE: _idle,
    Relation.MORE_IDLE: _idle,
    Relation.LESS_ENERGY: _takes_energy,
    Relation.MORE_ENERGY: _takes_energy,
    Relation.ENERGY_ALIKE: _takes_energy,
    Relation.ENERGY_A_MONTH: _takes_energy,
    Relation.USED_ALIKE: _use,
    Relation.USED_OTHERWISE: _use,
    Relation.NO_RUN_WITHIN: _no_run_within,
    Relation.NOBODY_PAYS: _nobody_pays,
    Relation.ONE_PAYS: _some_pay,
    Relation.SOME_PAY: _some_pay,
    Relation.LONGEST_WAIT_RISES: _longest_rises,
    **COMPARING,
    **REPORTING,
}
"""The judge of each kind."""


def agrees(text: str, value: float, unit: Unit) -> bool:
    """Whether a shown number is its quantity, as far as its last digit or smaller unit tells."""
    bounds = {"under 0.01 %": 0 < value < 0.01, "over 99.99 %": 99.99 < value < 100}
    if text in bounds:
        return bounds[text]
    words = text.replace("\u202f", "").replace("\u00a0", " ").split()
    if unit is Unit.FROM_NOW:
        if words == ["now"]:
            return value < 60
        return words[0] == "in" and agrees(" ".join(words[1:]), value, Unit.ROUGH)
    if unit is Unit.ROUGH:  # cut off after the minute, or the hour
        sizes = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
        shown = sum(int(n) * sizes[u] for n, u in zip(words[::2], words[1::2], strict=True))
        return 0 <= value - shown < (1 if value < 60 else 60 if value < 36_000 else 3600)
    if unit is Unit.TIMES and text in ("never", "once"):
        return value == (text == "once")
    if unit is Unit.SECONDS_IN_FULL:
        sizes = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
        return sum(float(n) * sizes[u] for n, u in zip(words[::2], words[1::2], strict=True)) == value
    if unit is Unit.SECONDS:
        sizes = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
        shown = sum(float(n) * sizes[u] for n, u in zip(words[::2], words[1::2], strict=True))
        return abs(shown - value) <= max(1.0, sizes[words[-1]]) * (1.0 if len(words) > 2 else 0.51)
    if unit is Unit.MEASURED:
        return abs(float(words[0]) - value) <= 0.5001 * 10.0 ** -len(words[0].partition(".")[2])
    if unit is Unit.LOWER:
        sign = {"lower": -1, "higher": 1}.get(words[-1], 0)
        return abs(float(words[0]) - abs(value)) <= 0.05001 and (sign * value > 0 or abs(value) <= 0.05001)
    if unit in (Unit.CHANGE, Unit.CORRELATION, Unit.HOURS):
        number = text.replace("\u202f", "").replace("\u2212", "-").split()[0]
        if unit is Unit.HOURS and 0 < value < 0.1:
            return number == "0.1"  # the least that is shown
        return abs(float(number) - value) <= 0.5001 * 10.0 ** -len(number.partition(".")[2])
    if unit is Unit.KWH:
        return abs(float(words[0]) * {"kWh": 1, "MWh": 1000}[words[1]] - value) <= (
            0.0501 * {"kWh": 1, "MWh": 1000}[words[1]]
        )
    if unit is Unit.SCORE:  # three digits
        return abs(float(words[0].replace("\u2212", "-")) - value) <= 0.0051 * abs(value)
    if unit is Unit.MIB and words[1] == "GiB":
        return abs(1024 * float(words[0]) - value) <= 52
    text = text.removesuffix(" processor-hours").removesuffix(" days")
    if text == "none":
        return value == 0
    digits = len(words[0].partition(".")[2])
    return abs(float(words[0]) - value) <= 0.5001 * 10.0**-digits
