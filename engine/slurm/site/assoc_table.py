"""The accounts and users of a site as `sacctmgr show assoc -P` prints them, with any columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.slurm.site.associations import Association, bounded, heads_of, limits_of, shares_of
from engine.words import clip, counted

_IN_A_DUMP = {
    "grpsubmit": "grpsubmitjobs",
    "maxsubmit": "maxsubmitjobs",
    "maxtres": "maxtresperjob",
    "maxtresmins": "maxtresminsperjob",
    "maxwall": "maxwalldurationperjob",
}
"""What the heads of the table call limits, and what a dump calls them."""

_PARENTS = ("par name", "parentname", "parent")
_COMMAND = "sacctmgr show assoc"

Row = Mapping[str, str]


def is_assoc(text: str) -> bool:
    """True if a text begins like the output of `sacctmgr show assoc -P`."""
    return {"account", "user", "share"} <= set(heads_of(text))


def read_assoc(text: str, cluster: str, notes: list[str]) -> tuple[Association, ...]:
    """The associations of the table; `notes` get what could not be read.

    Of several clusters the one of this name counts, else the first. The account above an account is in the
    column `Par Name` (asked for as ParentName), else shown by its indent (`tree`); where neither is there,
    all accounts are below the root, and `notes` say so.
    """
    heads = heads_of(text)
    lines = [line.split("|") for line in text.split("\n")[1:] if line.strip()]
    rows: list[Row] = [dict(zip(heads, cells, strict=False)) for cells in lines if len(cells) >= len(heads)]
    if odd := len(lines) - len(rows):
        notes.append(f"{_COMMAND}: {counted(odd, 'line')} could not be read")
    rows = _of_cluster(rows, cluster, notes)
    if not set(_PARENTS) & set(heads) and not any(row["account"].startswith(" ") for row in rows):
        notes.append(f"{_COMMAND}: it does not say which account is above which; all are below the root")
    return bounded(_associations(rows), notes)


def _of_cluster(rows: Sequence[Row], cluster: str, notes: list[str]) -> list[Row]:
    """The rows of the site's own cluster."""
    clusters = dict.fromkeys(row.get("cluster", "") for row in rows)
    if len(clusters) < 2:
        return list(rows)
    chosen = next((name for name in clusters if name.lower() == cluster.lower()), next(iter(clusters)))
    notes.append(f"{_COMMAND}: {len(clusters)} clusters, of which {clip(chosen)} is taken")
    return [row for row in rows if row.get("cluster", "") == chosen]


def _associations(rows: Sequence[Row]) -> Iterator[Association]:
    """An association for each row, without the root account itself."""
    everywhere = {_owner(row) for row in rows if not row.get("partition", "").strip()}
    above: list[tuple[int, str]] = []  # accounts with their indents, from the root down
    for row in rows:
        account, user = _owner(row)
        if row.get("partition", "").strip() and (account, user) in everywhere:
            continue  # a user has a row for each partition with limits of its own, which are not simulated
        indent = len(row["account"]) - len(row["account"].lstrip())
        while above and above[-1][0] >= indent:
            above.pop()
        parent = account
        if not user:
            named = next((row[name].strip() for name in _PARENTS if name in row), "")
            parent = named or (above[-1][1] if above else "root")
            above.append((indent, account))
        if user or account != "root":
            limits = {_IN_A_DUMP.get(key, key): value.strip() for key, value in row.items()}
            yield Association(account, user, parent, shares_of(row["share"]), limits_of(limits))


def _owner(row: Row) -> tuple[str, str]:
    return row["account"].strip(), row["user"].strip()
