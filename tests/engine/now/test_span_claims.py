"""Claims on spans before judges that count the predictions themselves."""

from dataclasses import replace
from string import Formatter

import numpy as np
import pytest

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Unit
from engine.claims.spans import SPAN_SENTENCES, SpanRelation
from engine.claims.words import plain, render, sentence
from engine.machine.cluster import Cluster
from engine.now.calibration import Scored
from engine.now.log_spans import learned_of_replays, spans_of
from engine.now.schedule_spans import learn_schedule_spans
from engine.now.span_claims import coming_claim, doubt_claims, text_of
from engine.now.start_spread import Draws
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.verdict.drawn import DIGIT, check_words
from tests.traces import make_trace

DAY = 86_400
COVER = 0.8


def scored_log(seed: int, jobs: int = 400, together: int = 5) -> Scored:
    """Starts that are expected days ahead, all of the same distance; so many jobs wait at each instant."""
    random = np.random.default_rng(seed)
    expected = random.integers(DAY, 5 * DAY, jobs)
    late = np.rint(random.laplace(random.integers(-3600, 3600), 1800, jobs)).astype(np.int64)
    return Scored(
        instant=np.arange(jobs) // together, planned=expected + random.integers(0, DAY, jobs),
        expected=expected, early=expected - 600, late=expected + 600, started=expected + late, cover=COVER,
        job=np.arange(jobs), waited=np.full(jobs, -1),
    )  # fmt: skip


def quantile(values: list[int], share: float) -> float:
    """The value below which such a share lies, between the two nearest ones."""
    values, place = sorted(values), share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


Ends = list[tuple[float, float, float]]


