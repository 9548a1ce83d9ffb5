"""What a report says: numbers that are worked out anew, and no claim beyond the noise."""

from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.api import compare, read
from engine.claims.claim import Relation
from engine.machine.cluster import Cluster
from engine.metrics.evaluation import evaluate
from engine.metrics.hours import months
from engine.metrics.waits import waits_of
from engine.metrics.waits_words import waits_sentence
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.report import Compared, sections_of
from engine.report.capacity import capacity
from engine.report.changes import _interval, changes, noise
from engine.report.ends import ends
from engine.report.longest import longest_waits
from engine.report.ranking import ranking, ranks
from engine.report.used_section import used
from engine.report.verdict import verdict
from engine.report.waits import waits
from engine.runs import RunSet
from engine.schedule.ranks import rank_correlation
from engine.search.answer import Advantage
from engine.search.weekly import WeeklyChange, relation_of, weekly
from engine.simulation.run import simulate
from tests.engine.logs.lines import line, write_log
from tests.traces import make_trace

WEEK = 7 * 86_400


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> RunSet:
    """Sixteen weeks: each has a wide job that blocks, and short narrow ones that could go past it."""
    rows = []
    # Week by week the same: enough weeks for intervals, and a difference between the policies in each.
    for week in range(16):
        begin, first = week * WEEK, 10 * week + 1
        rows.append((first, begin, 3000 + 100 * (week % 3), 4000, 3, 1))
        rows.append((first + 1, begin + 10, 1000, 2000, 4, 2))
        rows += [(first + 2 + k, begin + 20 + k, 400, 600 + 100 * k, 1, 3) for k in range(3)]
    jobs = [
        line(job=job, submit=submit, runtime=run, walltime=asked, procs=procs, user=user, queue=1 + user % 2)
        for job, submit, run, asked, procs, user in rows
    ]
    folder = tmp_path_factory.mktemp("log")
    log = read(write_log(folder / "weeks.swf", "; MaxProcs: 4", "; UnixStartTime: 1356998400", *jobs))
    return compare(log, ["easy", "fcfs"])


@pytest.fixture(scope="module")
def compared(runs: RunSet) -> Compared:
    return Compared(list(runs), [run.evaluation for run in runs.values()])


def test_who_is_hurt_by_fcfs_is_who_could_go_past(compared: Compared) -> None:
    (shown,) = changes(compared).statements
    wait = [evaluation.schedule.wait for evaluation in compared.evaluations]
    hours = (wait[1] - wait[0])[
        compared.trace.user.codes == compared.trace.user.names.index("3")
    ].sum() / 3600
    assert hours > 10
    assert f"user 3 waits {hours:.0f} h longer" in shown.text or f"user 3 alone {hours:.0f} h" in shown.text
    assert "fcfs: of 80 jobs none starts earlier, 48 later, 32 at the same time;" in shown.text
    assert (shown.figure, shown.pair) == ("difference", 1)


def test_a_change_that_is_the_same_every_week_is_more_than_noise(compared: Compared) -> None:
    section = noise(compared)
    assert " mean lateness are more than noise." in section.statements[0].text
    row = next(row for row in section.tables[0].rows if row[1] == "mean wait")
    easy, fcfs = (evaluation.schedule.wait.reshape(16, 5).mean(axis=1) for evaluation in compared.evaluations)
    expected = 100 * (fcfs - easy).mean() / easy.mean()
    per_job = 100 * (fcfs.mean() / easy.mean() - 1)  # as many jobs in every week
    assert [row[2].replace("\u202f", ""), row[3].replace("\u202f", "")] == [
        f"+{per_job:.0f}",
        f"+{expected:.0f}",
    ]
    assert row[5] == "higher"
    found = weekly(compared.evaluations[1], compared.base, "mean wait")
    assert found is not None
    assert found.weekly.weeks == 16


def test_a_log_of_few_weeks_bears_no_verdict(runs: RunSet) -> None:
    log = runs.log
    part = type(log)(log.trace.take(np.arange(25)), log.cluster)
    few = compare(part, ["easy", "fcfs"])
    section = noise(Compared(list(few), [run.evaluation for run in few.values()]))
    said = (
        "; 5 weeks are too few to tell mean wait, mean bounded slowdown, share of late jobs and mean "
        "lateness from noise: it takes 12."
    )
    assert section.statements[0].text.endswith(said)
    assert "more than" not in section.statements[0].text


