"""Both configurations of a site on its whole log: the road from files to the answer."""

import shutil
from pathlib import Path

import pytest

import batchscope
from engine.api import read
from engine.errors import InputError
from engine.report.changed_site import site_change
from engine.simulation.control import Cancelled, Control
from engine.simulation.stages import Stages
from engine.slurm.scheduler.phases import phases_of
from tests.engine.logs.sacct.dumps import clock
from tests.engine.report.changed_sites import JOBS, write_changed_log


def test_a_second_node_is_told_apart_from_the_load_in_python(tmp_path: Path) -> None:
    written = write_changed_log(tmp_path)
    log = batchscope.read(written.log)
    answer = batchscope.change(log, written.at, f"site:{written.before}", f"site:{written.after}")
    whole = answer.change.whole
    assert whole.jobs == (JOBS // 2, JOBS // 2)
    assert whole.rules_change is not None
    assert whole.load_change is not None
    assert whole.rules_change < -0.9  # nobody waits long on two nodes
    assert whole.load_change > 0.5  # a single node falls behind further
    assert answer.sentence == answer.change.sentence
    # Each model is judged by the jobs of its own time alone.
    assert [accuracy and accuracy.jobs for accuracy in answer.accuracies] == [JOBS // 2, JOBS // 2]
    assert answer.accuracies[0] is not None
    assert answer.accuracies[0].recorded == pytest.approx(whole.recorded[0])
    # The new rules are a change of the old ones: theirs is the verdict, and the record is told beside it.
    old, new = answer.verdicts
    assert old == f"Old rules, by the jobs before the change: {answer.accuracies[0].verdict}."
    assert new.startswith("New rules: a what-if of the old rules, with their verdict; by the jobs after the")


def test_progress_counts_every_simulation_and_a_cancelled_one_has_no_answer(tmp_path: Path) -> None:
    written = write_changed_log(tmp_path)
    log = read(written.log)
    policies = log.policy(f"site:{written.before}"), log.policy(f"site:{written.after}")
    stages = Stages(Control())
    site_change(log, written.at, *policies, stages)
    assert stages.count == 2 * phases_of(JOBS)
    assert stages.progress == 1.0
    stages = Stages(Control())
    stages.cancel()
    with pytest.raises(Cancelled):
        site_change(log, written.at, *policies, stages)
    assert stages.progress < 1.0


def test_a_date_outside_of_the_log_is_refused_before_anything_is_simulated(tmp_path: Path) -> None:
    written = write_changed_log(tmp_path)
    log = read(written.log)
    policies = log.policy(f"site:{written.before}"), log.policy(f"site:{written.after}")
    stages = Stages(Control())
    with pytest.raises(InputError, match="submitted after this date"):
        site_change(log, "2099-01-01", *policies, stages)
    with pytest.raises(InputError, match="give the files of a site"):
        site_change(log, written.at, policies[0], log.policy("easy"))
    assert stages.count == 1  # no phase was begun


def test_a_reservation_is_no_rule_and_is_not_known_before_the_change(tmp_path: Path) -> None:
    """The same rules on both sides, and a reservation of the only node that the later files alone name."""
    written = write_changed_log(tmp_path)
    log = read(written.log)
    same = f"site:{written.before}"
    plain = batchscope.change(log, written.at, same, same).change.whole
    assert plain.rules_change == 0.0
    later = tmp_path / "later"
    shutil.copytree(written.before, later)
    (later / "reservation.txt").write_text(
        f"ReservationName=repair StartTime={clock(1500)} EndTime={clock(2700)} Duration=00:20:00\n"
        "   Nodes=a1 NodeCnt=1 CoreCnt=4 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES\n"
        "   TRES=cpu=4\n   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE\n"
    )
    whole = batchscope.change(log, written.at, same, f"site:{later}").change.whole
    assert whole.rules_change == 0.0
    # Jobs of ten minutes that were submitted before the change would else have waited for its end.
    assert whole.first[0] == plain.first[0]
    assert whole.first[1] > plain.first[1] + 600
