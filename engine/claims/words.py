"""Words of claims: one function renders them all, and the text keeps which part says which quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from string import Formatter

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Sure, Unit
from engine.claims.holds import HOLD_SENTENCES
from engine.claims.inferred_claims import INFERRED_SENTENCES
from engine.claims.job_claims import LOGGED_SENTENCES
from engine.claims.logs import LOG_SENTENCES
from engine.claims.phases import PHASE_SENTENCES
from engine.claims.refusals import REFUSAL_SENTENCES
from engine.claims.rules import RULES_SENTENCES
from engine.claims.searches import SEARCH_SENTENCES
from engine.claims.spans import SPAN_SENTENCES
from engine.claims.starts import START_SENTENCES
from engine.claims.studies import FINDING_SENTENCES
from engine.claims.twins import TWIN_SENTENCES
from engine.claims.waits import GROUP_SENTENCES, WAIT_SENTENCES
from engine.shown_values import (
    duration,
    format_mib,
    from_now,
    hours,
    how_often,
    rough_duration,
    signed_percent,
)
from engine.words import format_count, plural, spaced_thousands


@dataclass(frozen=True)
class TextSpan:
    """A part of a rendered text, and what it says: a quantity, a thing, or neither."""

    text: str
    says: ClaimQuantity | NamedThing | None = None

    @property
    def place(self) -> ClaimPlace | None:
        """Where it is seen."""
        return None if self.says is None else self.says.place


BETWEEN = "; "
"""What stands between two claims of a line."""

THIS_USER = "this user"
"""What sentences call a user that an earlier claim of their line names."""

LATE = "A job is late if it ends later than it would if its user had only the expected share of the machine."
LATE_MEANS = (
    f"{LATE} Users are counted by jobs that are late by at least a minute and a tenth of their runtime: a "
    "month of a user is late if most of the user's jobs submitted in it are. The worst user is the one with "
    "the most lateness in all, given as the average over all of the user's jobs."
)
"""What sentences call late, in short and with what is counted."""

FINE = 10
"""Days and processor-hours below this number are shown with a decimal."""

_MWH_FROM = 10_000
"""Energies of so many kWh and more are shown in MWh."""

_LATENESS = "the lateness of all jobs together"
_MEANS = "on average {after} instead of {before} ({jobs})"
_IDLE = " time on this log: {after} instead of {before}"
_NOISE = "{metrics:the change|the changes} of the {metrics} {metrics:is|are} "
_LATE_IN = " {group} ({share} of them, {own} of its {jobs})"

SENTENCES: dict[StrEnum, str] = {
    Relation.LATE_IN_MONTHS: "{late users} of {users} {late users:is|are} late in most months",
    Relation.LATE_WITH_JOBS: "{late users} of {users} {late users:is|are} late with most jobs",
    Relation.WORST_USER: "worst {user}, late by {lateness} on average",
    Relation.NOBODY_LATE: "no job of {users} ends late",
    Relation.WAITS_PASSED_BY_NOBODY: "{share} of {waiting} is behind a job that no other may pass",
    Relation.WAITS_BEHIND: "{share} of {waiting} is behind jobs ahead in the queue",
    Relation.WAITS_FOR_PROCESSORS: "{share} of {waiting} is for processors in use",
    Relation.WAITS_FOR_RAM: "{share} of {waiting} is for RAM in use",
    Relation.WAITS_FOR_RESOURCES: "{share} of {waiting} is for GPUs or other resources in use",
    Relation.WAITS_FOR_POWER: "{share} of {waiting} is by the cap on power",
    Relation.WAITS_FOR_PRICE: "{share} of {waiting} is for cheap energy",
    Relation.WAITS_FOR_PLACE: "{share} of {waiting} is while enough is free, but scattered",
    Relation.WAITS_FOR_RESERVATIONS: "{share} of {waiting} is beside processors kept for reservations",
    Relation.WAITS_FOR_LIMITS: "{share} of {waiting} is by limits on what may run at once",
    Relation.WAITS_UNTRIED: "{share} of {waiting} is because a pass tries only some jobs",
    Relation.WAITS_FOR_NODES: "{share} of {waiting} is for nodes in use",
    Relation.WAITS_BESIDE_SITE_RESERVATIONS: "{share} of {waiting} is by reservations of the site",
    Relation.WAITS_NOT_ELIGIBLE: "{share} of {waiting} is by begin times, holds or dependencies",
    Relation.WAITS_RUN_AGAIN: "{share} of {waiting} is spent in runs that were cut short",
    Relation.WAITS_FOR_PASS: "{share} of {waiting} is for the next pass",
    Relation.WAITS_UNTOLD: "{share} of waiting has reasons that were not kept",
    Relation.NOBODY_WAITS: "no job waits ({jobs})",
    Relation.REASONS_NOT_RECORDED: "the log does not tell why jobs waited",
    Relation.REASONS_NAMED: (
        "the log names a reason for {named} of {waited} that waited, but not for how long it held them"
    ),
    Relation.REASONS_NOT_KEPT: "this run was simulated without keeping why jobs wait",
    Relation.HELPS: f"under {{run}} {THIS_USER} is late by {{lateness}}, with {{less}} less lateness in all",
    Relation.HELPS_WHOLLY: f"under {{run}} {THIS_USER} is not late, with {{less}} less lateness in all",
    Relation.HELPS_OTHERS: (
        f"{{run}} has {{less}} less lateness in all, but {THIS_USER} is late by {{lateness}}"
    ),
    Relation.HELPS_LITTLE: "{run} has only {less} less lateness in all",
    Relation.LESS_WITHOUT: "{run} has {less} less lateness in all, but is without {limits}",
    Relation.LEAST_LATE: "no other run here has less lateness",
    Relation.LEAST_WITHOUT: "no other run here has less lateness, but this one does not obey {limits}",
    Relation.MOVED: (
        "of {jobs} {earlier} {earlier:starts|start} earlier, {later} later, {same} at the same time"
    ),
    Relation.STAYED: "{jobs} {jobs:starts|start} at the same time in both runs",
    Relation.NOT_COMPARED: "{others} {others:is|are} not compared",
    Relation.GAVE_UP_ONE: "{job} is given up by {subject}, and {area} of its runs {area:is|are} lost",
    Relation.GAVE_UP_SOME: (
        "{jobs} {jobs:is|are} given up by {subject}, and {area} of their runs {area:is|are} lost: {which}"
    ),
    Relation.NONE_COMPARED: "none of the matching jobs ran in both runs",
    Relation.ONE_GAINS: "{user} waits {most} less",
    Relation.SOME_GAIN: "{users} wait {all} less, {user} alone {most}",
    Relation.ONE_LOSES: "{user} waits {most} longer",
    Relation.SOME_LOSE: "{users} wait {all} longer, {user} alone {most}",
    Relation.WEEKLY_CHANGE: "{metric} {change} in the mean week, {per job} over all jobs",
    Relation.BEYOND_NOISE: _NOISE + "more than noise",
    Relation.WITHIN_NOISE: _NOISE + "within noise",
    Relation.WITHIN_PHASES: _NOISE + "inside what the phases of slurmctld's loops change",
    Relation.TOO_UNEVEN: (
        "the {weeks} are too uneven to tell {metrics} from noise: even a doubling or a halving would not "
        "stand out"
    ),
    Relation.TOO_FEW_WEEKS: "{weeks} are too few to tell {metrics} from noise: it takes {fewest}",
    Relation.DEPENDENT_WEEKS: (
        "{metrics} cannot be told from noise: the {weeks} depend on each other so much that they count as "
        "only {effective}"
    ),
    Relation.UNDER_A_WEEK: "the log spans {span}, less than a week: no change can be told from noise",
    Relation.NOTHING_TO_COMPARE: "there is nothing to compare week by week",
    Relation.LATE_JOBS: "{late} of {jobs} ({share}) {late:ends|end} late",
    Relation.SLIGHTLY_LATE: "{slight} of these by less than a minute or a tenth of their runtime",
    Relation.MOST_LATE_BY_QUEUE: "most late jobs are in" + _LATE_IN,
    Relation.MORE_LATE_BY_QUEUE: "no queue has more late jobs than" + _LATE_IN,
    Relation.MOST_LATE_BY_MONTH: "most late jobs are in" + _LATE_IN,
    Relation.MORE_LATE_BY_MONTH: "no month has more late jobs than" + _LATE_IN,
    Relation.BEST: "best by {metrics}: {runs}{runs:|, which are equal}",
    Relation.ONE_ORDER: "all ranked metrics put the same run first",
    Relation.NO_ORDER: "all ranked metrics are the same for all runs",
    Relation.OPPOSED: (
        "no two metrics disagree more about the whole order than these (rank correlation {alike}): by "
        "{first} {first order}; by {second} {second order}"
    ),
    Relation.CHANCE_ORDER: (
        "the mean waits of {runs} differ by less than the phases of slurmctld's loops change: their order is "
        "chance"
    ),
    Relation.USED: "{used} of the machine's processor time was used",
    Relation.IDLE_ASKED: "{idle} was idle while waiting jobs asked for these processors",
    Relation.IDLE_FIT: (
        "{idle} was idle at times when a waiting job, neither held nor dependent, asked for no more than all "
        "that was idle then"
    ),
    Relation.IDLE_SCATTERED: "among this {idle} while no such job could be placed on the nodes",
    Relation.FAIR_STARTS_OF_SAMPLE: "fair starts are known of {known} of {jobs}, a sample drawn by a seed",
    Relation.PUT_OFF: (
        "{late} of {known} ({share}) {late:starts|start} later than if no later job had come, by {mean} on "
        "average and {most} at most"
    ),
    Relation.NEVER_PUT_OFF: "none of {known} starts later than if no later job had come",
    Relation.NONE_MEASURED: "no job is measured",
    Relation.LONGEST_WAITS: "the {longest} with the longest waits {longest:waits|wait} {mean} on average",
    Relation.LONGEST_ARE_WIDE: (
        "half of them ask for at least {width}, half of all jobs for at most {usual}"
    ),
    Relation.LONGEST_ARE_NARROW: (
        "half of them ask for at most {width}, half of all jobs for at least {usual}"
    ),
    Relation.LONGEST_ARE_USUAL: "half of them, as half of all jobs, ask for at most {width}",
    Relation.LOG_BARS: (
        "in {share} of {waiting} they were held, were not to begin yet or depended on other jobs, as "
        "the log says"
    ),
    Relation.SEEMS_SHORT: "in {share} of {waiting} too few processors seem to have been idle",
    Relation.SEEMS_SHORT_OF_RAM: "in {share} of {waiting} too little RAM seems to have been free",
    Relation.SEEMS_FREE: "in {share} of {waiting} enough seems to have been idle for them",
    Relation.RESERVED: (
        "{share} of the processor time that walltimes reserved was used; half of the jobs ran for at most "
        "{median} of their walltime"
    ),
    Relation.MOST_UNUSED: (
        "{user} left most unused: {unused}, {share} of what the walltimes of this user's {jobs} asked for"
    ),
    Relation.BUSY: "processors that jobs held were busy {share} of the time",
    Relation.RAM_USED: "of the RAM that jobs asked for, {share} was used at most at once",
    Relation.NO_WALLTIMES: "the log does not give the walltimes that jobs asked for",
    Relation.CHANGE: (
        "what to change: run {run}{rule} instead of {base}; " + _LATENESS + " is then {less} lower"
    ),
    Relation.CHANGE_OF_REAL: (
        "what to change: run {run}{rule} instead of what the machine did; in simulation, without downtime "
        "and holds that the log does not tell, " + _LATENESS + " is {less} lower"
    ),
    Relation.NO_CHANGE: (
        "nothing to change in {base}: under no other of these runs "
        + _LATENESS
        + " is at least {least} lower"
    ),
    Relation.NO_CHANGE_WITHIN: (
        "nothing to change: under no other of these runs with {limits} " + _LATENESS + " is at least {least} "
        "lower; under {run}, without {limits}, it is {less} lower"
    ),
    Relation.NO_RUN_WITHIN: (
        "nothing to advise: none of these runs is a change that keeps {limits}; under {run}, without "
        "{limits}, " + _LATENESS + " is {less} lower"
    ),
    Relation.NO_SURE_CHANGE: (
        "no change is sure: under {run} " + _LATENESS + " is {less} lower, but in the mean week this cannot "
        "be told from noise; at least half of all lateness under {base} is of jobs submitted in {few} of "
        "{weeks}"
    ),
    Relation.LESS_WAITING: "what it brings: jobs wait {days} less in all, " + _MEANS,
    Relation.MORE_WAITING: "what it costs: jobs wait {days} longer in all, " + _MEANS,
    Relation.NO_SURE_WAITING: "whether waits change is not sure: jobs wait " + _MEANS,
    Relation.LESS_IDLE: "while jobs wait for them, processors are idle for less" + _IDLE,
    Relation.MORE_IDLE: "while jobs wait for them, processors are idle for more" + _IDLE,
    Relation.USED_ALIKE: "{used} of the machine's processor time is used either way",
    Relation.USED_OTHERWISE: "{after} of the machine's processor time is used instead of {before}",
    Relation.LESS_ENERGY: "the machine takes less energy for this log: {after} instead of {before}",
    Relation.MORE_ENERGY: "the machine takes more energy for this log: {after} instead of {before}",
    Relation.ENERGY_ALIKE: "the machine takes as much energy for this log, within a hundredth: {after}",
    Relation.ENERGY_A_MONTH: "in thirty days this is {by}",
    Relation.NOBODY_PAYS: "who pays: nobody waits longer in all, and {gaining} {gaining:waits|wait} less",
    Relation.ONE_PAYS: (
        "who pays: of {users} only {user} waits longer, by {longer} in all, on average {after} a job "
        "instead of {before}; {gaining} {gaining:waits|wait} less"
    ),
    Relation.SOME_PAY: (
        "who pays: {paying} of {users} wait longer, by {all} in all, most of all {user} by {longer}, on "
        "average {after} a job instead of {before}; {gaining} {gaining:waits|wait} less"
    ),
    Relation.LONGEST_WAIT_RISES: ("the longest wait rises from {before} to {after}, for a job of {user}"),
    **WAIT_SENTENCES,
    **SEARCH_SENTENCES,
    **GROUP_SENTENCES,
    **FINDING_SENTENCES,
    **RULES_SENTENCES,
    **START_SENTENCES,
    **HOLD_SENTENCES,
    **TWIN_SENTENCES,
    **LOG_SENTENCES,
    **LOGGED_SENTENCES,
    **SPAN_SENTENCES,
    **REFUSAL_SENTENCES,
    **PHASE_SENTENCES,
    **INFERRED_SENTENCES,
}
"""The sentence of each kind, without digits of its own. `{name}` is a quantity or a thing of the claim,
`{subject}` its subject, `{name:is|are}` a word for one or for more of a quantity."""

_NOUNS = {
    Unit.JOBS: "job",
    Unit.USERS: "user",
    Unit.WEEKS: "week",
    Unit.PHASES: "phase",
    Unit.FURTHER_PAIRS: "further pair",
    Unit.PROCESSORS: "processor",
    Unit.PROCESSOR_SECONDS: "processor-second",
    Unit.CPUS: "CPU",
    Unit.NODES: "node",
    Unit.GPUS: "GPU",
    Unit.OTHER_JOBS: "other job",
    Unit.PREDICTIONS: "prediction",
    Unit.KEPT_PREDICTIONS: "kept prediction",
    Unit.INSTANTS: "instant",
    Unit.REPLAYS: "replay",
    Unit.ACCOUNTS: "account",
    Unit.QUEUES: "queue",
}


def shown(quantity: ClaimQuantity) -> str:
    """A quantity with its unit, as people read it."""
    value, unit = quantity.value, quantity.unit
    if unit is Unit.SECONDS:
        return duration(value)
    if unit is Unit.PERCENT:
        return _percent(value)
    # Units with a spelling of their own come first; what is left at the end is a number and a noun.
    if unit in _FINER:
        return _FINER[unit](value)
    if unit in (Unit.DAYS, Unit.PROCESSOR_HOURS):
        return f"{format_count(value) if value >= FINE or not value else f'{value:.1f}'} {unit}"
    if unit is Unit.MEASURED:
        return spaced_thousands(f"{value:,.{quantity.digits}f}")
    if unit is Unit.MIB:
        return format_mib(round(value))
    if unit is Unit.SCORE:
        return f"{value:.3g}".replace("-", "−")
    if unit is Unit.KWH:
        return spaced_thousands(f"{value / 1000:,.1f} MWh" if value >= _MWH_FROM else f"{value:,.1f} kWh")
    if unit is Unit.COUNT:
        return format_count(value)
    if unit is Unit.TIMES:
        return how_often(round(value))
    # “none” reads better than 0 within a sentence.
    if unit is Unit.NUMBER:
        return format_count(value) if value else "none"
    return plural(round(value), _NOUNS[unit])


def _percent(value: float, digits: int = 0) -> str:
    """Percents, but finer next to 0 and 100, which are said of nothing and all alone."""
    # A log may say that more was used than there is.
    if value == 0 or value >= 100 or 1 <= value * 10**digits < 100 * 10**digits - 1:
        return f"{value:.{digits}f} %"
    return f"{value:.2f} %" if 0.01 <= value <= 99.99 else "under 0.01 %" if value < 1 else "over 99.99 %"


def _tenths(value: float) -> str:
    return _percent(value, 1)


def _lower(value: float) -> str:
    """A change by its size and side, such as `8.6 % lower`, or `0.0 %`."""
    text = f"{abs(value):.1f}"
    return "0.0 %" if float(text) == 0.0 else f"{text} % {'higher' if value > 0 else 'lower'}"


def _correlation(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _hours(value: float) -> str:
    return hours(3600 * value)


def _rough(value: float) -> str:
    return rough_duration(round(value))


def _in_full(value: float) -> str:
    """A length of time to the second: bounds that a second exceeds read differently."""
    parts, rest = list[str](), round(value)
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        number, rest = divmod(rest, size)
        parts += [f"{format_count(number)} {unit}"] if number else []
    return " ".join(parts) or "0 s"


def _mib_in_full(value: float) -> str:
    return f"{format_count(value)} MiB"


def _from_now(value: float) -> str:
    return from_now(round(value))


_FINER: dict[Unit, Callable[[float], str]] = {
    Unit.TENTHS: _tenths,
    Unit.CHANGE: signed_percent,
    Unit.LOWER: _lower,
    Unit.CORRELATION: _correlation,
    Unit.HOURS: _hours,
    Unit.ROUGH: _rough,
    Unit.FROM_NOW: _from_now,
    Unit.SECONDS_IN_FULL: _in_full,
    Unit.MIB_IN_FULL: _mib_in_full,
}


_USUAL = {"waiting": "waiting"}
"""What a sentence names where its claim does not: the waiting of all jobs of the population."""


def render(claim: Claim) -> tuple[TextSpan, ...]:
    """The claim in words, most without its subject. Digits are in spans of quantities or names."""
    parts: dict[str, list[ClaimQuantity | NamedThing]] = {"subject": [claim.subject]}
    for quantity in claim.quantities:
        parts.setdefault(quantity.name, []).append(quantity)
    for named in claim.about:  # no quantity has the name of a role
        parts.setdefault(named.role, []).append(named)
    spans = [TextSpan("in simulation ")] if claim.sure is Sure.SIMULATED else []
    for literal, name, choice, _ in Formatter().parse(SENTENCES[claim.relation]):
        if literal:
            spans.append(TextSpan(literal))
        if name in parts:
            spans += _spans(parts[name], choice or "")
        elif name == "is":
            spans.append(TextSpan("seems to be" if claim.sure is Sure.INFERRED else "is"))
        elif name is not None:
            spans.append(TextSpan(_USUAL[name]))
    return tuple(spans)


def _spans(part: Sequence[ClaimQuantity | NamedThing], choice: str) -> Iterator[TextSpan]:
    """Quantities or names of things in a list, or a word for one or for more of either."""
    first, last = part[0], len(part) - 1
    if choice:
        one, more = choice.split("|")
        number = first.value if isinstance(first, ClaimQuantity) else len(part)
        yield TextSpan(one if number <= 1 else more)
        return
    for place, says in enumerate(part):
        if place:
            yield TextSpan(" and " if place == last and isinstance(says, NamedThing) else ", ")
        yield TextSpan(says.name if isinstance(says, NamedThing) else shown(says), says)


def reason(relation: Relation) -> str:
    """What waiting is for, by a claim on a share of it, for a table of shares."""
    return (
        SENTENCES[relation].removeprefix("{share} of {waiting} is ").replace("in {share} of {waiting} ", "")
    )


def together(claims: Iterable[Claim]) -> tuple[TextSpan, ...]:
    """Claims one after another, without their subject. What two of them begin with is said once."""
    spans, before = list[TextSpan](), tuple[TextSpan, ...]()
    for claim in claims:
        own = render(claim)
        alike = next((k for k, pair in enumerate(zip(own, before, strict=False)) if pair[0] != pair[1]), 0)
        whole = [k + 1 for k in range(alike) if own[k].text.endswith(BETWEEN)]
        spans += [TextSpan(BETWEEN)] if before else []
        spans += own[max(whole, default=0) :]
        before = own
    return tuple(spans)


def line(claims: Iterable[Claim]) -> tuple[TextSpan, ...]:
    """Claims about one subject in a line: its name, then what is said of it."""
    claims = tuple(claims)
    return tuple(_line(claims)) if claims else ()


def _line(claims: tuple[Claim, ...]) -> Iterator[TextSpan]:
    yield TextSpan(claims[0].subject.name, claims[0].subject)
    yield TextSpan(": ")
    yield from together(claims)


def sentence(*claims: Claim) -> tuple[TextSpan, ...]:
    """A claim as a sentence of its own, or at least one of them in one sentence, without their subject."""
    spans = together(claims)
    return replace(spans[0], text=spans[0].text[:1].upper() + spans[0].text[1:]), *spans[1:], TextSpan(".")


def plain(spans: Iterable[TextSpan]) -> str:
    """The text alone."""
    return "".join(span.text for span in spans)
