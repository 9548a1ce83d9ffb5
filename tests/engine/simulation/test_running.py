from hypothesis import given
from hypothesis import strategies as st

from engine.simulation import running as parts
from engine.simulation.running import Running, make_running
from tests.parts import from_python

add_running = from_python(parts.add_running)
next_end = from_python(parts.next_end)
next_overrun = from_python(parts.next_overrun)
overrun = from_python(parts.overrun)
pop_ended = from_python(parts.pop_ended)

times = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=50)


def start_all(jobs: list[tuple[int, int]], order: list[int]) -> Running:
    """Jobs (end, expected end), all started at 0 in this order."""
    run = make_running(len(jobs), keeps_line=True)
    for job in order:
        add_running(run, job, *jobs[job])
    return run


def line(run: Running) -> list[int]:
    jobs: list[int] = run.line[: run.running[0]][::-1].tolist()
    return jobs


@given(times, st.randoms())
def test_jobs_end_by_time_and_then_in_the_order_they_were_started(
    jobs: list[tuple[int, int]], random
) -> None:
    order = list(range(len(jobs)))
    random.shuffle(order)
    run = start_all(jobs, order)
    left = sorted(order, key=lambda job: (jobs[job][0], order.index(job)))
    while left:
        assert run.leaving[: run.running[0]][::-1].tolist() == left
        assert next_end(run) == jobs[left[0]][0]
        assert pop_ended(run) == left.pop(0)
        assert sorted(line(run)) == sorted(left)
        expected = [jobs[job][1] for job in line(run)]
        assert expected == sorted(expected)
    assert run.running[0] == 0


@given(times, st.integers(1, 40), st.integers(1, 30))
def test_estimates_that_are_used_up_grow(jobs: list[tuple[int, int]], now: int, walltime: int) -> None:
    """To the walltime, then second by second; but not where the job ends this very second."""
    run = start_all(jobs, list(range(len(jobs))))
    changed = False
    while (job := next_overrun(run, now)) >= 0:
        overrun(run, job, now, walltime)
        changed = True
    grown = [
        expected if expected > now or end == now else max(walltime, now + 1) if walltime > now else now + 1
        for end, expected in jobs
    ]
    assert run.expected.tolist() == grown
    assert changed == (grown != [expected for _, expected in jobs])
    assert [grown[job] for job in line(run)] == sorted(grown)


def test_a_line_is_only_kept_where_it_is_needed() -> None:
    run = make_running(2, keeps_line=False)
    add_running(run, 0, 10, 20)
    add_running(run, 1, 5, 30)
    assert [pop_ended(run), pop_ended(run)] == [1, 0]