def test_places_are_those_of_the_values(compared: Compared) -> None:
    orders = ranks(compared)
    assert orders["wait_mean"] == [0, 1]
    for name, order in orders.items():
        values = [evaluation.summary[name] for evaluation in compared.evaluations]
        assert values[0] != values[1]
        assert sorted(order) == [0, 1]
    table = ranking(compared).tables[0]
    assert table.rows[1][0].startswith("Mean wait")
    assert table.rows[1][2].startswith("1. (")


def test_late_jobs_by_queue_and_month_add_up(compared: Compared) -> None:
    section = ends(compared)
    names = months(compared.trace).names
    assert names[0] == "2013-01"
    for table in section.tables:
        late = [sum(int(row[2 + k].split(" ")[0]) for row in table.rows[1:]) for k in range(2)]
        assert late == [
            int((evaluation.violations.violated & evaluation.jobs).sum())
            for evaluation in compared.evaluations
        ]
        assert sum(int(row[1]) for row in table.rows[1:]) == 80


def test_most_is_said_of_more_than_a_half(compared: Compared) -> None:
    """A judge by the schedule alone: the largest group is the most of them only beyond a half."""
    for name, evaluation in zip(compared.names, compared.evaluations, strict=True):
        (text,) = [s.text for s in ends(compared).statements if s.text.startswith(f"{name}: ")]
        late_jobs = evaluation.jobs & evaluation.violations.violated
        for part, names in zip(
            text.split("; ")[-2:], (compared.trace.queue, months(compared.trace)), strict=True
        ):
            counts = np.bincount(names.codes[late_jobs])
            share = 100 * counts.max() / counts.sum()
            assert (share > 50) == part.startswith("most late jobs are in ")
            assert f"({share:.1f} % of them, {counts.max()} of its " in part


def test_slight_lateness_is_told_apart(compared: Compared) -> None:
    """A judge by the schedule alone, on ends that are expected by so much earlier."""
    evaluation = compared.evaluations[0]
    runtime = evaluation.schedule.runtime
    for tardiness in (np.full_like(runtime, 59), np.full_like(runtime, 61), runtime):
        late = replace(evaluation.violations, tardiness=tardiness, violated=tardiness > 0)
        jobs = zip(tardiness.tolist(), runtime.tolist(), strict=True)
        slight = sum(by < 60 or 10 * by < run for by, run in jobs)
        (statement,) = ends(Compared(["easy"], [replace(evaluation, violations=late)])).statements
        said = f"{slight} of these by less than a minute or a tenth of their runtime"
        assert (said in statement.text) == (slight > 0)
        assert ("tenth" in statement.text) == (slight > 0)


def test_metrics_disagree_only_where_both_order_more_than_two_runs(runs: RunSet, compared: Compared) -> None:
    assert "disagree" not in " ".join(statement.text for statement in ranking(compared).statements)
    three = compare(runs.log, ["easy", "fcfs", "easy:order=sjf"])
    told = Compared(list(three), [run.evaluation for run in three.values()])
    orders = {name: order for name, order in ranks(told).items() if len(set(order)) == 3}
    said = " ".join(statement.text for statement in ranking(told).statements)
    opposed = [
        rank_correlation(np.array(first), np.array(second))
        for first, second in combinations(orders.values(), 2)
    ]
    least = min((each for each in opposed if each is not None), default=1.0)
    assert ("disagree" in said) == (least < 1.0)
    if least < 1.0:
        assert f"rank correlation {least:.2f}".replace("-", "−") in said


def test_a_metric_in_a_list_of_metrics_has_no_comma_of_its_own(compared: Compared) -> None:
    said = [named.name for statement in ranking(compared).statements for named in statement.claims[0].about]
    assert "response (l2 norm)" in said
    assert not [name for name in said if "," in name]


