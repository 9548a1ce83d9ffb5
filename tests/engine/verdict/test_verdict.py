"""Verdicts of random runs: every claim holds before its judge, and every number in words is its quantity."""

from dataclasses import replace
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Population, Relation, Sure, Unit
from engine.claims.words import SENTENCES, line, plain, render, sentence, shown
from engine.machine.cluster import Cluster
from engine.machine.power import NodePower, PowerModel, with_power
from engine.policy.policy import parse_policy
from engine.report.advice import advice
from engine.schedule.schedule import NO_LOG, Decision
from engine.schedule.wait_pieces import NO_REASON
from engine.trace import Trace
from engine.verdict.extra_run import with_one_more
from engine.verdict.verdict import CAUSES, judged_runs, run_verdicts
from tests.engine.verdict.drawn import DIGIT, POLICIES, PROCESSORS, SHARE, check_words, judged, logs
from tests.engine.verdict.judges import JUDGES, judge
from tests.traces import make_trace


@settings(max_examples=100, phases=(Phase.generate,))  # shrinking takes minutes
@given(
    logs() | logs(with_nodes=True),
    st.lists(st.sampled_from(POLICIES), min_size=1, max_size=3, unique=True),
    st.booleans(),
)
def test_each_claim_holds_and_each_number_in_words_is_its_quantity(
    trace: Trace, policies: list[str], with_log: bool
) -> None:
    if with_log and trace.has_recorded_schedule:
        policies = ["recorded", *policies]
    runs, seen = judged(trace, policies)
    lines = run_verdicts(runs)
    assert len(lines) == len(runs)
    for claims, policy in zip(lines, policies, strict=True):
        # Where no run has all jobs of another none is measured.
        assert {claim.subject.name for claim in claims} == ({policy} if runs[0].jobs.any() else set())
        for claim in claims:
            assert judge(claim, seen), claim
        check_words(line(claims))
    for claims in advice(runs, 0):
        for claim in claims:
            assert judge(claim, seen), claim
        check_words(sentence(*claims))


def test_a_judge_refuses_numbers_that_are_off() -> None:
    trace = make_trace(
        [0, 1, 2, 3], [400, 300, 200, 100], 16, user=["a", "b", "c", "a"], cluster=Cluster.pool(16)
    )
    runs, seen = judged(trace, ["fcfs", "easy:order=sjf"])
    for claims in run_verdicts(runs):
        for claim in claims:
            assert judge(claim, seen)
            for quantity in claim.quantities:
                wrong = tuple(
                    replace(own, value=own.value + 1) if own is quantity else own for own in claim.quantities
                )
                assert not judge(replace(claim, quantities=wrong), seen), quantity
            people = replace(claim.population, jobs=claim.population.jobs + 1)
            assert not judge(replace(claim, population=people), seen)


LINES = [
    "fcfs: 1 of 3 users is late with most jobs; worst user c, late by 4 min 18 s on average; "
    "55 % of waiting is behind a job that no other may pass; under easy:order=sjf this user is late by 58 s, "
    "with 62 % less lateness in all",
    "easy:order=sjf: none of 3 users is late with most jobs; worst user c, late by 58 s on average; "
    "100 % of waiting is for processors in use; no other run here has less lateness",
    "What to change: run easy:order=sjf (shortest estimate first, a reservation for the first blocked job) "
    "instead of fcfs; the lateness of all jobs together is then 62 % lower; the log spans 3 s, less than a "
    "week: no change can be told from noise.",
    "What it brings: jobs wait 6 min 40 s less in all, on average 6 min 38 s instead of 8 min 18 s (4 jobs); "
    "the log spans 3 s, less than a week: no change can be told from noise.",
    "Who pays: of 3 users only user b waits longer, by 5 min in all, on average 11 min 39 s a job "
    "instead of 6 min 39 s; 2 users wait less.",
]


