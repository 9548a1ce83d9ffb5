"""The run that others are compared with where none is named."""

from pathlib import Path

import pytest

from engine.policy.baseline import against_real, baseline_place, usual_baseline
from engine.policy.policy import parse_policy


@pytest.mark.parametrize(
    ("spellings", "place"),
    [
        ("recorded fcfs easy", 2),
        ("recorded saf-easy fcfs", 1),
        ("fcfs saf-easy", 0),
        ("recorded", 0),
        ("easy recorded SITE:bf_interval=60 SITE", 3),
        ("recorded SITE:bf_interval=60 easy", 2),
    ],
)
def test_a_sites_own_policy_goes_before_easy_and_this_before_others(
    tmp_path: Path, spellings: str, place: int
) -> None:
    (tmp_path / "slurm.conf").write_text("NodeName=n CPUs=8\nPartitionName=p Nodes=n\n")
    names = [text.replace("SITE", f"site:{tmp_path}") for text in spellings.split()]
    policies = [parse_policy(text) for text in names]
    assert usual_baseline(policies) == place
    assert against_real(policies) == ("recorded" in names and len(names) > 1)


def test_the_chosen_run_goes_before_the_usual_one_while_it_is_there() -> None:
    policies = [parse_policy(text) for text in ("recorded", "fcfs", "easy")]
    ids = [7, 4, 9]
    assert baseline_place(ids, policies) == 2
    assert baseline_place(ids, policies, None) == 2
    assert baseline_place(ids, policies, 4) == 1
    assert baseline_place(ids, policies, None, 7) == 0
    assert baseline_place(ids, policies, 4, 7) == 1
    assert baseline_place(ids, policies, 3, 7) == 0  # 3 is gone
    assert baseline_place(ids, policies, 3) == 2
    assert baseline_place([], [], 3) == 0
