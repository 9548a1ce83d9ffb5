from dataclasses import replace
from pathlib import Path

from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.power import SWITCHED, NodePower, PowerModel, with_power
from engine.policy.policy import parse_policy
from engine.policy.what_ifs import WhatIf, what_ifs
from engine.trace import Trace
from engine.trace.variant import varied
from tests.traces import make_trace

HOURS = [1, 1, 5, 5, 20, 1]
TRACE = make_trace(
    [0, 10, 20, 30, 40, 50],
    [3600 * hours for hours in HOURS],
    [4, 4, 8, 2, 2, 1],
    user=["anna", "ben", "anna", "ben", "carl", "carl"],
    queue=["batch", "debug", "batch", "batch", "batch", "debug"],
)


def asked(policy: str, cluster: str = "4x8c", trace: Trace = TRACE) -> dict[str, WhatIf]:
    return {each.question: each for each in what_ifs(trace, parse_policy(policy), parse_cluster(cluster))}


def test_the_usual_questions_each_change_one_thing() -> None:
    found = {question: (each.policy.spelling, str(each.cluster)) for question, each in asked("easy").items()}
    assert found == {
        "time limits were capped at 1h (50 % of jobs ask for more)": ("easy with walltime_cap=1h", "4x8c"),
        "time limits were capped at 4h (50 % of jobs ask for more)": ("easy with walltime_cap=4h", "4x8c"),
        "time limits were capped at 12h (17 % of jobs ask for more)": ("easy with walltime_cap=12h", "4x8c"),
        "requests were near what users' jobs used (95 % quantile)": ("easy with rightsize=0.95", "4x8c"),
        "jobs came faster by a tenth": ("easy with theta=0.9", "4x8c"),
        "there were 2 nodes more": ("easy", "6x8c"),
        "there were 2 nodes fewer": ("easy", "2x8c"),
        "the jobs of user anna went elsewhere (44 % of the work)": ("easy with users=-anna", "4x8c"),
        "the jobs of user carl went elsewhere (41 % of the work)": ("easy with users=-carl", "4x8c"),
        "the jobs of user ben went elsewhere (14 % of the work)": ("easy with users=-ben", "4x8c"),
        "the jobs of user anna came twice (44 % more work)": ("easy with users=+anna", "4x8c"),
        "the jobs of user carl came twice (41 % more work)": ("easy with users=+carl", "4x8c"),
        "the jobs of user ben came twice (14 % more work)": ("easy with users=+ben", "4x8c"),
        "the jobs of user anna came 8h later": ("easy with shift=8h;anna", "4x8c"),
        "the jobs of queue batch went elsewhere (95 % of the work)": ("easy with queues=-batch", "4x8c"),
        "the jobs of queue debug went elsewhere (5 % of the work)": ("easy with queues=-debug", "4x8c"),
        "the jobs of queue batch came twice (95 % more work)": ("easy with queues=+batch", "4x8c"),
        "queue debug were merged into batch": ("easy with merge=debug;batch", "4x8c"),
    }


def test_short_caps_are_asked_about_where_all_limits_are_short() -> None:
    seconds = [40, 90, 400, 200, 50, 700]
    trace = make_trace([0] * 6, seconds, [1] * 6)
    caps = {question: each.policy.spelling for question, each in asked("easy", trace=trace).items()}
    assert [policy for question, policy in caps.items() if "capped" in question] == [
        "easy with walltime_cap=2m",
        "easy with walltime_cap=5m",
        "easy with walltime_cap=10m",
    ]


def test_jobs_come_later_within_the_time_of_a_short_log() -> None:
    for seconds, later in ((900, "2m"), (1500, "10m"), (4000, "30m"), (20_000, "2h"), (60_000, "8h")):
        trace = make_trace([0, seconds - 60], [60, 60], [1, 2], user=["ben", "anna"])
        found = [each.policy.spelling for each in asked("easy", trace=trace).values()]
        assert f"easy with shift={later};anna" in found, seconds


