"""The files of a site under other names, with those settings alone that a simulation reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from engine.anonymous.names import NewNames, SeenNames
from engine.slurm.conf.kind import PRINTED, SLURM_CONF, kind_of_text
from engine.slurm.conf.scontrol_output import NODES, PARTITIONS
from engine.slurm.conf.slurm_conf import read_slurm_conf
from engine.slurm.conf.text import conf_lines, text_lines
from engine.slurm.options.option import ConfigPart
from engine.slurm.options.table import is_known, option_of
from engine.slurm.site.assoc_table import is_assoc
from engine.slurm.site.associations import is_dump, is_qos, is_sshare
from engine.slurm.site.reservations import is_reservations

_HOSTS = ("nodename", "nodes", "nodelist", "downnodes")
_ACCOUNTS = ("allowaccounts", "denyaccounts", "accounts")
_KINDS = {
    **dict.fromkeys(_ACCOUNTS, "account"),
    **dict.fromkeys(("allowgroups", "groups"), "group"),
    **dict.fromkeys(("switchname", "switches"), "switch"),
    "users": "user",
    "clustername": "cluster",
    "reservationname": "reservation",
}
"""Keys whose values are lists of names."""

_DROPPED = frozenset(
    (
        *(
            "nodeaddr",
            "nodehostname",
            "port",
            "bcastaddr",
            "reason",
            "allocnodes",
            "comment",
            "extra",
            "file",
        ),
        *("slurmctldhost", "controlmachine", "linkspeed", "os", "version", "mcs_label", "owner", "licenses"),
        *("description", "organization", "adminlevel", "defaultwckey", "descr", "instanceid", "instancetype"),
    )
)
_OTHER_SETTINGS = frozenset(
    (
        *("clustername", "grestypes", "topologyplugin", "slurm_version", "boot_time"),
        *("priorityweighttres", "priorityweightassoc", "priorityusageresetperiod"),
    )
)
"""Settings that are read beside those that a simulation obeys, or of which is said that it does not."""

_BEGINNINGS = {
    NODES: ("NodeName", ((("NodeName", ""), ("Arch", "x86_64")), (("   CPUAlloc", "0"),))),
    PARTITIONS: (
        "PartitionName",
        (
            (("PartitionName", ""),),
            (("   AllowGroups", "ALL"), ("AllowAccounts", "ALL"), ("AllowQos", "ALL")),
        ),
    ),
    "reservations": (
        "ReservationName",
        ((("ReservationName", ""), ("StartTime", ""), ("EndTime", "")),),
    ),
}
"""The first lines of entries that `scontrol` prints, by which each kind is known, with usual values."""

_WORD = re.compile(r"(\w[\w:/]*)=(\S*)")
_OF_DUMP = re.compile(r":(\w+)=('[^']*'|[^:]*)")
_DUMP_LINE = re.compile(r"(Cluster|Parent|Account|User) - '([^']*)'(.*)")
_TABLE_KINDS = {"account": "account", "par name": "account", "parentname": "account", "user": "user"}
_TABLE_KINDS |= {"cluster": "cluster"}


class SiteFiles:
    """The texts of a site's files by their names, of those kinds that a simulation reads."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self._folder = folder
        self._texts = {name: text for name, text in texts.items() if _kind(name, text)}

    def see(self, names: NewNames) -> None:
        """Note all names of the files."""
        for _ in self.renamed(SeenNames(names)):
            pass

    def renamed(self, names: NewNames) -> Iterator[tuple[str, str]]:
        """The files under new names: for each a name, which says what it holds, and its text."""
        for name, text in self._texts.items():
            kind = _kind(name, text)
            yield (
                kind.replace(" ", "_") + ("" if "." in kind else ".txt"),
                _renamed(self._folder / name, kind, text, names),
            )


def _kind(name: str, text: str) -> str:
    """What a file is, as the reader of sites tells it; empty for files that it does not read."""
    for kind, test in (
        ("sacctmgr dump", is_dump),
        ("assoc", is_assoc),
        ("sshare", is_sshare),
        ("qos", is_qos),
        ("reservations", is_reservations),
    ):
        if test(text):
            return kind
    kind = kind_of_text(text)
    if kind == SLURM_CONF or kind.startswith(PRINTED):
        return kind
    return name if name in ("gres.conf", "topology.conf") else ""


