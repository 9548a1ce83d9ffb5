"""How open shares are chosen: against a twin that looks at each second and deals out single CPUs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.logs.nodes import share_fitting
from engine.logs.nodes.share_fitting import _deal, _fill, _fit, fit_nodes, fit_shares, raise_nodes
from engine.logs.nodes.share_repair import repaired
from engine.logs.nodes.shares import NodeShares, Occupation, even_shares

Row = list[int]
Job = tuple[Row, Row, int, int, int]  # nodes, told shares, CPUs, start, end


def given_jobs(most: int = 6) -> st.SearchStrategy[list[Job]]:
    @st.composite
    def job(draw: st.DrawFn) -> Job:
        nodes = sorted(draw(st.sets(st.integers(0, 4), min_size=1, max_size=4)))
        lines = [draw(st.sampled_from([0, 0, 0, 2])) for _ in nodes]
        start = draw(st.integers(0, 8))
        cpus = draw(st.integers(len(nodes), 12))
        return nodes, lines, cpus, start, start + draw(st.integers(0, 5))

    return st.lists(job(), min_size=1, max_size=most)


def arrays(jobs: list[Job]) -> tuple[NodeShares, Occupation]:
    offset = np.cumsum([0, *(len(nodes) for nodes, *_ in jobs)])
    node = np.array([node for nodes, *_ in jobs for node in nodes])
    found = np.array([share for _, shares, *_ in jobs for share in shares])
    cpus, start, end = (np.array([job[k] for job in jobs]) for k in (2, 3, 4))
    shares = even_shares(offset, node, found, cpus)
    return shares, Occupation(shares, start, end, 5)


def busiest(jobs: list[Job], shares: list[Row], node: int, seconds: range, but: int | None = None) -> int:
    """The most CPUs in use on a node in one of these seconds, without a job's own."""
    most = 0
    for second in seconds:
        used = 0
        for k, (nodes, _, _, start, end) in enumerate(jobs):
            if k != but and node in nodes and start <= second < end:
                used += shares[k][nodes.index(node)]
        most = max(most, used)
    return most


def by_jobs(jobs: list[Job], cpus: np.ndarray) -> list[Row]:
    ends = np.cumsum([len(nodes) for nodes, *_ in jobs])[:-1]
    return [own.tolist() for own in np.split(cpus, ends)]


@given(given_jobs())
def test_what_is_left_of_a_job_lies_evenly(jobs: list[Job]) -> None:
    shares, _ = arrays(jobs)
    known = by_jobs(jobs, shares.known)
    for (nodes, wanted, cpus, *_), own, sure in zip(jobs, by_jobs(jobs, shares.cpus), known, strict=True):
        opens = [k for k, share in enumerate(wanted) if not share]
        left = cpus - sum(wanted)
        if opens and left < len(opens):
            wanted, opens, left = [0] * len(nodes), list(range(len(nodes))), cpus
        expected = list(wanted)
        for turn in range(left if opens else 0):
            expected[opens[turn % len(opens)]] += 1
        assert own == expected
        assert sure == [k not in opens or len(opens) == 1 or left == len(opens) for k in range(len(nodes))]


@given(given_jobs())
def test_peaks_second_by_second(jobs: list[Job]) -> None:
    shares, occupation = arrays(jobs)
    usage = occupation.usage(shares.cpus)
    peaks = occupation.peaks(usage).tolist()
    own = by_jobs(jobs, shares.cpus)
    assert peaks == [busiest(jobs, own, node, range(15)) for node in range(5)]
    for node, peak in enumerate(peaks):
        if peak:
            time = occupation.time_of(node, usage, peak)
            assert busiest(jobs, own, node, range(time, time + 1)) == peak


ROOMS = st.lists(st.integers(1, 6), min_size=1, max_size=6)


@given(ROOMS, st.integers(0, 30))
def test_cpus_are_dealt_out_one_by_one(room: list[int], amount: int) -> None:
    share = [0] * len(room)
    for turn in range(amount):
        free = [k for k in range(len(room)) if share[k] < room[k]]
        chosen = min(free, key=lambda k: share[k]) if free else (turn - sum(room)) % len(room)
        share[chosen] += 1
    dealt = np.array(room)
    _deal(dealt, amount)
    assert dealt.tolist() == share


