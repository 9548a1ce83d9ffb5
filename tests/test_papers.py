"""The page on the papers is made from their folders and kept numbers, and each command can be given."""

from collections import Counter

import pytest

from app.cli.main import main, make_parser
from app.paper.carry_out import RESULTS, _outputs
from app.paper.citations import entries
from engine.metrics.metric_names import parse_metric
from engine.policy.policy import parse_policy
from engine.sweep.paper_claim import ClaimResult
from engine.sweep.paper_file import PaperFile, PaperItem, read_paper_file
from engine.sweep.study_file import read_study_file
from resources import papers, studies
from tests import paper_page
from tests.paths import ROOT
from views.catalog import RUN_FIGURES
from views.grammar.encoding import KINDS

FILES = {name: read_paper_file(folder) for name, folder in papers().items()}
ITEMS = [(name, item) for name, paper in FILES.items() for item in paper.items]


def test_the_page_is_made_from_the_folders() -> None:
    assert paper_page.PAGE.read_text("utf-8").splitlines() == paper_page.lines()


def test_there_are_five_papers_and_each_cites_itself() -> None:
    field = FILES["leaderboard"].cites
    assert set(field) <= set(entries())
    assert [paper.cites for paper in FILES.values()] == [
        ("toth2014",),
        field,
        ("goponenko2022",),
        ("klusacek2014",),
        ("tang2013",),
        ("vandenbossche2011",),
    ]


@pytest.mark.parametrize(("name", "item"), ITEMS, ids=lambda value: getattr(value, "slug", value))
def test_a_command_can_be_given(name: str, item: PaperItem) -> None:
    (*_, output) = _outputs(item, ROOT / item.slug, ROOT / "kept", "")
    options = make_parser().parse_args([*item.words, *output.options])
    policies = getattr(options, "policy", None) or ()
    for text in [policies] if isinstance(policies, str) else policies:
        parse_policy(text)
    if item.command == "figure":
        assert options.kind in {*KINDS, *(spec.kind for spec in RUN_FIGURES)}
    elif item.command == "sweep":
        assert options.study in studies()
    elif item.command == "compare":
        assert {parse_metric(metric).name for metric in options.metric} == set(options.metric)
    for number in item.numbers:
        assert not number.against or number.claim.neutral == 100


def test_all_studies_but_those_of_no_paper_of_these_are_there() -> None:
    swept = {item.words[1] for _, item in ITEMS if item.command == "sweep"}
    of_none = {"formulas", "auction-and-fading-values", "richer-auctions"}
    assert set(studies()) - swept == of_none | {"packing-when-users-react", "tuning-when-users-react"}


@pytest.mark.parametrize("name", FILES)
def test_every_number_has_its_kept_verdict(name: str) -> None:
    kept = paper_page.kept_numbers(papers()[name])
    found = {(each.item, each.text) for each in kept}
    for item in FILES[name].items:
        asked = [number.text for number in item.numbers]
        if item.command == "sweep":
            study = read_study_file(studies()[item.words[1]])
            logs = [log.file for log in item.logs(FILES[name].logs)]
            asked += [
                finding.text
                for finding in study.findings
                if any(study.is_about(finding, log) for log in logs)
            ]
        assert found >= {(item.name, text) for text in asked}
    # What was not found was read in two other ways at least.
    readings = Counter(item.of for item in FILES[name].items if item.of)
    own = [each for each in kept if each.item not in {item.name for item in FILES[name].items if item.of}]
    missed = {each.item for each in own if each.verdict == ClaimResult.NOT}
    assert all(readings[item] >= 2 for item in missed)
    assert {each.verdict for each in kept} <= {*map(str, ClaimResult), "cannot be decided"}


OWN_LOGS = ("users", "widths", "share")


def _needs_no_archive(paper: PaperFile, item: PaperItem) -> bool:
    logs = item.logs(paper.logs)
    return bool(logs) and all(log.name in OWN_LOGS for log in logs)


def test_what_needs_no_log_of_an_archive_is_made_with_the_kept_numbers(
    tmp_path: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    for name, paper in FILES.items():
        chosen = [item for item in paper.items if _needs_no_archive(paper, item)]
        if not chosen:
            continue
        only = [word for item in chosen for word in ("--only", item.name)]
        assert main(["paper", name, "--quiet", *only]) == 0
        said = capsys.readouterr().out.splitlines()
        kept = [
            each for each in paper_page.kept_numbers(papers()[name]) if each.item in {i.name for i in chosen}
        ]
        assert said[: len(kept)] == [str(each) for each in kept]
        assert main(["paper", name, "--quiet", "--check", *only]) == 0
        assert capsys.readouterr().out.splitlines()[-1].endswith("all are as before")
        assert (papers()[name] / RESULTS).is_dir()
