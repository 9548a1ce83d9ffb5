"""Words of claims: one function renders them all, and the text keeps which part says which quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from string import Formatter

from engine.claims.claim import Claim, Named, Place, Quantity, Relation, Sure, Unit
from engine.shown_values import duration, hours, signed_percent
from engine.words import format_count, plural


@dataclass(frozen=True)
class Span:
    """A part of a rendered text, and what it says: a quantity, a thing, or neither."""

    text: str
    says: Quantity | Named | None = None

    @property
    def place(self) -> Place | None:
        """Where it is seen."""
        return None if self.says is None else self.says.place


FINE = 10
"""Days and processor-hours below this number are shown with a decimal."""

SENTENCES: dict[Relation, str] = {
    Relation.LATE_IN_MONTHS: "{late users} of {users} {late users:is|are} late in most months",
    Relation.LATE_WITH_JOBS: "{late users} of {users} {late users:is|are} late with most jobs",
    Relation.WORST_USER: "worst {user}, late by {lateness} on average",
    Relation.NOBODY_LATE: "no job of {users} ends late",
    Relation.WAITS_PASSED_BY_NOBODY: "{share} of waiting is behind a job nobody may pass",
    Relation.WAITS_BEHIND: "{share} of waiting is behind jobs ahead in the queue",
    Relation.WAITS_FOR_PROCESSORS: "{share} of waiting is for processors in use",
    Relation.WAITS_FOR_RAM: "{share} of waiting is for RAM in use",
    Relation.WAITS_FOR_PLACE: "{share} of waiting is for a place: what is free is scattered",
    Relation.WAITS_FOR_RESERVATIONS: "{share} of waiting is beside processors kept for reservations",
    Relation.WAITS_FOR_LIMITS: "{share} of waiting is by limits of the policy",
    Relation.WAITS_UNTRIED: "{share} of waiting is since passes try only some jobs",
    Relation.WAITS_FOR_NODES: "{share} of waiting is for nodes or resources in use",
    Relation.WAITS_BESIDE_SITE_RESERVATIONS: "{share} of waiting is by reservations of the site",
    Relation.WAITS_NOT_ELIGIBLE: "{share} of waiting is by begin times, holds or dependencies",
    Relation.WAITS_RUN_AGAIN: "{share} of waiting is runs that were cut short",
    Relation.WAITS_FOR_PASS: "{share} of waiting is for the next pass",
    Relation.WAITS_UNTOLD: "{share} of waiting has reasons that were not kept",
    Relation.NOBODY_WAITS: "no job of {jobs} waits",
    Relation.REASONS_NOT_RECORDED: "the log does not tell why jobs waited",
    Relation.REASONS_NOT_KEPT: "the site's simulation does not tell why jobs wait",
    Relation.HELPS: "under {run}: by {lateness}, and {less} less over all users",
    Relation.HELPS_LITTLE: "under {run}: only {less} less over all users",
    Relation.LEAST_LATE: "no other run here has less lateness",
    Relation.MOVED: (
        "of {jobs} {earlier} {earlier:starts|start} earlier, {later} later, {same} at the same time"
    ),
    Relation.STAYED: "{jobs} {jobs:starts|start} at the same time in both runs",
    Relation.NOT_COMPARED: "{others} {others:is|are} not compared",
    Relation.NONE_COMPARED: "none of the matching jobs ran in both runs",
    Relation.ONE_GAINS: "{user} waits {most} less",
    Relation.SOME_GAIN: "{users} wait {all} less, {user} alone {most}",
    Relation.ONE_LOSES: "{user} waits {most} longer",
    Relation.SOME_LOSE: "{users} wait {all} longer, {user} alone {most}",
    Relation.BEYOND_NOISE: "{metric} {change} in the mean week, {per job} over all jobs: more than noise",
    Relation.WITHIN_NOISE: "{metric} {change} in the mean week, {per job} over all jobs: within noise",
    Relation.WITHIN_PHASES: (
        "{metric} {change} in the mean week, {per job} over all jobs: inside what the phases of slurmctld's "
        "loops change"
    ),
    Relation.TOO_FEW_WEEKS: (
        "{metric} {change} in the mean week, {per job} over all jobs: {weeks} of the {fewest} that it takes "
        "to tell this from noise"
    ),
    Relation.DEPENDENT_WEEKS: (
        "{metric} {change} in the mean week, {per job} over all jobs: cannot be told from noise, since "
        "{weeks} are too alike to count as more than {effective}"
    ),
    Relation.UNDER_A_WEEK: "the log spans {span}, less than a week: no weeks can be compared",
    Relation.NOTHING_TO_COMPARE: "there is nothing to compare week by week",
    Relation.LATE_JOBS: "{late} of {jobs} ({share}) {late:ends|end} late",
    Relation.SLIGHTLY_LATE: "{slight} of these by less than a minute or a tenth of their runtime",
    Relation.MOST_LATE_BY_QUEUE: "most of them in {group} ({share} of them, {own} of its {jobs})",
    Relation.MORE_LATE_BY_QUEUE: "the most of any queue in {group} ({share} of them, {own} of its {jobs})",
    Relation.MOST_LATE_BY_MONTH: "most of them in {group} ({share} of them, {own} of its {jobs})",
    Relation.MORE_LATE_BY_MONTH: "the most of any month in {group} ({share} of them, {own} of its {jobs})",
    Relation.CHANGE: (
        "what to change: run {run}{rule} instead of {base}; all jobs together are then {less} less late"
    ),
    Relation.CHANGE_OF_REAL: (
        "what to change: run {run}{rule} instead of what the machine did; in simulation, without downtime "
        "and holds that the log does not tell, all jobs together are {less} less late"
    ),
    Relation.NO_CHANGE: "nothing to change: no other of these runs makes all jobs together {least} less late",
    Relation.LESS_WAITING: (
        "what it brings: {days} less waiting in all, on average {after} instead of {before} for {jobs}; "
        "processors idle beside waiting jobs: {idle after} instead of {idle before}"
    ),
    Relation.MORE_WAITING: (
        "what it costs: {days} more waiting in all, on average {after} instead of {before} for {jobs}; "
        "processors idle beside waiting jobs: {idle after} instead of {idle before}"
    ),
    Relation.NOBODY_PAYS: "who pays: nobody waits longer in all, and {gaining} {gaining:waits|wait} less",
    Relation.SOME_PAY: (
        "who pays: {paying} of {users} {paying:waits|wait} longer in all, most of all {user} by {longer}; "
        "{gaining} {gaining:waits|wait} less"
    ),
}
"""The sentence of each kind, without digits of its own. `{name}` is a quantity or a thing of the claim,
`{name:is|are}` a word for one or for more of a quantity."""

_NOUNS = {Unit.JOBS: "job", Unit.USERS: "user", Unit.WEEKS: "week", Unit.PROCESSORS: "processor"}


def shown(quantity: Quantity) -> str:
    """A quantity with its unit, as people read it."""
    value, unit = quantity.value, quantity.unit
    if unit is Unit.SECONDS:
        return duration(value)
    if unit is Unit.PERCENT:
        return _percent(value)
    if unit in _FINER:
        return _FINER[unit](value)
    if unit in (Unit.DAYS, Unit.PROCESSOR_HOURS):
        return f"{format_count(value) if value >= FINE or not value else f'{value:.1f}'} {unit}"
    if unit is Unit.NUMBER:
        return format_count(value) if value else "none"
    return plural(round(value), _NOUNS[unit])


def _percent(value: float, digits: int = 0) -> str:
    """Percents, but finer next to 0 and 100, which are said of nothing and all alone."""
    if value in (0.0, 100.0) or 1 <= value * 10**digits < 100 * 10**digits - 1:
        return f"{value:.{digits}f} %"
    return f"{min(max(value, 0.01), 99.99):.2f} %"


def _tenths(value: float) -> str:
    return _percent(value, 1)


def _correlation(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _hours(value: float) -> str:
    return hours(3600 * value)


_FINER: dict[Unit, Callable[[float], str]] = {
    Unit.TENTHS: _tenths,
    Unit.CHANGE: signed_percent,
    Unit.CORRELATION: _correlation,
    Unit.HOURS: _hours,
}


def render(claim: Claim) -> tuple[Span, ...]:
    """The claim in words, without its subject. Digits are in spans that say a quantity or name a thing."""
    parts: dict[str, Quantity | Named] = {quantity.name: quantity for quantity in claim.quantities}
    parts |= {named.role: named for named in claim.about}
    spans = [Span("in simulation ")] if claim.sure is Sure.SIMULATED else []
    for literal, name, choice, _ in Formatter().parse(SENTENCES[claim.relation]):
        if literal:
            spans.append(Span(literal))
        if name is not None:
            spans.append(_span(parts[name], choice or ""))
    return tuple(spans)


def _span(part: Quantity | Named, choice: str) -> Span:
    if isinstance(part, Named):
        return Span(part.name, part)
    if choice:
        one, more = choice.split("|")
        return Span(one if part.value <= 1 else more)
    return Span(shown(part), part)


def line(claims: Iterable[Claim]) -> tuple[Span, ...]:
    """Claims about one subject in a line: its name, then what is said of it."""
    claims = tuple(claims)
    return tuple(_line(claims)) if claims else ()


def _line(claims: tuple[Claim, ...]) -> Iterator[Span]:
    subject = claims[0].subject
    yield Span(subject.name, subject)
    between = ": "
    for claim in claims:
        yield Span(between)
        yield from render(claim)
        between = "; "


def sentence(claim: Claim) -> tuple[Span, ...]:
    """The claim as a sentence of its own."""
    spans = render(claim)
    return replace(spans[0], text=spans[0].text[:1].upper() + spans[0].text[1:]), *spans[1:], Span(".")


def plain(spans: Iterable[Span]) -> str:
    """The text alone."""
    return "".join(span.text for span in spans)