@given(ROOMS, st.integers(6, 30))
def test_nodes_are_filled_one_by_one(room: list[int], amount: int) -> None:
    share = [1] * len(room)
    for turn in range(amount - len(room)):
        free = [k for k in range(len(room)) if share[k] < room[k]]
        share[free[0] if free else (turn - sum(room) + len(room)) % len(room)] += 1
    filled = np.array(room)
    _fill(filled, amount)
    assert filled.tolist() == share


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=5), st.integers(0, 20))
def test_the_smallest_nodes_grow_first(sizes: list[tuple[int, int]], lacks: int) -> None:
    bound, most = [size for size, _ in sizes], [size for _, size in sizes]
    for _ in range(lacks):
        low = [k for k in range(len(bound)) if bound[k] < most[k]] or list(range(len(bound)))
        bound[min(low, key=lambda k: bound[k])] += 1
    raised = np.array([size for size, _ in sizes])
    raise_nodes(np.arange(len(sizes)), lacks, raised, np.array(most))
    assert raised.tolist() == bound


@given(given_jobs(), st.lists(st.integers(1, 9), min_size=5, max_size=5), st.booleans())
def test_one_pass_over_all_jobs(jobs: list[Job], bound: list[int], even: bool) -> None:
    shares, occupation = arrays(jobs)
    own, known = by_jobs(jobs, shares.cpus), by_jobs(jobs, shares.known)
    ran = [k for k, (*_, start, end) in enumerate(jobs) if end > start and not all(known[k])]
    for job in ran:
        nodes, _, _, start, end = jobs[job]
        opens = [k for k in range(len(nodes)) if not known[job][k]]
        seconds = range(start, end if even else start + 1)
        if not even and any(k != job and other[3] == start for k, other in enumerate(jobs)):
            return  # of jobs that start in the same second those that stand behind are not there yet
        room = np.array([max(bound[nodes[k]] - busiest(jobs, own, nodes[k], seconds, job), 1) for k in opens])
        amount = sum(own[job][k] for k in opens)
        (_deal if even else _fill)(room, amount)
        for k, share in zip(opens, room.tolist(), strict=True):
            own[job][k] = share
    cpus = shares.cpus.copy()
    usage = occupation.usage(cpus)
    rows = shares.offset, shares.node, shares.known, np.full(len(cpus), even), cpus
    _fit(np.array(ran, np.int64), *rows, occupation.begin, occupation.stop, usage, np.array(bound))
    assert by_jobs(jobs, cpus) == own
    assert usage.tolist() == occupation.usage(cpus).tolist()


@given(given_jobs(12))
def test_a_fit_gives_each_job_its_cpus_and_each_node_what_is_certain(jobs: list[Job]) -> None:
    shares, occupation = arrays(jobs)
    fit = fit_nodes(shares, occupation, np.zeros(5, np.int64))
    own, known = by_jobs(jobs, fit.shares.cpus), by_jobs(jobs, shares.known)
    for before, after, sure in zip(by_jobs(jobs, shares.cpus), own, known, strict=True):
        assert sum(after) == sum(before)
        assert min(after) >= 1
        assert all(a == b for a, b, known in zip(after, before, sure, strict=True) if known)
    least = [
        [c if known else 1 for c, known in zip(*pair, strict=True)] for pair in zip(own, known, strict=True)
    ]
    certain = [busiest(jobs, least, node, range(15)) for node in range(5)]
    assert (fit.cpus >= certain).all()
    assert (fit.cpus <= np.maximum(certain, [busiest(jobs, own, node, range(15)) for node in range(5)])).all()


