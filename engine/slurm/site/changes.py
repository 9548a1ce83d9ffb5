"""Options of a site changed from what its files say: as a spelling, as a value, and as lines to paste.

An option is a setting of slurm.conf (`PriorityWeightAge`), a word of SchedulerParameters (`bf_interval`), or
what sacctmgr sets of an account or a quality of service, whose name follows: `Fairshare.physics`,
`MaxJobsPU.high`, `GrpTRES.astro`. Limits of resources are numbers of CPUs. Values with other signs than those
of words are in double quotes: `PreemptExemptTime="1:00:00"`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from engine.errors import InputError
from engine.slurm.options.enforcement import LIMITS
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import is_known, option_of
from engine.slurm.site.site import Site
from engine.slurm.values.amounts import read_count
from engine.spelling import nearest
from engine.words import clip

FAIRSHARE = "Fairshare"
"""The shares of an account, and without the name of an account those of all."""

_LIMITS = (
    *("GrpJobs", "GrpTRES", "MaxJobs", "MaxTRES", "MaxWall", "MaxJobsPU", "MaxJobsPA", "MaxTRESPU"),
    "MaxTRESPA",
)
_VALUE = re.compile(r"[\w./+:,=-]{1,60}", re.ASCII)
_WEIGHTS = {
    "PriorityWeightAge": "",
    "PriorityWeightFairshare": "",
    "PriorityWeightJobSize": "",
    "PriorityWeightPartition": "partitions",
    "PriorityWeightQOS": "qos",
}
"""Weights of priorities, and what a site must have several of so that a weight changes anything."""

_MACHINE = "machine"
"""What options set that are read together with the nodes."""

_BACKFILLER = ("bf_interval", "bf_max_job_test", "bf_resolution", "bf_window", "default_queue_depth")
_LEAST_WEIGHT, _LEAST_SHARES = 1000, 100
"""Weights and shares are tried up to twice the largest that the site has, and at least to these."""


class OptionRange(NamedTuple):
    """An option that a search varies, between two whole numbers."""

    name: str
    low: int
    high: int


def varied(site: Site) -> tuple[OptionRange, ...]:
    """The options of the site that a search varies where none are named: weights, and the backfiller's."""
    spans = []
    if site.multifactor:
        several = {"": True, "partitions": len(site.conf.partitions) > 1, "qos": len(site.qos) > 1}
        spans += [span_of(site, name) for name, needs in _WEIGHTS.items() if several[needs]]
    if "backfill" in site.conf.option("SchedulerType", "sched/backfill").lower():
        spans += [span_of(site, name) for name in _BACKFILLER]
    return tuple(spans)


def spans_named(site: Site, name: str) -> tuple[OptionRange, ...]:
    """An option to vary by its name; `Fairshare` alone is that of each account. Raises InputError."""
    if name.lower() != FAIRSHARE.lower():
        return (span_of(site, name),)
    accounts = [each.account for each in site.associations if not each.user and each.account != "root"]
    if not accounts:
        raise InputError(f"{site.path}: no file has the accounts, so their shares cannot be varied")
    return tuple(span_of(site, f"{FAIRSHARE}.{account}") for account in accounts)


def span_of(site: Site, name: str) -> OptionRange:
    """The numbers between which a search varies an option. Raises InputError where there are none."""
    name = varied_name(site, name)
    word, _, whose = name.partition(".")
    now = current(site, name)
    # Shares are relative: twice the present number is as far as a search goes.
    if whose:
        number = int(now) if now.isdigit() else 0
        return OptionRange(name, 1, max(2 * number, _LEAST_SHARES))
    if name in _WEIGHTS:
        top = max(_weight(site, weight) for weight in _WEIGHTS)
        return OptionRange(name, 0, max(2 * top, _LEAST_WEIGHT))
    tried = option_of(_place(word), word).tried
    if tried is None:
        raise InputError(f"say which values of {name} are tried, like {name}=one|another")
    return OptionRange(name, *tried)


def official(site: Site, name: str) -> str:
    """The name of an option of this site in the manual's spelling. Raises InputError, with the nearest."""
    word, dot, whose = name.partition(".")
    if dot:
        limit = next((each for each in (FAIRSHARE, *_LIMITS) if each.lower() == word.lower()), None)
        if limit is None:
            raise InputError(f"sacctmgr sets no {clip(word)!r} here{nearest(word, (FAIRSHARE, *_LIMITS))}")
        # Shares are those of accounts, limits those of accounts and of qualities of service.
        owners = _accounts(site) if limit == FAIRSHARE else (*dict(site.qos_limits), *_accounts(site))
        if whose not in owners:
            raise InputError(
                f"{site.path}: {clip(name)}: no file has {clip(whose)!r}{nearest(whose, owners)}"
            )
        return f"{limit}.{whose}"
    # A word may be a setting of its own, or a word of SchedulerParameters.
    for place in (ConfigPart.SETTING, ConfigPart.PARAMETER):
        if is_known(place, word):
            option = option_of(place, word)
            if option.sets == _MACHINE:
                where = "copy the folder, and change it there"
                raise InputError(f"{option.name}: the machine is that of the site's files; {where}")
            if not option.sets and not option.ignored:
                raise InputError(f"{option.name} has no effect on when and where jobs run")
            return option.name
    known = (*_WEIGHTS, *_BACKFILLER)
    raise InputError(f"a site has no option {clip(name)!r}{nearest(name, known)}: its files say the rest")


