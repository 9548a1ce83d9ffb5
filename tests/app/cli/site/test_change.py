"""The command `change`: a log with a change of rules in it, made of two real runs of the same submissions."""

import gzip
import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.app.cli.commands import Commands
from tests.paths import SHARED, needs

TIERS = SHARED / "reference" / "slurm" / "tiers"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def joined(path: Path) -> tuple[str, Path]:
    """Write `base`, and `shares` ten minutes behind it with new job numbers; the date between them.

    The files of the site of `shares` are written beside it, with reservations as late.
    """
    base, shares = (
        gzip.decompress((TIERS / name / "sacct.txt.gz").read_bytes()).decode().rstrip().split("\n")
        for name in ("base", "shares")
    )
    # The second log begins ten minutes after the last time of the first: one log with a change in between.
    last = max(map(datetime.fromisoformat, DATE.findall("\n".join(base[1:]))))
    first = min(map(datetime.fromisoformat, DATE.findall("\n".join(shares[1:]))))
    shift = last - first + timedelta(minutes=10)
    numbers = [k for k, head in enumerate(base[0].split("|")) if head in ("JobID", "JobIDRaw")]
    rows = []

    def later(text: str) -> str:
        return DATE.sub(lambda date: (datetime.fromisoformat(date[0]) + shift).isoformat(), text)

    for row in shares[1:]:
        # Numbers of jobs would come twice: those of the second log are moved up.
        cells = later(row).split("|")
        for k in numbers:
            cells[k] = re.sub(r"^\d+", lambda number: str(int(number[0]) + 10_000), cells[k])
        rows.append("|".join(cells))
    path.write_text("\n".join([*base, *rows]) + "\n")
    site = path.with_suffix(".site")
    shutil.copytree(TIERS / "shares" / "site", site)
    reservations = site / "reservation.txt"
    reservations.write_text(later(reservations.read_text()))
    return (last + timedelta(minutes=5)).isoformat(), site


@needs(TIERS)
def test_a_change_of_shares_is_seen_in_the_record_and_explained_by_the_rules(
    cli: Commands, tmp_path: Path
) -> None:
    log = tmp_path / "joined.txt"
    at, after = joined(log)
    sites = ["--before", f"site:{TIERS / 'base' / 'site'}", "--after", f"site:{after}"]
    found = cli.done("change", log, "--at", at, *sites, "--json", "--quiet").document
    accounts = {group["name"]: group for group in found["groups"] if group["by"] == "account"}
    # Account bio got four times its shares: it waits less, and the others wait longer.
    for name, sign in (("bio", -1), ("astro", 1)):
        assert sign * accounts[name]["recorded_change"] > 0.3
        assert sign * accounts[name]["rules_change"] > 0.1
        assert accounts[name]["model_change"] == pytest.approx(accounts[name]["recorded_change"], abs=0.3)
    assert found["groups"][0]["recorded_change"] == pytest.approx(-0.028, abs=0.005)
    # The same jobs were submitted twice, under reservations that the files of either site name.
    assert found["groups"][0]["load_change"] == pytest.approx(0.0, abs=0.1)
    assert found["groups"][0]["model_change"] == pytest.approx(-0.028, abs=0.15)
    assert found["load"]["by_chance"]
    assert found["weeks"] == [1, 1]
    assert found["interval"] is None
    assert len(found["verdicts"]) == 2
    text = cli.done("change", log, "--at", at, *sites, "--quiet").out
    assert found["sentence"] in text
    assert "too few for an interval, which takes 12 on each side" in text


def test_sites_and_a_date_inside_the_log_are_needed(cli: Commands, tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    log.write_text("; MaxProcs: 4\n1 0 5 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    (tmp_path / "slurm.conf").write_text("NodeName=n CPUs=4\nPartitionName=batch Nodes=n\n")
    site = f"site:{tmp_path}"
    assert (
        "give the files of a site"
        in cli("change", log, "--at", "5", "--before", "easy", "--after", site).complaint
    )
    late = cli("change", log, "--at", "99", "--before", site, "--after", site, "--quiet")
    assert "no job ran that was submitted after this date" in late.complaint