@given(given_jobs(12), st.lists(st.integers(1, 9), min_size=5, max_size=5))
def test_a_repair_keeps_what_jobs_have_and_makes_no_node_fuller(jobs: list[Job], bound: list[int]) -> None:
    shares, occupation = arrays(jobs)
    before = [busiest(jobs, by_jobs(jobs, shares.cpus), node, range(15)) for node in range(5)]
    own = by_jobs(jobs, repaired(shares, occupation, np.array(bound)).cpus)
    for old, new, sure in zip(by_jobs(jobs, shares.cpus), own, by_jobs(jobs, shares.known), strict=True):
        assert sum(new) == sum(old)
        assert min(new) >= 1
        assert all(a == b for a, b, known in zip(new, old, sure, strict=True) if known)
    after = [busiest(jobs, own, node, range(15)) for node in range(5)]
    assert all(new <= max(old, most) for new, old, most in zip(after, before, bound, strict=True))


def test_a_chain_of_jobs_gives_way() -> None:
    """The second job makes room on node 1 only where the third leaves node 2 for node 3."""
    jobs: list[Job] = [([0, 1], [3, 3], 6, 0, 9), ([1, 2], [0, 0], 4, 0, 9), ([2, 3], [0, 0], 6, 0, 9)]
    shares, occupation = arrays(jobs)
    assert by_jobs(jobs, shares.cpus) == [[3, 3], [2, 2], [3, 3]]
    own = by_jobs(jobs, repaired(shares, occupation, np.array([3, 4, 4, 5, 0])).cpus)
    assert own == [[3, 3], [1, 3], [1, 5]]


def a_machine(seed: int, batch: bool) -> tuple[list[Job], int]:
    """Jobs on ten nodes of 12 CPUs, first come, first served, that fill node by node; their first shares."""
    random = np.random.default_rng(seed)
    free, time, running, jobs = np.full(10, 12), 0, [], []
    for _ in range(300):
        cpus = int(random.integers(1, 12) if random.random() < 0.5 else random.integers(2, 37))
        time += int(random.integers(0, 20))
        # The next job waits for ends until it has room: first come, first served.
        while free.sum() < cpus:
            time = max(time, min(end for end, _ in running))
            for _, held in (run for run in running if run[0] <= time):
                free += held
            running = [run for run in running if run[0] > time]
        # Node by node, each takes what is free of what is left.
        held = np.minimum(free, np.maximum(cpus - np.concatenate(([0], np.cumsum(free)[:-1])), 0))
        free = free - held
        end = time + int(random.integers(10, 200))
        running.append((end, held))
        nodes = np.flatnonzero(held).tolist()
        # A batch line names the processors of the first node alone.
        lines = [int(held[node]) if batch and k == 0 else 0 for k, node in enumerate(nodes)]
        jobs.append((nodes, lines, cpus, time, end))
    return jobs, 120


def test_a_machine_is_found_again_and_never_a_larger_one() -> None:
    """Even shares would make it 140 to 210 CPUs."""
    for seed in range(3):
        for batch in (True, False):
            jobs, cpus = a_machine(seed, batch)
            offset = np.cumsum([0, *(len(nodes) for nodes, *_ in jobs)])
            node = np.array([node for nodes, *_ in jobs for node in nodes])
            found = np.array([share for _, shares, *_ in jobs for share in shares])
            amounts, start, end = (np.array([job[k] for job in jobs]) for k in (2, 3, 4))
            shares = even_shares(offset, node, found, amounts)
            occupation = Occupation(shares, start, end, 10)
            assert occupation.peaks(occupation.usage(shares.cpus)).sum() > 1.15 * cpus
            fit = fit_nodes(shares, occupation, np.zeros(10, np.int64))
            assert 0.95 * cpus <= fit.cpus.sum() <= cpus


def test_of_too_many_events_all_shares_stay_even(monkeypatch) -> None:
    jobs: list[Job] = [([0, 1, 2], [0, 0, 0], 9, 0, 9), ([0], [6], 6, 0, 9)]
    shares, occupation = arrays(jobs)
    bound = np.full(5, 6)
    assert fit_shares(shares, occupation, bound).cpus.tolist() == [1, 4, 4, 6]
    monkeypatch.setattr(share_fitting, "MOST_WORK", 2)
    assert fit_shares(shares, occupation, bound).cpus.tolist() == [3, 3, 3, 6]