def _renamed(path: Path, kind: str, text: str, names: NewNames) -> str:
    if kind == SLURM_CONF:
        return _conf(path, names)
    if kind in ("gres.conf", "topology.conf"):
        lines = (_line(line.keys, names) for line in text_lines(path, text))
        return "".join(f"{line}\n" for line in lines)
    if kind == "sacctmgr dump":
        return "".join(f"{line}\n" for line in _dump(text, names))
    if kind in ("assoc", "sshare", "qos"):
        return "".join(f"{line}\n" for line in _table(text, names))
    if kind == PRINTED:
        return "".join(f"{line}\n" for line in _settings(text, names))
    return "".join(f"{line}\n" for line in _printed(kind, text, names))


def _conf(path: Path, names: NewNames) -> str:
    """A slurm.conf with what it includes, and the release that it is for."""
    version = read_slurm_conf(path, needs_nodes=False).version
    lines = [] if version is None else [f"# Slurm {version[0]}.{version[1]:02}"]
    for line in conf_lines(path):
        keys = line.keys
        if not {"nodename", "partitionname", "nodeset", "downnodes"} & set(keys):
            keys = {key: value for key, value in keys.items() if _is_read(key)}
        if text := _line(keys, names):
            lines.append(text)
    return "".join(f"{line}\n" for line in lines)


def _is_read(key: str) -> bool:
    """Whether a simulation reads this setting; the others have hosts, users, paths and passwords."""
    if key.lower() in _OTHER_SETTINGS:
        return True
    return is_known(ConfigPart.SETTING, key) and bool(option_of(ConfigPart.SETTING, key).sets)


def _line(keys: Mapping[str, str], names: NewNames) -> str:
    """A line of these keys under new names; values with blanks are in quotes."""
    words = []
    for key, value in keys.items():
        if key not in _DROPPED:
            new = _value(key, value, names)
            words.append(f'{key}="{new}"' if re.search(r"\s", new) else f"{key}={new}")
    return " ".join(words)


def _value(key: str, value: str, names: NewNames) -> str:
    """A value under new names."""
    key = key.lower()
    if key in _HOSTS:
        return names.new_hosts(value)
    if key == "authinfo":  # of which a simulation reads one word, and others are paths and keys
        return ",".join(word for word in value.split(",") if word.strip().startswith("cred_expire="))
    kind = _KINDS.get(key)
    if kind is None:
        return value
    return ",".join(names.new(kind, name) for name in value.split(","))


def _printed(kind: str, text: str, names: NewNames) -> Iterator[str]:
    """The entries that `scontrol show node`, `show partition` and `show reservation` print."""
    first, begins = _BEGINNINGS[kind]
    for block in re.split(rf"(?:^|\n)(?={first}=)", text):
        fields = {key: value for key, value in _WORD.findall(block) if key.lower() not in _DROPPED}
        if first not in fields:
            continue
        keys = {key: _value(key, value, names) for key, value in fields.items()}
        for line in begins:
            yield " ".join(f"{key}={keys.pop(key.strip(), usual)}" for key, usual in line)
        yield from (f"   {key}={value}" for key, value in keys.items())
        yield ""


def _settings(text: str, names: NewNames) -> Iterator[str]:
    """What `scontrol show config` prints, of the settings that are read."""
    yield text.split("\n", 1)[0]
    for line in text.split("\n")[1:]:
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and _is_read(key):
            yield f"{key} = {_value(key, value, names)}"


def _dump(text: str, names: NewNames) -> Iterator[str]:
    """The lines of `sacctmgr dump` with shares and limits."""
    for line in text.split("\n"):
        match = _DUMP_LINE.match(line.strip())
        if match is None:
            continue
        what, name, rest = match.groups()
        kind = {"Cluster": "cluster", "User": "user"}.get(what, "account")
        fields = []
        for key, value in _OF_DUMP.findall(rest):
            # The only value that is a name.
            if key.lower() == "defaultaccount":
                value = f"'{names.new('account', value.strip(chr(39)))}'"
            if key.lower() not in _DROPPED:
                fields.append(f":{key}={value}")
        yield f"{what} - '{names.new(kind, name)}'{''.join(fields)}"


def _table(text: str, names: NewNames) -> Iterator[str]:
    """A table with bars, whose indents stay."""
    lines = [line for line in text.split("\n") if line.strip()]
    heads = [head.strip().lower() for head in lines[0].split("|")]
    kept = [k for k, head in enumerate(heads) if head not in _DROPPED]
    yield "|".join(lines[0].split("|")[k] for k in kept)
    for line in lines[1:]:
        cells = line.split("|")
        yield "|".join(_table_cell(heads[k], cells[k], names) for k in kept if k < len(cells))


def _table_cell(head: str, cell: str, names: NewNames) -> str:
    kind = _TABLE_KINDS.get(head)
    if kind is None:
        return cell
    bare = cell.strip()
    return cell[: len(cell) - len(cell.lstrip())] + names.new(kind, bare)
