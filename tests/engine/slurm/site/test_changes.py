"""Options of a site changed from what its files say, and the doors by which they come in."""

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.search.space import parse_space
from engine.slurm.site.changes import changed, changed_lines, varied
from engine.slurm.site.folder import is_site, read_site_at

CONF = """NodeName=n[1-4] CPUs=8
PartitionName=p Nodes=n[1-4] Default=YES
PriorityType=priority/multifactor
PriorityWeightAge=1000
SchedulerParameters=bf_continue,{}
AccountingStorageEnforce=limits
"""
QOS = "Name|Priority|GrpTRES|MaxJobsPU\nnormal|0|cpu=16,mem=8G|4\n"
DUMP = """Cluster - 'c':Fairshare=1
Parent - 'root'
Account - 'bio':Fairshare=15
Account - 'phys':Fairshare=60
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "slurm.conf").write_text(CONF.format("bf_interval=20"))
    (tmp_path / "qos").write_text(QOS)
    (tmp_path / "dump").write_text(DUMP)
    return tmp_path


@pytest.mark.parametrize(
    "option",
    [
        "bf_interval=45",
        "bf_interval=-1",
        "bf_max_job_test=7",
        "bf_resolution=1",
        "bf_window=90",
        "bf_interval=x",
    ],
)
def test_an_option_gives_the_same_rules_by_every_door(tmp_path: Path, folder: Path, option: str) -> None:
    conf = folder / "slurm.conf"
    conf.write_text(CONF.format(option))
    sites = [
        parse_policy(f"site:{folder}").site,
        parse_policy(str(conf)).site,  # audit, search, compare, Python
        parse_policy(f"site:{conf}").site,
        read_site_at(conf),  # dropped on the window, opened, added by its button
    ]
    rules = [None if site is None else site.rules(1) for site in sites]
    assert rules[0] is not None
    assert rules == rules[:1] * len(rules)
    assert all(site == sites[0] and site is not None and site.associations for site in sites)


def test_a_changed_option_is_spelled_and_read_back(folder: Path) -> None:
    policy = parse_policy(f"site:{folder}:Fairshare.bio=40,MaxJobsPU.normal=9,bf_interval=60")
    site = policy.site
    assert site is not None
    assert policy.spelling == f"site:{folder}:Fairshare.bio=40,MaxJobsPU.normal=9,bf_interval=60"
    assert parse_policy(policy.spelling) == policy != parse_policy(f"site:{folder}")
    assert site.rules(1).bf_interval == 60
    assert {own.account: own.shares for own in site.associations} == {"bio": 40.0, "phys": 60.0}
    assert dict(site.qos_limits)["normal"]["maxjobspu"] == "9"
    assert changed_lines(site) == (
        "SchedulerParameters=bf_continue,bf_interval=60",
        "sacctmgr -i modify account where name=bio set Fairshare=40",
        "sacctmgr -i modify qos where name=normal set MaxJobsPU=9",
    )


def test_a_value_with_a_colon_is_quoted_and_read_back(folder: Path) -> None:
    spelling = f'site:{folder}:PreemptExemptTime="1:00:00",bf_interval=60'
    policy = parse_policy(f'site:{folder}:bf_interval=60,PreemptExemptTime="1:00:00"')
    assert policy.spelling == spelling
    assert parse_policy(spelling) == policy
    assert policy.site is not None
    assert policy.site.conf.option("PreemptExemptTime") == "1:00:00"
    assert changed_lines(policy.site)[0] == "PreemptExemptTime=1:00:00"
    assert policy.site.label(1) == f'site:{folder.name}:PreemptExemptTime="1:00:00",bf_interval=60'
    with pytest.raises(InputError, match="a number or a word"):
        parse_policy(f'site:{folder}:bf_interval="60,defer"')


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("PriorityWeightAssoc=0|9", "changes nothing that is simulated: associations have no priorities"),
        ("Licenses=a:1|a:2", "jobs do not wait for licenses"),
    ],
)
def test_what_is_ignored_is_not_varied(folder: Path, name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_space([name], parse_policy(f"site:{folder}"))


def test_limits_that_nobody_enforces_are_not_varied(folder: Path) -> None:
    conf = folder / "slurm.conf"
    conf.write_text(conf.read_text().replace("Enforce=limits", "Enforce=qos"))
    policy = parse_policy(f"site:{folder}")
    with pytest.raises(InputError, match="changes nothing: AccountingStorageEnforce does not have limits"):
        parse_space(["MaxJobsPU.normal=2..5"], policy)
    assert parse_space(["Fairshare.bio"], policy)


def test_a_folder_called_site_is_called_by_the_one_above_too(tmp_path: Path) -> None:
    folder = tmp_path / "cluster" / "site"
    folder.mkdir(parents=True)
    (folder / "slurm.conf").write_text("NodeName=n CPUs=8\nPartitionName=p Nodes=n\n")
    site = read_site_at(folder)
    assert site.label(1) == "site:cluster/site"
    assert read_site_at(folder.parent.parent / "cluster" / "site" / "slurm.conf").label(1) == site.label(1)


def test_what_the_files_say_already_is_no_change(folder: Path) -> None:
    site = read_site_at(folder)
    same = {"bf_interval": "20", "Fairshare.bio": "15", "GrpTRES.normal": "16", "PriorityWeightAge": "1000"}
    assert changed(site, same) == site
    more = changed(site, {"GrpTRES.normal": "24"})
    assert dict(more.qos_limits)["normal"]["grptres"] == "cpu=24,mem=8G"


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("bf_intervall=3", "did you mean 'bf_interval'"),
        ("Fairshare.biol=3", "did you mean 'bio'"),
        ("Colour.bio=3", "sacctmgr sets no 'Colour'"),
        ("Fairshare.bio=many", "a whole number"),
    ],
)
def test_an_option_that_the_site_does_not_have_is_named(folder: Path, option: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_policy(f"site:{folder}:{option}")


def test_a_search_varies_the_options_of_the_site_within_their_bounds(folder: Path) -> None:
    policy = parse_policy(f"site:{folder}")
    assert policy.site is not None
    names = [span.name for span in varied(policy.site)]
    assert names[0] == "PriorityWeightAge"
    assert "bf_interval" in names
    assert "PriorityWeightPartition" not in names  # there is a single partition
    shares = parse_space(["Fairshare"], policy)
    assert [(of.key.name, of.low, of.high) for of in shares] == [
        ("Fairshare.bio", 1, 100),
        ("Fairshare.phys", 1, 120),
    ]
    (given,) = parse_space(["MaxJobsPU.normal=2..5"], policy)
    assert (given.low, given.high) == (2, 5)
    with pytest.raises(InputError, match="the smaller one"):
        parse_space(["bf_interval=50..5"], policy)


def test_a_site_without_nodes_brings_no_machine(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text("ClusterName=c\nPartitionName=p Nodes=ALL\nPriorityWeightAge=5\n")
    assert is_site(tmp_path)
    assert read_site_at(tmp_path).machine is None
    assert parse_policy(f"site:{tmp_path}").machine is None