def calibrated_on_others(scored: Scored, level: float, by_plan: bool, earlier: bool = False) -> Ends:
    """Begin, middle and end of each prediction, moved by how late starts of the four other fifths were.

    With `earlier` those of the last three fifths, by how late starts were in the fifths before each.
    """
    columns = (scored.instant, scored.planned, scored.expected, scored.early, scored.late, scored.started)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    # Fifths by the order of instants.
    fifth = [row[0] * 5 // (rows[-1][0] + 1) for row in rows]
    ends = []
    for own, (_, planned, expected, early, late, _) in zip(fifth, rows, strict=True):
        if earlier and own < 2:
            continue
        # What a prediction is moved by never comes from its own fifth, or not from later ones.
        others = [row for row, at in zip(rows, fifth, strict=True) if (at < own if earlier else at != own)]
        centres = (1, 1, 1) if by_plan else (3, 2, 4)
        begins = (planned, planned, planned) if by_plan else (early, expected, late)
        shares = ((1 - level) / 2, 0.5, (1 + level) / 2)
        moved = [
            max(0.0, begin + quantile([row[5] - row[centre] for row in others], share))
            for begin, centre, share in zip(begins, centres, shares, strict=True)
        ]
        # Begin, middle and end stay in their order.
        last = max(moved[0], moved[2])
        ends.append((moved[0], min(max(moved[1], moved[0]), last), last))
    return ends


def pinball(ends: Ends, started: list[int]) -> float:
    """The mean loss of begin, middle and end."""
    shares = ((1 - COVER) / 2, 0.5, (1 + COVER) / 2)
    return sum(
        max(q * (start - end), (q - 1) * (start - end))
        for row, start in zip(ends, started, strict=True)
        for q, end in zip(shares, row, strict=True)
    )


def held(ends: Ends, started: list[int]) -> float:
    """The share of starts between begin and end, in %."""
    return 100 * sum(a <= start <= b for (a, _, b), start in zip(ends, started, strict=True)) / len(started)


def held_least(ends: Ends, scored: Scored, whole: Scored) -> float:
    """The share between begin and end in the fifth of the whole time in which it is the lowest, in %."""
    fifths = (scored.instant * 5 // (int(whole.instant[-1]) + 1)).tolist()
    rows = list(zip(fifths, ends, scored.started.tolist(), strict=True))
    return min(
        held([end for own, end, _ in rows if own == fifth], [start for own, _, start in rows if own == fifth])
        for fifth in set(fifths)
    )


def holds(claim: Claim, scored: Scored) -> bool:
    """Whether what is said of a log's predictions is so."""
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    started: list[int] = scored.started.tolist()
    jobs = len(set(scored.job.tolist()))
    if claim.relation is SpanRelation.GAVE_FEW:
        # Of predictions of like jobs the instants are not apart: here either all jobs are others, or none.
        instants = len(set(scored.instant.tolist()))
        apart = instants if jobs == len(started) else 1
        bound = jobs if said["fewest"] == 20 else apart
        return bound < said["fewest"] and [said["predictions"], said["jobs"], said["apart"]] == [
            *(len(started), jobs, apart)
        ]
    if claim.relation not in (SpanRelation.CALIBRATED, SpanRelation.CALIBRATED_BEFORE):
        return False
    whole, earlier = scored, claim.relation is SpanRelation.CALIBRATED_BEFORE
    if earlier:
        scored = scored.take(scored.instant * 5 // (int(scored.instant[-1]) + 1) >= 2)
        started = scored.started.tolist()
    by_plan = pinball(calibrated_on_others(whole, COVER, True, earlier), started) < pinball(
        calibrated_on_others(whole, COVER, False, earlier), started
    )
    levels = [COVER + (1 - COVER) * step / 20 for step in range(20)]
    tried = (calibrated_on_others(whole, level, by_plan, earlier) for level in levels)
    ends = next(ends for ends in tried if held(ends, started) >= 100 * COVER)
    raw = list(zip(scored.early.tolist(), scored.expected.tolist(), scored.late.tolist(), strict=True))
    off = [abs(planned - start) for planned, start in zip(scored.planned.tolist(), started, strict=True)]
    return (
        said["predictions"] == len(started)
        and said["instants"] == len(set(scored.instant.tolist()))
        and said["held"] == pytest.approx(held(ends, started))
        and said["least"] == pytest.approx(held_least(ends, scored, whole))
        and said["raw"] == pytest.approx(held(raw, started))
        and said["planned off"] == pytest.approx(sum(off) / len(off), abs=0.51)
    )


@pytest.mark.parametrize("ahead", [False, True])
def test_how_well_spans_held_is_what_a_judge_counts(ahead: bool) -> None:
    for seed in range(3):
        scored = scored_log(seed, 150)
        (claim,) = spans_of(scored, "log", ahead=ahead).claims
        assert claim.relation is (SpanRelation.CALIBRATED_BEFORE if ahead else SpanRelation.CALIBRATED)
        assert holds(claim, scored), claim
        check_words(sentence(claim))
        for quantity in claim.quantities:
            if quantity.name != "off":  # of the middle, whose judge are the tests of calibrations
                wrong = [
                    replace(own, value=own.value + 3) if own is quantity else own for own in claim.quantities
                ]
                assert not holds(replace(claim, quantities=tuple(wrong)), scored)


def test_a_log_with_few_predictions_names_the_bound_that_it_missed() -> None:
    instants = scored_log(1, 100)
    one = replace(instants, instant=instants.instant * 0)
    jobs = replace(scored_log(1), job=np.arange(400) % 19)
    for scored, bound in ((instants, "30 instants"), (one, "30 instants"), (jobs, "20 jobs")):
        found = spans_of(scored, "log")
        assert found.by is None
        (claim,) = found.claims
        check_words(sentence(claim))
        assert found.words.endswith(f"nothing is concluded from fewer than {bound}")
        assert scored is jobs or holds(claim, scored)


def test_nothing_is_claimed_of_a_queue_longer_than_those_that_were_learned_from() -> None:
    """One processor; two jobs come each 200 s, and take 60 to 80 s; at the end twenty come at once."""
    runtime = [60 + 7 * k % 21 for k in range(400)]
    trace = make_trace(
        [200 * (k // 2) for k in range(380)] + [38_000] * 20, runtime, 1, cluster=Cluster.pool(1)
    )
    schedule = simulate(trace, trace.cluster, parse_policy("fcfs"), log=True)
    usual, long = (learn_schedule_spans(schedule, time, Draws(3), 60) for time in (37_830, 38_010))
    assert usual.by is not None
    assert long.by is None
    (claim,) = long.claims
    check_words(sentence(claim))
    assert claim.relation is SpanRelation.LONG_QUEUE
    said = {quantity.name: quantity.value for quantity in claim.quantities}
    waiting = sum(1 for k in range(400) if schedule.submit[k] <= 38_010 < schedule.start[k])
    assert (said["waiting"], said["as long"], said["instants"]) == (waiting, 0, 60)


def test_where_nobody_waited_nothing_is_counted() -> None:
    none = scored_log(1, 0)
    for waited, words in (
        (False, "no job waited in log, so that no prediction could be tested"),
        (True, "log gave no prediction of a start that it tells, so that no prediction could be tested"),
    ):
        found = spans_of(none, "log", waited=waited)
        assert (found.by, found.words) == (None, words)
        assert found.claims[0].relation is (SpanRelation.GAVE_NONE if waited else SpanRelation.NOBODY_WAITED)
        check_words(sentence(found.claims[0]))


def test_what_spans_are_made_of_by_hand() -> None:
    assert text_of([coming_claim(0)]) == "no further job comes"
    assert text_of([coming_claim(1)]) == "further jobs come as in the last week of the log"
    assert text_of([coming_claim(3)]) == "further jobs come as in each of the last 3 weeks of the log"
    few = learned_of_replays(spans_of(scored_log(1), "log"), 3, 30).claims
    doubt = doubt_claims(0.8, 1.5, few)
    assert "in tests" in text_of(doubt)
    assert "in tests" not in text_of(doubt_claims(0.9, 1.5, few))  # of which no test was made
    for claim in doubt:
        check_words(sentence(claim))
    assert text_of(doubt).endswith(
        "divided or multiplied by 1.50; time sufficed for 3 replays, and at each instant of the log 30 were "
        "made"
    )


@pytest.mark.parametrize("relation", SpanRelation)
def test_each_kind_has_words_without_digits_of_its_own(relation: SpanRelation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(SPAN_SENTENCES[relation]) if name} - {"subject"}
    names = parts & {"error", "span", "drawn"}
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("runs", 0)) for role in names)
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - names)
    subject = NamedThing("subject", "log", ClaimPlace("runs", 0))
    spans = render(Claim(subject, relation, quantities, about, Population(0, 0, 0), (subject.place,)))
    assert plain(spans)
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