def test_each_can_be_made_of_the_log() -> None:
    for each in asked("easy").values():
        assert len(varied(TRACE, each.policy.variant)) == len(TRACE)


def test_a_what_if_of_a_what_if_keeps_the_first() -> None:
    found = asked("easy with walltime_cap=4h", "20c")
    assert found["jobs came faster by a tenth"].policy.spelling == "easy with theta=0.9,walltime_cap=4h"
    assert str(found["there were 2 processors more"].cluster) == "22c"
    without = asked("easy with users=-anna")
    twice = without["the jobs of user anna came twice (44 % more work)"].policy
    assert twice.spelling == "easy with users=+anna"
    again = asked(twice.spelling)
    assert again["the jobs of user anna came twice (44 % more work)"].policy.spelling == (
        "easy with users=+anna;+anna"
    )
    assert again["the jobs of user anna went elsewhere (44 % of the work)"].policy.spelling == (
        "easy with users=-anna"
    )


def test_schedules_that_are_read_and_empty_logs_have_none() -> None:
    assert asked("recorded") == {}
    assert what_ifs(Trace.empty(), parse_policy("easy"), Cluster.pool(1)) == ()


def test_shares_of_a_site_are_doubled(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text(
        "NodeName=a[1-4] CPUs=8\nPartitionName=batch Nodes=ALL\nPriorityType=priority/multifactor\n"
    )
    (tmp_path / "dump.txt").write_text(
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nUser - 'root':DefaultAccount='root':Fairshare=1\n"
        "Account - 'physics':Fairshare=30\nAccount - 'biology':Fairshare=10\n"
    )
    trace = make_trace([0, 10], [60, 60], group=["physics", "biology"])
    changed = asked(f"site:{tmp_path}", trace=trace)[
        "the shares of account physics were doubled (50 % of the work)"
    ].policy
    assert changed.site is not None
    assert dict(changed.site.changes) == {"Fairshare.physics": "60"}


def powered(*, unknown: tuple[str, ...] = ()) -> Trace:
    model = PowerModel((NodePower(120, 20, off_w=8, boot_s=180, boot_w=150, unknown=unknown),))
    return replace(TRACE, cluster=with_power(parse_cluster("4x8c"), model))


def _of_power(policy: str, trace: Trace, cluster: str = "4x8c") -> dict[str, str]:
    found = asked(policy, cluster, trace)
    return {each.question: each.policy.spelling for each in found.values() if each.group == "Power"}


def test_idle_nodes_are_switched_off_where_their_power_is_known() -> None:
    off = {"nodes that are idle for 1h were switched off": "easy:power_off=1h"}
    assert _of_power("easy", powered()) == off
    assert _of_power("easy", TRACE) == {}
    assert _of_power("easy", powered(unknown=SWITCHED)) == {}
    assert _of_power("easy", powered(), "32c") == {}
    assert _of_power("conservative", powered()) == {}
    assert _of_power("easy:power_off=2h", powered()) == {}


def test_idle_nodes_of_a_site_are_switched_off_as_its_suspendtime_says(tmp_path: Path) -> None:
    text = "NodeName=a[1-4] CPUs=8\nPartitionName=batch Nodes=ALL\n"
    (tmp_path / "slurm.conf").write_text(text)
    assert _of_power(f"site:{tmp_path}", powered()) == {}
    (tmp_path / "slurm.conf").write_text(
        f"{text}SuspendTime=1800\nSuspendProgram=/opt/off\nResumeProgram=/opt/on\n"
    )
    assert _of_power(f"site:{tmp_path} with walltime_cap=4h", powered()) == {
        "EASY backfilling took the place of the site's Slurm, with all nodes on": "easy with walltime_cap=4h",
        "EASY backfilling did, and nodes idle for 30m were switched off (SuspendTime)": (
            "easy:power_off=30m with walltime_cap=4h"
        ),
    }
    assert _of_power(f"site:{tmp_path}", TRACE) == {}