def test_lines_by_hand() -> None:
    trace = make_trace(
        [0, 1, 2, 3], [400, 300, 200, 100], 16, user=["a", "b", "c", "a"], cluster=Cluster.pool(16)
    )
    runs, _ = judged(trace, ["fcfs", "easy:order=sjf"])
    first, second = (plain(line(claims)) for claims in run_verdicts(runs))
    assert [first, second, *(plain(sentence(*claims)) for claims in advice(runs, 0))] == LINES


def test_more_processors_idle_beside_waiting_jobs_though_as_much_is_used() -> None:
    """A wide job goes first, or waits beside two narrow ones that then leave half of the machine idle."""
    trace = make_trace(
        [0, 0, 0], [14_400, 3600, 3600], [16, 4, 4], user=["a", "b", "c"], cluster=Cluster.pool(16)
    )
    runs, seen = judged(trace, ["fcfs", "easy:order=sjf"])
    said = advice(runs, 0)
    assert all(judge(claim, seen) for claims in said for claim in claims)
    assert [plain(sentence(*claims)) for claims in said[1:]] == [
        "What it brings: jobs wait 7 h less in all, on average 20 min instead of 2 h 40 min (3 jobs); the "
        "log spans 0 s, less than a week: no change can be told from noise.",
        "While jobs wait for them, processors are idle for more time on this log: 8.0 processor-hours "
        "instead of 0 processor-hours; 90.0 % of the machine's processor time is used either way.",
        "Who pays: of 3 users only user a waits longer, by 1 h in all, on average 1 h a job instead of 0 s; "
        "2 users wait less.",
    ]


def test_a_run_that_helps_all_but_the_worst_user_says_so() -> None:
    """Short jobs are backfilled before a wide one; a long one that would delay it is not, in both runs."""
    hours = np.array([10, 1, 2, 2, 12]) * 3600
    trace = make_trace(
        [0, 1, 2, 3, 4], hours, [10, 16, 6, 6, 4], user=["a", "b", "c", "d", "e"], cluster=Cluster.pool(16)
    )
    runs, seen = judged(trace, ["fcfs", "easy"])
    claims = run_verdicts(runs)[0]
    assert all(judge(claim, seen) for claim in claims)
    assert claims[-1].relation is Relation.HELPS_OTHERS
    wrong = replace(claims[-1], relation=Relation.HELPS)
    assert not judge(wrong, seen)
    said = "; easy has 49 % less lateness in all, but this user is late by 10 h 59 min"
    assert plain(line(claims)).endswith(said), plain(line(claims))


@pytest.mark.parametrize(("many", "told"), [(3, []), (6, [True])])
def test_the_longest_wait_is_told_where_it_rises(many: int, told: list[bool]) -> None:
    """Short jobs, one an hour, go past a long one, which waits until the last of them has run."""
    hours = 3600 * np.arange(many)
    trace = make_trace(
        [0, 1, *(1 + hours)],
        [3602, 3 * 3600, *[3600] * many],
        16,
        user=["a", "b", *["c"] * many],
        cluster=Cluster.pool(16),
    )
    runs, seen = judged(trace, ["fcfs", "easy:order=sjf"])
    pays = advice(runs, 0)[-1]
    assert [judge(claim, seen) for claim in pays[1:]] == told
    said = "; the longest wait rises from 4 h to 7 h, for a job of user b."
    assert plain(sentence(*pays)).endswith(said) == bool(told)


def test_one_more_run_is_named_where_there_is_no_other() -> None:
    trace = make_trace(
        [0, 1, 2], [400, 300, 200], [10, 16, 6], user=["a", "b", "c"], cluster=Cluster.pool(PROCESSORS)
    )
    runs, _ = judged(trace, ["fcfs"])
    more = with_one_more(runs, SHARE)
    assert [run.name for run in more] == ["fcfs", "easy"]
    _, both = judged(trace, ["fcfs", "easy"])
    claims = run_verdicts(more)[0]
    assert all(judge(claim, both) for claim in claims)
    assert claims[-1].about[0].place == ClaimPlace("runs", 1)
    said = "under easy this user is not late, with 100 % less lateness in all"
    assert said in plain(line(claims))
    for policies in (["easy"], ["fcfs", "conservative"]):
        assert len(with_one_more(judged(trace, policies)[0], SHARE)) == len(policies)
    assert with_one_more([], SHARE) == []