def test_idle_time_that_jobs_asked_for_is_no_part_of_that_beside_a_small_job(compared: Compared) -> None:
    """A judge by the schedule alone: both are integrals over its events, and neither bounds the other."""
    evaluation = compared.evaluations[1]
    schedule, cpus = evaluation.schedule, compared.trace.cluster.cpus
    times = np.unique(np.concatenate((schedule.submit, schedule.start, schedule.end)))
    asked = small = 0
    for begin, end in pairwise(times.tolist()):
        busy = int(schedule.procs[(schedule.start <= begin) & (schedule.end > begin)].sum())
        waiting = schedule.procs[(schedule.submit <= begin) & (schedule.start > begin)]
        asked += min(cpus - busy, int(waiting.sum())) * (end - begin)
        small += (cpus - busy) * (end - begin) if (waiting <= cpus - busy).any() else 0
    whole = cpus * int(times[-1] - times[0])
    (text,) = [s.text for s in capacity(compared).statements if s.text.startswith(f"{compared.names[1]}: ")]
    assert f"{100 * asked / whole:.1f} % was idle while waiting jobs asked" in text
    told = (
        f"{100 * small / whole:.1f} % was idle at times when a waiting job, neither held nor dependent, asked"
    )
    assert told in text


def test_reasons_of_the_longest_waits_are_of_all_of_them(compared: Compared) -> None:
    section = longest_waits(compared)
    for name in compared.names:
        shares = [float(row[2]) for row in section.tables[0].rows[1:] if row[0] == name]
        assert sum(shares) == pytest.approx(100, abs=0.2)
    assert " of their waiting is behind a job that no other may pass" in section.statements[1].text
    assert "; half of them, as half of all jobs, ask for at most 1 processor; " in section.statements[1].text


def test_what_was_used_is_reported_all_and_of_the_worst_user(compared: Compared) -> None:
    trace = compared.trace
    share = 100 * (trace.procs * trace.runtime).sum() / (trace.procs * trace.walltime).sum()
    section = used(compared)
    assert (
        f"{share:.0f} % of the processor time that walltimes reserved was used" in section.statements[0].text
    )
    unused = [
        (trace.procs * (trace.walltime - trace.runtime))[trace.user.codes == code].sum()
        for code in range(len(trace.user.names))
    ]
    assert section.tables[0].rows[1][0] == trace.user.names[int(np.argmax(unused))]


def test_capacity_is_that_of_the_metrics(compared: Compared) -> None:
    section = capacity(compared)
    utilization = compared.base.summary["utilization"]
    assert utilization is not None
    assert section.tables[0].rows[1][1] == f"{100 * utilization:.1f}"


def test_a_gain_and_how_sure_it_is_are_one_sentence(compared: Compared) -> None:
    other = Compared(compared.names, compared.evaluations, baseline=1)
    texts = [statement.text for statement in verdict(other).statements]
    assert texts[0].startswith("What to change: run easy")
    assert texts[0].endswith("; the change of the mean lateness is more than noise.")
    assert texts[1].startswith("What it brings: jobs wait ")
    assert texts[1].endswith("; the change of the mean wait is more than noise.")


def test_a_run_within_noise_is_no_advice(compared: Compared) -> None:
    """Waits that are shorter in some weeks and longer in others, by a twelfth in all, or always by less."""
    base = compared.evaluations[1].schedule
    moved = 60_000 * np.random.default_rng(1).permutation(np.repeat([1, -1], 8)) - 8_000
    late, other, surely = (
        replace(base, start=base.start + more, end=base.end + more)
        for more in (100_000, 100_000 + np.repeat(moved, 5), 93_000)
    )
    policy = compared.evaluations[0].schedule.policy
    other, surely = replace(other, policy=policy), replace(surely, policy=policy)
    noisy = Compared(["fcfs", "easy"], evaluate([late, other], Share(), late))
    texts = [statement.text for statement in verdict(noisy).statements]
    assert texts[0].startswith("No change is sure: under easy the lateness of all jobs together is ")
    assert "% lower, but in the mean week this cannot be told from noise; at least half of all" in texts[0]
    assert texts[1].startswith("fcfs: ")
    # Another run saves less, but in all weeks.
    three = Compared(["fcfs", "easy", "other"], evaluate([late, other, surely], Share(), late))
    assert verdict(three).statements[0].text.startswith("What to change: run other (")


