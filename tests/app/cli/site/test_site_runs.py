"""Sites in a comparison of the command line: what is printed of them, and what-ifs that are left out."""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.cli.site_runs import shown_places
from app.export.formats import metrics_rows
from app.export.provenance import Provenance
from app.model.chart_data import SimulatedSchedule, compared_run, lay_out
from engine import api
from engine.errors import InputError
from engine.metrics.evaluation import evaluate
from engine.policy.share import Share
from engine.report.changes import changes
from engine.report.ranking import ranking
from engine.report.section import Compared
from engine.schedule.schedule import Schedule
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import site_verdicts
from tests.app.cli.commands import Commands
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from tests.engine.slurm.scheduler.test_verdicts import NAMES, schedules, spread_of
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers"

__all__ = ["schedules"]


def test_a_what_if_of_a_misleading_model_is_shown_only_if_asked_for(
    schedules: list[Schedule],
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdicts = site_verdicts(NAMES, schedules, {1: spread_of(schedules[1], 1.1)})
    plain, asked = argparse.Namespace(doubtful=False), argparse.Namespace(doubtful=True)
    assert shown_places(verdicts, 0, plain) == [0, 1]
    assert "site:b: not shown: the model of site:a has accounts in another order" in capsys.readouterr().err
    assert shown_places(verdicts, 0, asked) == [0, 1, 2]
    with pytest.raises(InputError, match="cannot be the baseline"):
        shown_places(verdicts, 2, plain)


@needs(TIERS)
def test_a_second_real_run_is_inside_the_spread_and_carries_no_verdict_of_its_own(cli: Commands) -> None:
    log, sites = TIERS / "base" / "sacct.txt.gz", [TIERS / name / "site" for name in ("base", "base-again")]
    result = cli.done(
        "compare", log, "-p", "recorded", *(word for s in sites for word in ("-p", f"site:{s}"))
    )
    assert result.err.count("the model's mean wait is") == 1
    assert "base-again/site against site:" in result.out
    assert "inside what the phases of slurmctld's loops change" in result.out
    facts = cli.done("compare", log, "-p", "recorded", "-p", f"site:{sites[0]}", "--json").document["runs"]
    assert "≈ inside what the phases of slurmctld's loops change\n" in result.out
    (waits,) = (line for line in result.out.splitlines() if line.startswith("Mean wait, s"))
    assert waits.count("(≈ ") == 2  # the record and the second run
    assert facts[0]["phases"] is None
    assert facts[1]["phases"]["count"] == 8
    assert facts[1]["phases"]["wait_mean"][0] == pytest.approx(facts[1]["metrics"]["wait_mean"])
    ranges = facts[1]["phases"]["metrics"]
    waits = facts[1]["phases"]["wait_mean"]
    assert ranges["wait_mean"] == pytest.approx([min(waits), max(waits)])
    assert ranges["violated_jobs"][0] <= facts[1]["metrics"]["violated_jobs"] <= ranges["violated_jobs"][1]
    assert "backfilled" not in ranges  # further phases have no decision log


CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval={}\n"


@pytest.fixture
def misled(tmp_path: Path) -> tuple[Path, list[Path]]:
    """A log in which the accounts run in turn, the last one first, and two sites that do not do that."""
    rows = []
    for k in range(180):
        account, place = divmod(k, 60)
        start = (1400, 700, 100)[account] + 10 * place
        asked = {"JobID": k + 1, "Account": "abc"[account], "Submit": clock(k), "NodeList": "a"}
        rows.append(job(**asked, Start=clock(start), End=clock(start + 10)))
    log = tmp_path / "sacct.txt"
    log.write_text("\n".join((HEADER, *rows, "")))
    sites = [tmp_path / name for name in ("old", "new")]
    for folder, interval in zip(sites, (30, 60), strict=True):
        folder.mkdir()
        (folder / "slurm.conf").write_text(CONF.format(interval))
    return log, sites


def test_a_search_on_a_site_that_misleads_is_made_only_if_asked_for(
    cli: Commands, misled: tuple[Path, list[Path]]
) -> None:
    log, (site, _) = misled
    asked = ("search", log, "-p", f"site:{site}", "--minimize", "wait_mean", "--trials", 2)
    why = cli(*asked, "--vary", "bf_interval=30..300").err.splitlines()[-1]
    name = f"site:{site}"
    assert (
        f"{name}: changes of it cannot be believed: the model of {name} has accounts in another order" in why
    )
    assert why.endswith("--doubtful searches all the same")
    assert "cannot be believed" in cli.done(*asked, "--vary", "bf_interval=30..300", "--doubtful").out
    with pytest.raises(InputError, match="doubtful=True"):
        api.search(api.read(log), policy=f"site:{site}", keys="bf_interval=30..300", trials=2)


def test_a_study_of_a_site_that_misleads_makes_what_ifs_only_if_asked_for(
    cli: Commands, misled: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    log, sites = misled
    study = tmp_path / "study.toml"
    names = ", ".join(f'"site:{site}"' for site in sites)
    study.write_text(f'title = "Which?"\npolicies = [{names}]\nmetrics = ["wait_mean"]\ntheta = [1.0, 0.5]\n')
    found = cli.done("sweep", study, log, "-o", tmp_path / "out")
    assert "3 runs not shown: the model of site:" in found.err  # the site itself with a changed log, too
    assert found.err.count("--doubtful shows them") == 1
    assert found.out.count("–") == 3
    shown = cli.done("sweep", study, log, "-o", tmp_path / "out", "--doubtful")
    assert "not shown" not in shown.err
    assert "–" not in shown.out


def test_reports_and_figures_say_which_changes_chance_explains(
    schedules: list[Schedule],
) -> None:
    first, second = (
        schedules[1],
        replace(schedules[2], start=schedules[2].start + 3, end=schedules[2].end + 3),
    )
    both = [first, second]
    spreads = {0: spread_of(first, 1.1), 1: spread_of(second, 0.9)}
    verdicts = site_verdicts(NAMES[1:], both, spreads)
    evaluations = evaluate(both, Share(), first)
    compared = Compared(NAMES[1:], evaluations, sites=verdicts.runs)
    chance = "The mean waits of site:a and site:b differ by less than the phases of slurmctld's loops change"
    assert any(chance in statement.text for statement in ranking(compared).statements)
    assert "inside what the phases of slurmctld's loops change" in changes(compared).statements[0].text
    # Far apart, the difference is no longer one of chance, and nothing is said of it.
    far = replace(second, start=second.start + 300, end=second.end + 300)
    told = site_verdicts(NAMES[1:], [first, far], {0: spread_of(first, 1.1), 1: spread_of(far, 0.9)})
    apart = replace(compared, evaluations=evaluate([first, far], Share(), first), sites=told.runs)
    assert not any(chance in statement.text for statement in ranking(apart).statements)
    results = [
        compared_run(number, lay_out(SimulatedSchedule(schedule, 0.0)), evaluation, None).result.judged(
            verdict
        )
        for number, (schedule, evaluation, verdict) in enumerate(
            zip(both, evaluations, verdicts.runs, strict=True), 1
        )
    ]
    spread = PhaseSpread(np.stack([first.wait, second.wait]), (second,))
    summaries = [evaluation.summary for evaluation in evaluations]
    _, rows = metrics_rows(summaries, NAMES[1:], 0, [evaluations[0].over_phases(spread), {}])
    assert next(row for row in rows if row[0] == "Mean wait")[-1].endswith(" (≈ +1.5 %)")
    note = Provenance(results, None, None, (0.0, 1.0), "fair").note(timed=False).replace("\n", " ")
    assert "over 2 phases of slurmctld's loops" in note
    assert "inside what the phases of slurmctld's loops change" in note
