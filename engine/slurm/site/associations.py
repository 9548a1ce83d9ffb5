"""The accounts and users that share a site's machine, as `sacctmgr dump` and `sshare` print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.words import clip, counted

MOST = 200_000
"""Associations that are read of a file."""

_FIELD = re.compile(r":(\w+)=(?:'([^']*)'|([^:]*))")
_OF_QOS = ("grp", "max", "min", "preempt", "gracetime", "flags")
_LINE = re.compile(r"(Cluster|Parent|Account|User) - '([^']*)'(.*)")


@dataclass(frozen=True)
class Association:
    """An account (no `user`), or a user in an account, with its shares among its siblings.

    `parent` is the account above an account; that of a user is its own `account`. The root is not listed.
    `shares` is None for Fairshare=parent: users then count like their account. `limits` are its limits as
    they are written, by key in lower case: `("maxjobs", "4")`.
    """

    account: str
    user: str
    parent: str
    shares: float | None
    limits: tuple[tuple[str, str], ...] = ()


def is_dump(text: str) -> bool:
    """True if a text begins like the output of `sacctmgr dump`, even where it is cut within its comments."""
    if text.startswith("# To edit this file start with a cluster line"):
        return True
    return bool(re.search(r"^Cluster - '", text, re.MULTILINE)) and "Parent - '" in text


def is_sshare(text: str) -> bool:
    """True if a text begins like the output of `sshare -P`."""
    return {"account", "user", "rawshares"} <= set(heads_of(text))


def heads_of(text: str) -> list[str]:
    """The names of the columns of a table with bars, in small letters."""
    return [head.strip().lower() for head in text.lstrip().split("\n", 1)[0].split("|")]


def read_dump(text: str, notes: list[str]) -> tuple[Association, ...]:
    """The associations of `sacctmgr dump`; what cannot be read is counted in `notes`."""
    associations: list[Association] = []
    # Lines belong to the last Parent line above them, as `sacctmgr dump` prints the tree level by level.
    parent, odd = "root", 0
    for line in text.split("\n"):
        match = _LINE.match(line.strip())
        if match is None:
            # Empty lines and comments are no damage.
            odd += bool(line.strip()) and not line.lstrip().startswith("#")
            continue
        kind, name, rest = match.groups()
        fields = {key.lower(): quoted or plain for key, quoted, plain in _FIELD.findall(rest)}
        shares = shares_of(fields.get("fairshare", "1"))
        if kind == "Parent":
            parent = name
        elif kind == "Account":
            associations.append(Association(name, "", parent, shares, limits_of(fields)))
        # A user's association is of the account above it, which is also its parent.
        elif kind == "User":
            associations.append(Association(parent, name, parent, shares, limits_of(fields)))
    if odd:
        notes.append(f"sacctmgr dump: {counted(odd, 'line')} could not be read")
    return bounded(associations, notes)


def read_sshare(text: str, notes: list[str]) -> tuple[Association, ...]:
    """The associations of `sshare -a -l -P`: accounts are indented below their parents."""
    lines = [line for line in text.split("\n") if line.strip()]
    heads = [head.strip().lower() for head in lines[0].split("|")]
    account_at, user_at, shares_at = (heads.index(name) for name in ("account", "user", "rawshares"))
    associations: list[Association] = []
    above: list[tuple[int, str]] = []  # accounts with their indents, from the root down
    odd = 0
    for line in lines[1:]:
        cells = line.split("|")
        if len(cells) <= max(account_at, user_at, shares_at):
            odd += 1
            continue
        # sshare shows the tree by blanks in front of the account.
        indent = len(cells[account_at]) - len(cells[account_at].lstrip())
        account, user = cells[account_at].strip(), cells[user_at].strip()
        # What is not further in than this line is no parent of it.
        while above and above[-1][0] >= indent:
            above.pop()
        if user:
            associations.append(Association(account, user, account, shares_of(cells[shares_at])))
        else:
            if account != "root":
                associations.append(
                    Association(account, "", above[-1][1] if above else "root", shares_of(cells[shares_at]))
                )
            above.append((indent, account))
    if odd:
        notes.append(f"sshare: {counted(odd, 'line')} could not be read")
    return bounded(associations, notes)


def read_qos(text: str) -> tuple[tuple[str, float], ...]:
    """Names and priorities of `sacctmgr show qos -P`."""
    lines = [line.split("|") for line in text.split("\n") if line.strip()]
    heads = [head.strip().lower() for head in lines[0]]
    name_at, priority_at = heads.index("name"), heads.index("priority")
    rows = [cells for cells in lines[1:] if len(cells) > max(name_at, priority_at)]
    return tuple((cells[name_at].strip(), shares_of(cells[priority_at]) or 0.0) for cells in rows)


def limits_of(fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The keys of an association that limit what runs."""
    return tuple((key, value) for key, value in fields.items() if key.startswith(("grp", "max")) and value)


def read_qos_limits(text: str) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """Names of `sacctmgr show qos -P`, with limits and what is preempted, by column in lower case."""
    lines = [line.split("|") for line in text.split("\n") if line.strip()]
    heads = [head.strip().lower() for head in lines[0]]
    rows = [dict(zip(heads, cells, strict=False)) for cells in lines[1:] if len(cells) >= len(heads)]
    return tuple(
        (
            row["name"].strip(),
            {k: v.strip() for k, v in row.items() if v.strip() and k.startswith(_OF_QOS)},
        )
        for row in rows
    )


def is_qos(text: str) -> bool:
    """True if a text begins like the output of `sacctmgr show qos -P`."""
    heads = heads_of(text)
    return {"name", "priority"} <= set(heads) and "account" not in heads


def of_log(users: Sequence[tuple[str, str]]) -> tuple[Association, ...]:
    """A tree with equal shares for all accounts of a log and their users, given as pairs (account, user)."""
    accounts = dict.fromkeys(account for account, _ in users)
    tree = [Association("root", "root", "root", 1.0)]
    tree += [Association(account, "", "root", 1.0) for account in accounts]
    return tuple(tree + [Association(account, user, account, 1.0) for account, user in dict.fromkeys(users)])


def shares_of(text: str) -> float | None:
    """Shares as a number; None for `parent`, 1 if the text is not a number."""
    text = text.strip().lower()
    if text == "parent":
        return None
    return float(text) if re.fullmatch(r"\d{1,12}(\.\d{1,6})?", text, re.ASCII) else 1.0


def bounded(associations: Iterable[Association], notes: list[str]) -> tuple[Association, ...]:
    """Each association once, at most as many as are read."""
    kept = tuple(
        {(association.account, association.user): association for association in associations}.values()
    )
    if len(kept) > MOST:
        notes.append(
            f"of {len(kept):,} associations the first {MOST:,} are read, to {clip(kept[MOST].account)}"
        )
    return kept[:MOST]