def test_what_is_worked_out_of_a_run_is_kept_while_its_evaluation_is() -> None:
    runs, _ = judged(make_trace([0, 1], [400, 300], 16, cluster=Cluster.pool(16)), ["fcfs", "easy"])
    names, evaluations = [run.name for run in runs], [run.evaluation for run in runs]
    assert judged_runs(names, evaluations, runs) == runs
    anew = replace(evaluations[1])
    first, second = judged_runs(["fcfs", "easy"], [evaluations[0], anew], runs)
    assert first is runs[0]
    assert second.evaluation is anew
    assert judged_runs(["renamed"], evaluations[:1], runs)[0].name == "renamed"


def test_other_policies_are_no_advice_for_a_site(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=n[1-2] CPUs=8\nPartitionName=batch Nodes=ALL\n")
    trace = make_trace(
        [0, 1, 2, 3], [400, 300, 200, 100], 16, user=["a", "b", "c", "a"], cluster=Cluster.pool(16)
    )
    (site, easy), _ = judged(trace, ["fcfs", "easy:order=sjf"])
    assert plain(line(run_verdicts([site, easy])[0])).endswith("% less lateness in all")
    of_site = replace(site.evaluation.schedule, policy=parse_policy(f"site:{conf}"), log=NO_LOG)
    site = replace(site, evaluation=replace(site.evaluation, schedule=of_site))
    first, second = (plain(line(claims)) for claims in run_verdicts([site, easy]))
    assert first.endswith(
        "easy:order=sjf has 62 % less lateness in all, but is without the rules of the site"
    )
    assert second.endswith(
        "no other run here has less lateness, but this one does not obey the rules of the site"
    )
    assert [plain(sentence(*claims)) for claims in advice([site, easy], 0)] == [
        "Nothing to advise: none of these runs is a change that keeps the rules of the site; under "
        "easy:order=sjf, without the rules of the site, the lateness of all jobs together is 62 % lower."
    ]
    # A change of the site obeys what the site obeys.
    changed = replace(of_site, policy=parse_policy(f"site:{conf}:SchedulerType=sched/builtin"))
    other = replace(site, name="site changed", evaluation=replace(easy.evaluation, schedule=changed))
    assert plain(line(run_verdicts([site, easy, other])[0])).split("; ")[-1].startswith("under site changed")
    assert with_one_more([site], SHARE) == [site]


def test_what_obeys_fewer_limits_is_no_advice() -> None:
    trace = make_trace([0, 0, 0, 0], [400, 300, 200, 100], 4, user=["a"] * 4, cluster=Cluster.pool(16))
    runs, seen = judged(trace, ["easy:max_user_jobs=1", "easy", "fcfs:max_user_jobs=1"])
    first, second, _ = run_verdicts(runs)
    assert all(judge(claim, seen) for claims in (first, second, *advice(runs, 0)) for claim in claims)
    assert plain(line(first)).endswith("easy has 100 % less lateness in all, but is without max_user_jobs")
    assert plain(line(second)).endswith("no job of 1 user ends late; no job waits (4 jobs)")
    assert [plain(sentence(*claims)) for claims in advice(runs, 0)] == [
        "Nothing to change: under no other of these runs with max_user_jobs the lateness of all jobs "
        "together is at least 5 % lower; under easy, without max_user_jobs, it is 100 % lower."
    ]


def test_no_jobs_no_verdict() -> None:
    runs, _ = judged(make_trace([0], [5]), ["fcfs"])
    nothing = np.zeros(1, np.bool_)
    none = [replace(run, evaluation=replace(run.evaluation, jobs=nothing)) for run in runs]
    assert run_verdicts(none) == [()]
    assert advice(none, 0) == ()
    assert run_verdicts([]) == []
    assert line(()) == ()


SUBJECT = NamedThing("subject", "easy", ClaimPlace("runs", 0))


ROLES = {"user", "run", "rule", "limits", "base", "metric", "group", "waiting", "first", "second"} | {
    *("runs", "metrics", "first order", "second order")
}
"""The parts of sentences that are names; all others are quantities."""


@pytest.mark.parametrize("relation", Relation)
def test_each_kind_has_words_without_digits_of_its_own(relation: Relation) -> None:
    parts = {name for _, name, _, _ in Formatter().parse(SENTENCES[relation]) if name}
    quantities = tuple(ClaimQuantity(name, 7, Unit.NUMBER) for name in parts - ROLES)
    about = tuple(NamedThing(role, f"{role} 9", ClaimPlace("runs", 1)) for role in parts & ROLES)
    claim = Claim(SUBJECT, relation, quantities, about, Population(7, 0, 9), (SUBJECT.place,), Sure.COUNTED)
    spans = render(claim)
    assert plain(spans)
    assert not any(DIGIT.search(span.text) for span in spans if span.says is None)
    assert plain(render(replace(claim, sure=Sure.SIMULATED))) == f"in simulation {plain(spans)}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 %"),
        (0.3, "0.30 %"),
        (61.4, "61 %"),
        (99.998, "over 99.99 %"),
        (0.001, "under 0.01 %"),
        (100, "100 %"),
        (125.6, "126 %"),
    ],
)
def test_shares_next_to_nothing_and_all_are_not_rounded_to_these(value: float, text: str) -> None:
    assert shown(ClaimQuantity("share", value, Unit.PERCENT)) == text