def test_waiting_within_noise_is_no_gain(compared: Compared) -> None:
    """Ends are expected much later under the other run: less late in all weeks, with waits as in some."""
    base = compared.evaluations[1].schedule
    moved = 60_000 * np.random.default_rng(1).permutation(np.repeat([1, -1], 8)) - 8_000
    late, other = (
        replace(base, start=base.start + more, end=base.end + more)
        for more in (100_000, 100_000 + np.repeat(moved, 5))
    )
    first, second = evaluate([late, replace(other, policy=parse_policy("easy"))], Share(), late)
    half = replace(second.violations, tardiness=first.violations.tardiness // 2)
    noisy = Compared(["fcfs", "easy"], [first, replace(second, violations=half)])
    texts = [statement.text for statement in verdict(noisy).statements]
    assert texts[0].endswith(" is then 50 % lower; the change of the mean lateness is more than noise.")
    assert texts[1].startswith("Whether waits change is not sure: jobs wait on average ")
    assert texts[1].endswith("; the change of the mean wait is within noise.")


def test_a_single_run_has_what_needs_no_other(compared: Compared, tmp_path: Path) -> None:
    titles = [
        section.title for section in sections_of(Compared(compared.names[:1], compared.evaluations[:1]))
    ]
    assert titles[:2] == ["Verdict", "Expected ends that were violated"]
    assert len(titles) == 6


def test_what_waits_are_made_of_is_told_with_its_shares(compared: Compared) -> None:
    """The sentence of each run, and rows whose shares sum to 100."""
    section = waits(compared)
    assert [statement.text.partition(":")[0] for statement in section.statements] == ["easy", "fcfs"]
    (table,) = section.tables
    assert table.rows[0][:4] == ["Run", "Partition", "Jobs", "Waits"]
    for row in table.rows[1:]:
        assert sum(map(float, row[4:])) == pytest.approx(100, abs=0.1 * len(row))
    jobs = [int(row[2]) for row in table.rows[1:] if row[0] == "fcfs"]
    schedule = compared.evaluations[1].schedule
    assert sum(jobs) == int((schedule.wait > 0).sum())


def test_a_bound_that_could_be_anything_is_no_number() -> None:
    assert _interval(-99.2, 9_999.0) == "−99.2 to +9\u202f999"
    assert _interval(-99.2, 2e13) == "above −99.2"
    assert _interval(None, None) == "none"


@pytest.mark.parametrize(
    ("change", "low", "high", "relation"),
    [
        (750.0, -30.0, 2e13, Relation.TOO_UNEVEN),
        (-57.0, -90.0, 5.0, Relation.TOO_UNEVEN),
        (10.0, -45.0, 120.0, Relation.TOO_UNEVEN),  # of 1.1 just a half, and twice as much
        (10.0, -44.0, 150.0, Relation.WITHIN_NOISE),
        (10.0, -50.0, 119.0, Relation.WITHIN_NOISE),
        (750.0, 30.0, 2e13, Relation.BEYOND_NOISE),
    ],
)
def test_weeks_that_would_hide_a_doubling_and_a_halving_tell_nothing(
    change: float, low: float, high: float, relation: Relation
) -> None:
    found = WeeklyChange("mean wait", Advantage(change, 20, 12.0, low, high), change)
    assert relation_of(found, by_chance=False) is relation


def test_most_waiting_is_told_rather_than_a_small_group() -> None:
    """A wide user waits for room most of the time; another one a little beside a reservation."""
    trace = make_trace(
        [0, 1, 2, 3],
        [1000, 1000, 10, 995],
        [10, 16, 16, 6],
        walltime=[1000, 1000, 10, 1005],
        user=["a", "wide", "wide", "late"],
        cluster=Cluster.pool(16),
    )
    schedule = simulate(trace, trace.cluster, parse_policy("easy"), log=True)
    (text,) = [waits_sentence(schedule, waits_of(schedule, ("user",)))]
    assert text.startswith("user wide waits")
    assert "100 % of this is because its jobs did not fit" in text
