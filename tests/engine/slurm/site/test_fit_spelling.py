"""What was fitted to a site's log, spelled and read back."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.policy.policy import parse_policy, site_policy
from engine.slurm.site.fit_spelling import format_fit, parse_fit, split_tail
from engine.slurm.site.folder import read_site_at

CONF = "NodeName=a[1-4] CPUs=1\nPartitionName=q Nodes=a[1-4]\n"

times = st.integers(0, 10**8)
nodes = st.sets(st.integers(0, 40), min_size=1).map(lambda found: tuple(sorted(found)))
spans = st.tuples(times, st.integers(1, 10**7), nodes).map(lambda s: (s[0], s[0] + s[1], s[2]))


@given(
    launch=st.integers(0, 600),
    completion=st.integers(0, 600),
    away=st.lists(spans, max_size=4).map(tuple),
    until=times,
)
def test_a_fit_is_read_back(launch: int, completion: int, away: tuple[()], until: int) -> None:
    text = format_fit(launch, completion, away, until)
    tail = split_tail(f"/sites/a:b/slurm.conf:{text}" if text else "/sites/a:b/slurm.conf")
    assert tail.path == "/sites/a:b/slurm.conf"
    assert not tail.changes
    assert parse_fit(tail.fit) == (launch, completion, away, until)


def test_the_spelling_is_short() -> None:
    away = ((0, 604800, (3, 4, 5, 6, 7, 9)), (604800, 1209600, (2,)))
    text = format_fit(3, 12, away, 604800)
    assert text == "launch=3,completion=12,until=604800,away=0-604800:3-7.9+604800-1209600:2"


@pytest.mark.parametrize(
    "text",
    [
        "launch=3,launch=4",
        "launch=",
        "launch=99999999",
        "until=-5",
        "away=5",
        "away=9-5:3",
        "away=0-5:3-2",
        "away=0-5:1-2-3",
        "away=0-5:0-9999999",
    ],
)
def test_what_is_no_fit_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_fit(split_tail(f"/site:{text}").fit)


def test_a_fitted_site_is_a_policy(tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    site = replace(read_site_at(conf), launch=4, away=((0, 99, (1, 2)),), fitted_until=50)
    policy = site_policy(site)
    assert policy.spelling == f"site:{tmp_path}:launch=4,until=50,away=0-99:1-2"
    assert parse_policy(policy.spelling) == policy
    assert parse_policy(f"site:{conf}").site == replace(site, launch=0, away=(), fitted_until=0)
    with pytest.raises(InputError, match="launch"):
        parse_policy(f"site:{conf}:launch=99999999")