def test_each_kind_has_a_judge() -> None:
    assert set(Relation) == set(JUDGES)


def test_each_kind_of_reason_has_a_cause() -> None:
    assert set(CAUSES) == {NO_REASON, *(kind for kind in Decision if kind.is_reason)}


@settings(max_examples=40, phases=(Phase.generate,))
@given(
    logs(),
    st.lists(st.sampled_from(POLICIES), min_size=2, max_size=3, unique=True),
    st.sampled_from((20, 2000)),
)
def test_what_is_said_of_energy_holds(trace: Trace, policies: list[str], core: int) -> None:
    model = PowerModel((NodePower(idle_w=100, core_w=core, gpu_w=0),))
    powered = replace(trace, cluster=with_power(trace.cluster, model))
    runs, seen = judged(powered, policies)
    for claims in advice(runs, 0):
        for claim in claims:
            assert judge(claim, seen), claim
        check_words(sentence(*claims))


def test_a_change_that_takes_less_energy_says_how_much_a_month() -> None:
    """The last job waits behind a wide one while half of the machine idles, or goes past: a day less."""
    days = 86_400
    trace = make_trace(
        *([0, 1, 2], [20 * days, 20 * days, days], [3, 6, 3]), user=["a", "b", "c"], cluster=Cluster.pool(6)
    )
    model = PowerModel((NodePower(idle_w=1000, core_w=0, gpu_w=0),))
    trace = replace(trace, cluster=with_power(trace.cluster, model))
    runs, seen = judged(trace, ["fcfs", "easy"])
    (told,) = [claims for claims in advice(runs, 0) if claims[0].relation is Relation.LESS_ENERGY]
    assert all(judge(claim, seen) for claim in told)
    assert plain(sentence(*told)) == (
        "The machine takes less energy for this log: 5\u202f760.0 kWh instead of 5\u202f904.0 kWh; in thirty "
        "days this is 105.4 kWh."
    )
    for claim in told:
        for quantity in claim.quantities:
            wrong = [replace(each, value=each.value + (each is quantity)) for each in claim.quantities]
            assert not judge(replace(claim, quantities=tuple(wrong)), seen)