def varied_name(site: Site, name: str) -> str:
    """The official name of an option that a search may vary. Raises InputError where it changes nothing."""
    name = official(site, name)
    word, dot, _ = name.partition(".")
    if dot:
        if word != FAIRSHARE and LIMITS not in site.enforced:
            raise InputError(f"{name} changes nothing: AccountingStorageEnforce does not have limits")
        return name
    option = option_of(_place(word), word)
    if option.ignored and option.obeyed_with not in site.further_files:
        raise InputError(f"{name} changes nothing that is simulated: {option.ignored}")
    return name


def current(site: Site, name: str) -> str:
    """What the site's files say of an option, by its official name; empty if nothing."""
    word, _, whose = name.partition(".")
    if not whose:
        if _is_parameter(word):
            return site.parameters.get(word.lower(), "")
        return site.conf.option(word)
    if word == FAIRSHARE:
        shares = next(each.shares for each in site.associations if each.account == whose and not each.user)
        return "" if shares is None else f"{shares:g}"
    return _number_in(word, _limits_of(site, whose).get(word.lower(), ""))


def changed(site: Site, texts: Mapping[str, str]) -> Site:
    """The site with other values of some options, which its spelling names. Raises InputError."""
    files = site.unchanged
    for text_name, text in texts.items():
        name = official(site, text_name)
        if not _VALUE.fullmatch(text) or (_is_parameter(name.partition(".")[0]) and "," in text):
            raise InputError(f'{name}={clip(text)}: a number or a word, like {name}=10 or {name}="1:00:00"')
        if text == current(site, name):
            continue
        site = _set(site, name, text)
        site = replace(site, files=files, changes=tuple(sorted({**dict(site.changes), name: text}.items())))
    return site


def changed_lines(site: Site) -> tuple[str, ...]:
    """The changes as lines to paste: of a slurm.conf, and commands of sacctmgr."""
    settings, parameters = changed_settings(site)
    lines = [f"{name}={value}" for name, value in settings.items()]
    if parameters:
        lines.append(f"SchedulerParameters={site.conf.option('SchedulerParameters')}")
    return (*lines, *commands(site))


def changed_settings(site: Site) -> tuple[dict[str, str], dict[str, str]]:
    """The settings that were changed, and the words of SchedulerParameters, with their values."""
    settings = {name: text for name, text in site.changes if "." not in name}
    words = {name: text for name, text in settings.items() if _is_parameter(name)}
    return {name: text for name, text in settings.items() if name not in words}, words


def commands(site: Site) -> tuple[str, ...]:
    """The changes of accounts and qualities of service, as commands of sacctmgr."""
    made = []
    for name, text in site.changes:
        word, _, whose = name.partition(".")
        if whose:
            kind = "qos" if word != FAIRSHARE and whose in dict(site.qos_limits) else "account"
            value = f"cpu={text}" if "TRES" in word and text.isdigit() else text
            made.append(f"sacctmgr -i modify {kind} where name={whose} set {word}={value}")
    return tuple(made)


def _set(site: Site, name: str, text: str) -> Site:
    """The site with an option set, by its official name."""
    word, _, whose = name.partition(".")
    if not whose:
        options = dict(site.conf.options)
        # A parameter is a word within SchedulerParameters, whose other words stay.
        if _is_parameter(word):
            words = {**site.parameters, word.lower(): text}
            options["schedulerparameters"] = ",".join(
                f"{key}={value}" if value else key for key, value in words.items()
            )
        else:
            options[word.lower()] = text
        return replace(site, conf=replace(site.conf, options=options))
    # A name that is a quality of service means that, but shares belong to accounts alone.
    if word != FAIRSHARE and whose in dict(site.qos_limits):
        limits = {**_limits_of(site, whose), word.lower(): _in_resources(site, word, whose, text)}
        qos = tuple((own, limits if own == whose else keys) for own, keys in site.qos_limits)
        return replace(site, qos_limits=qos)
    tree = []
    # The account's own row is changed, not those of its users.
    for own in site.associations:
        if own.account == whose and not own.user:
            if word == FAIRSHARE:
                if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
                    raise InputError(f"{name}={clip(text)}: shares are a whole number")
                own = replace(own, shares=float(text))
            else:
                limits = {**dict(own.limits), word.lower(): _in_resources(site, word, whose, text)}
                own = replace(own, limits=tuple(limits.items()))
        tree.append(own)
    return replace(site, associations=tuple(tree))


def _in_resources(site: Site, word: str, whose: str, text: str) -> str:
    """The limit as the files write it: a number of CPUs takes the place of theirs."""
    if "TRES" not in word:
        return text
    parts = _limits_of(site, whose).get(word.lower(), "").split(",")
    return ",".join([f"cpu={text}", *(part for part in parts if part and not part.startswith("cpu="))])


def _number_in(word: str, text: str) -> str:
    """The number of CPUs of a limit of resources; other limits as they are."""
    if "TRES" not in word:
        return text
    return next((part[4:] for part in text.split(",") if part.startswith("cpu=")), "")


def _limits_of(site: Site, whose: str) -> Mapping[str, str]:
    """The limits of a quality of service, or else of an account, by key in lower case."""
    of_qos = dict(site.qos_limits)
    if whose in of_qos:
        return of_qos[whose]
    return dict(next(each.limits for each in site.associations if each.account == whose and not each.user))


def _accounts(site: Site) -> tuple[str, ...]:
    return tuple(each.account for each in site.associations if not each.user)


def _is_parameter(name: str) -> bool:
    """Whether an option is a word of SchedulerParameters, and not a setting of its own."""
    return _place(name) is ConfigPart.PARAMETER


def _place(name: str) -> ConfigPart:
    return ConfigPart.SETTING if is_known(ConfigPart.SETTING, name) else ConfigPart.PARAMETER


def _weight(site: Site, name: str) -> int:
    """A weight of priorities as the files give it; 0 without one. Raises InputError."""
    text = site.conf.option(name)
    return read_count(name, text) if text else 0
