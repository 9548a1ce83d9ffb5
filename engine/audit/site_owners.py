"""Whose jobs count towards a limit of a site, and what its files allow them, apart from the simulator.

Owners are known by the words that a decision log has for them: `account astro`, `user bob of account astro`,
`QOS high`, `user bob in QOS high`, `account astro in QOS high`, `array 17` (sacctmgr(1), sbatch(1)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.schedule.site_limits import HeldBy
from engine.shown_text import shown_name
from engine.slurm.site.site import Site
from engine.slurm.values.times import read_time
from engine.slurm.values.tres import amounts_of, weights_of
from engine.trace import Trace

Texts = NDArray[np.object_]
Keys = Mapping[str, str]

# The keys of a limit by what it limits: jobs, amounts, amounts times minutes so far, and still to come.
_KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "QOS": {
        "jobs": ("grpjobs",),
        "amount": ("grptres",),
        "spent": ("grptresmins", "grpwall"),
        "ahead": ("grptresrunmins",),
    },
    "user in": {"jobs": ("maxjobspu",), "amount": ("maxtrespu",), "ahead": ("maxtresrunminspu",)},
    "account in": {"jobs": ("maxjobspa",), "amount": ("maxtrespa",), "ahead": ("maxtresrunminspa",)},
    "association": {
        "jobs": ("grpjobs", "maxjobs"),
        "amount": ("grptres",),
        "spent": ("grptresmins", "grpwall"),
        "ahead": ("grptresrunmins",),
    },
}


class SiteOwners:
    """The owners of a site's limits, among the jobs of a trace."""

    def __init__(self, site: Site, trace: Trace) -> None:
        self._site, self._trace = site, trace
        self._qos = dict(site.qos_limits)
        self._parents = {own.account: own.parent for own in site.associations if not own.user}
        own = _words(trace.qos.names, trace.qos.codes) if trace.qos is not None else _none(trace)
        of_queue = [
            "" if (partition := site.conf.partition(name.split(",")[0])) is None
            else partition.keys.get("qos", "")
            for name in trace.queue.names
        ]  # fmt: skip
        # A job counts for its own quality of service and for that of its partition.
        self._qualities = (own, _words(of_queue, trace.queue.codes))
        self._account = _words(trace.group.names, trace.group.codes)
        self._user = _words(trace.user.names, trace.user.codes)
        self._owners = {words: (kind, name, counts) for words, kind, name, counts in self._all()}
        self._counted: dict[str, Mask] = {}

    def counted(self, owner: str) -> Mask | None:
        """The jobs that count towards an owner's limits, (n,); None where the files have none such."""
        if owner not in self._owners:
            return None
        if owner not in self._counted:
            self._counted[owner] = self._owners[owner][2]()
        return self._counted[owner]

    def allows(self, held: HeldBy) -> set[int]:
        """What the files allow an owner of what a limit limits, in its unit; several keys may say so."""
        kind, name, _ = self._owners[held.owner]
        if kind == "array":
            return {int(most) for most in np.unique(self._at_once()[self._counted_array(name[0])])}
        levels = [self._qos.get(name[0], {})] if kind != "association" else self._levels(name)
        numbers = set()
        for key in _KEYS[kind].get(held.sort, ()):
            for keys in levels:
                numbers |= _numbers(key, keys, held)
        return numbers

    def billing(self, amount: Ints, names: tuple[str, ...], job: Ints) -> Ints:
        """The billing of runs, (r,), of these amounts of resources, (r, K), and jobs, (r,)."""
        charge = amount[:, 0].astype(np.float64)
        for code, name in enumerate(self._trace.queue.names):
            partition = self._site.conf.partition(name.split(",")[0])
            weights = weights_of("" if partition is None else partition.keys.get("tresbillingweights", ""))
            if weights:
                of_partition = self._trace.queue.codes[job] == code
                weighed = sum(weights.get(each, 0.0) * amount[:, k] for k, each in enumerate(names))
                charge[of_partition] = np.broadcast_to(weighed, len(charge))[of_partition]
        return np.ceil(charge).astype(np.int64)

    def _all(self) -> Iterator[tuple[str, str, tuple[str, ...], Callable[[], Mask]]]:
        """Each owner: its words, its kind, its names, and the jobs that count."""
        # The names are built as the log of decisions spells them, so that an owner is found by its words.
        users, accounts = set(self._user.tolist()), set(self._account.tolist())
        for quality in self._qos:
            shown = shown_name(quality)
            yield f"QOS {shown}", "QOS", (quality,), partial(self._of_quality, quality)
            # MaxTRESPerUser and its like count the jobs of one user within a quality of service.
            for user in users:
                of_user = partial(self._in_quality, quality, self._user, user)
                yield f"user {shown_name(user)} in QOS {shown}", "user in", (quality,), of_user
            for account in accounts:
                of_account = partial(self._in_quality, quality, self._account, account)
                yield f"account {shown_name(account)} in QOS {shown}", "account in", (quality,), of_account
        # An account's limit counts all jobs below it in the tree, also those of accounts under it.
        for account in {*accounts, *self._parents, *self._parents.values()}:
            below = partial(self._below, account)
            yield f"account {shown_name(account)}", "association", (account, ""), below
        for account, user in set(zip(self._account.tolist(), self._user.tolist(), strict=True)):
            words = f"user {shown_name(user)} of account {shown_name(account)}"
            yield words, "association", (account, user), partial(self._of_association, account, user)
        # The bound of an array (the number behind % in its --array) has the array itself as owner.
        if self._trace.at_once is not None:
            for array in {self._array(job) for job in np.flatnonzero(self._trace.at_once).tolist()}:
                yield f"array {shown_name(array)}", "array", (array,), partial(self._counted_array, array)

    def _in_quality(self, quality: str, names: Texts, name: str) -> Mask:
        return np.asarray(self._of_quality(quality) & (names == name), np.bool_)

    def _of_association(self, account: str, user: str) -> Mask:
        return np.asarray((self._account == account) & (self._user == user), np.bool_)

    def _of_quality(self, name: str) -> Mask:
        of_job, of_partition = self._qualities
        return np.asarray((of_job == name) | (of_partition == name), np.bool_)

    def _below(self, account: str) -> Mask:
        """The jobs of an account and of those below it."""
        below = {name for name in set(self._account.tolist()) if account in self._line(name)}
        return np.isin(self._account.astype(str), list(below))

    def _line(self, name: str) -> list[str]:
        """An account and those above it; a circle ends where it begins."""
        line: list[str] = []
        while name and name not in line:
            line.append(name)
            name = self._parents.get(name, "")
        return line

    def _levels(self, name: tuple[str, ...]) -> list[Keys]:
        """The limits of an association. MaxJobs is inherited from the accounts above."""
        account, user = name
        known = {(own.account, own.user): dict(own.limits) for own in self._site.associations}
        own = known.get((account, user), {})
        above = [known.get((each, ""), {}) for each in self._line(account)]
        inherited = [{"maxjobs": keys["maxjobs"]} for keys in above if "maxjobs" in keys]
        return [own, *inherited]

    def _array(self, job: int) -> str:
        return str(self._trace.job_id[job]).partition("_")[0]

    def _at_once(self) -> Ints:
        at_once = self._trace.at_once
        return np.zeros(len(self._trace), np.int64) if at_once is None else np.asarray(at_once, np.int64)

    def _counted_array(self, array: str) -> Mask:
        at_once = self._at_once() > 0
        return np.array([bool(there) and self._array(job) == array for job, there in enumerate(at_once)])


def _words(names: tuple[str, ...] | list[str], codes: NDArray[np.int32]) -> Texts:
    return np.array([*names, ""], object)[codes]


def _none(trace: Trace) -> Texts:
    return np.full(len(trace), "", object)


def _numbers(key: str, keys: Keys, held: HeldBy) -> set[int]:
    """The number of a key, if it is given and about this resource."""
    text = keys.get(key, "")
    if key == "grpwall":
        try:
            return {read_time("GrpWall", text) // 60} if text and held.resource == "wall" else set()
        except InputError:
            return set()
    if held.sort == "jobs":
        return {int(text)} if text.isascii() and text.isdigit() and len(text) < 13 else set()
    amount = amounts_of(text).get(held.resource)
    return set() if amount is None else {amount}
