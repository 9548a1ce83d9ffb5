"""How reasons of the model are held against those of Slurm."""

from tests.engine.now.reason_agreement import NOTHING, agree, table


def test_what_the_backfiller_planned_is_priority_and_limits_are_of_anybody() -> None:
    same = [("priority", "RESERVATION"), ("resources", "NODES"), ("assocgrpcpulimit", "SITE_LIMIT")]
    assert all(map(agree, [*same, ("qosmaxjobsperuserlimit", "SITE_LIMIT"), ("reservation", "OUTSIDE")]))
    assert not any(map(agree, [("priority", "CPUS"), ("none", "PRIORITY"), ("resources", NOTHING)]))


def test_the_table_counts_each_word_of_slurm() -> None:
    pairs = [("priority", "PRIORITY"), ("priority", "CLOSED"), ("priority", "CLOSED"), ("begintime", "BEGIN")]
    assert table(pairs).splitlines() == [
        "2 of 4 agree",
        "  priority: 1 of 3; 2 closed",
        "  begintime: 1 of 1; no other",
    ]
