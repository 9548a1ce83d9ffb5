"""Each option of a site, with values of every kind, gives the same model by every door that it comes in."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.reading.log import Log
from engine.reading.read import machine_named
from engine.search.space import parse_space, policy_of
from engine.slurm.options.option import ConfigPart, SlurmOption
from engine.slurm.options.table import TABLE
from engine.slurm.scheduler.preempt_rules import PreemptionRules
from engine.slurm.scheduler.priority_factors import base_priorities, site_weights
from engine.slurm.site.folder import read_site_at
from engine.slurm.site.site import Site
from tests.traces import make_names, make_trace

TRACE = replace(
    make_trace([0, 1, 2], [60, 60, 60], [1, 8, 16], queue=["p", "q", "p"], group=["bio", "phys", "bio"]),
    qos=make_names(["normal", "high", "high"]),
)
WORDS: Mapping[str, tuple[str, ...]] = {
    "SchedulerType": ("sched/builtin", "sched/backfill"),
    "SelectType": ("select/linear", "select/cons_tres"),
    "SelectTypeParameters": ("CR_Core_Memory", "CR_CPU"),
    "PriorityType": ("priority/basic", "priority/multifactor"),
    "PriorityFavorSmall": ("yes", "no"),
    "PreemptType": ("preempt/partition_prio", "preempt/qos", "preempt/none"),
    "PreemptMode": ("requeue", "cancel", "off"),
    "PreemptExemptTime": ("5", "-1", "often"),
    "JobRequeue": ("0", "1"),
    "AuthInfo": ("cred_expire=20", "socket"),
    "EnforcePartLimits": ("all", "no"),
    "AccountingStorageEnforce": ("safe", "limits"),
    "TopologyPlugin": ("topology/tree", "topology/none"),
}
"""Values of options that are no numbers."""

NODE_KEYS = {
    **{"CPUs": "16", "Procs": "16", "Sockets": "4", "CoresPerSocket": "4", "ThreadsPerCore": "2"},
    **{"RealMemory": "9000", "Gres": "gpu:2", "Feature": "ib", "Weight": "7", "State": "DOWN"},
    **{"MemSpecLimit": "100", "CoreSpecCount": "1", "Boards": "1", "SocketsPerBoard": "2", "Features": "ib"},
}
PARTITION_KEYS = {
    **{"PriorityJobFactor": "9", "PriorityTier": "9", "Priority": "9", "MaxTime": "2:00:00", "MaxNodes": "1"},
    **{"MinNodes": "2", "PreemptMode": "cancel", "GraceTime": "30", "TRESBillingWeights": "CPU=2.0"},
}

SIMULATED = [option for option in TABLE if option.sets and option.sets != "see below"]
AS_TEXT = [o for o in SIMULATED if o.place in (ConfigPart.SETTING, ConfigPart.PARAMETER)]


def values_of(option: SlurmOption) -> tuple[str, ...]:
    """The usual, least and largest values, some beyond these, those that switch off, and no number."""
    if not option.is_number:
        return WORDS.get(option.name, ("yes",))
    bounds = [bound for bound in (option.least, option.most) if bound is not None]
    beyond = [str(bound + step) for bound in bounds for step in (-2, -1, 0, 1)]
    off = option.off[0].split("|") if option.off is not None else []
    return tuple(filter(None, dict.fromkeys((option.usual, "17", "x", *beyond, *off))))


def conf_of(folder: Path, *lines: str, node: str = "", partition: str = "") -> Path:
    """The `slurm.conf` of a site with these lines beside others, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "qos.txt").write_text("Name|Priority\nnormal|0\nhigh|9\n")
    cpus = "" if node.startswith(("CPUs", "Procs", "Sockets", "Boards")) else " CPUs=8"
    kinds = "" if any(line.startswith("SelectType=") for line in lines) else "SelectType=select/cons_tres"
    conf = folder / "slurm.conf"
    text = (kinds, f"NodeName=n[1-4]{cpus} {node}", f"PartitionName=p Nodes=ALL {partition}")
    conf.write_text("\n".join((*text, "PartitionName=q Nodes=n1", *lines, "")))
    return conf


def line_of(option: SlurmOption, value: str) -> str:
    if option.place is ConfigPart.PARAMETER:
        return f"SchedulerParameters=bf_licenses,{option.name}={value}"
    return f"{option.name}={value}"


def model_of(door: Callable[[], Site | None]) -> object:
    """All that the schedulers get of a site, or how it is refused."""
    # An error counts without the path of its file, which differs by door.
    try:
        site = door()
        assert site is not None
        rules = site.rules(1)
        weights, leaves = site_weights(site, TRACE)
        base = base_priorities(site, TRACE, np.array([1, 1, 2]), (4, 32))
        rule = PreemptionRules(site)
        preemption = rule.kind, rule.mode("p"), rule.mode("q"), rule.grace("p"), rule.exempt
    except InputError as error:
        return str(error).rpartition(": ")[2]
    arrays = [np.asarray(column).tolist() for column in (*weights, leaves, base)]
    partitions = [(each.name, dict(each.keys), tuple(each.groups)) for each in site.conf.partitions]
    return rules, arrays, preemption, site.machine, site.conf.use, partitions, site.said


def files_doors(conf: Path) -> dict[str, Callable[[], Site | None]]:
    """The doors by which files come in."""
    log = Log(TRACE, Cluster.pool(32))
    return {
        "site:DIR": lambda: parse_policy(f"site:{conf.parent}").site,
        "slurm.conf": lambda: parse_policy(str(conf)).site,
        "site:slurm.conf": lambda: parse_policy(f"site:{conf}").site,
        "dropped, opened or added": lambda: read_site_at(conf),
        "Python": lambda: log.policy(str(conf)).site,
        "absolute, as in a session": lambda: parse_policy(parse_policy(str(conf)).absolute.spelling).site,
    }


def same_by_all(doors: dict[str, Callable[[], Site | None]]) -> object:
    """What all doors give; fails with the door that gives something else."""
    models = {name: model_of(door) for name, door in doors.items()}
    first = next(iter(models.values()))
    assert {name: model for name, model in models.items() if model != first} == {}
    return first


@pytest.mark.parametrize("option", AS_TEXT, ids=lambda option: option.name)
def test_a_setting_gives_the_same_model_by_every_door(tmp_path: Path, option: SlurmOption) -> None:
    plain = conf_of(tmp_path / "plain")
    base = parse_policy(f"site:{plain.parent}")
    models = []
    for number, value in enumerate(values_of(option)):
        conf = conf_of(tmp_path / str(number), line_of(option, value))
        doors = files_doors(conf)
        if option.sets != "machine" and option.name != "AuthInfo":  # whose value has a sign of its own
            spelling = f"site:{plain.parent}:{option.name}={value}"
            doors |= {
                "changed": lambda spelling=spelling: parse_policy(spelling).site,
                "searched": lambda value=value: policy_of(base, {option.name: value}).site,
            }
        models.append(same_by_all(doors))
        if models[-1] is not None and not isinstance(models[-1], str):
            assert machine_named(str(conf)).own == read_site_at(conf).machine  # `--cluster`
    if option.is_number:
        assert len({repr(model) for model in models}) > 1  # it does set something


@pytest.mark.parametrize("option", [o for o in AS_TEXT if o.sets == "machine"], ids=lambda o: o.name)
def test_what_makes_the_machine_is_changed_in_the_files_alone(tmp_path: Path, option: SlurmOption) -> None:
    conf = conf_of(tmp_path)
    with pytest.raises(InputError, match=f"{option.name}: the machine is that of the site's files"):
        parse_policy(f"site:{conf.parent}:{option.name}={values_of(option)[0]}")


def test_a_search_offers_what_the_table_says_of_an_option(tmp_path: Path) -> None:
    base = parse_policy(f"site:{conf_of(tmp_path).parent}")
    for option in AS_TEXT:
        if option.tried is not None and not option.name.startswith("PriorityWeight"):
            (dimension,) = parse_space([option.name], base)
            assert (dimension.low, dimension.high) == option.tried


@pytest.mark.parametrize("flag", [o.name for o in SIMULATED if o.place is ConfigPart.FLAG])
def test_a_flag_of_priorities_gives_the_same_model_by_every_door(tmp_path: Path, flag: str) -> None:
    plain = conf_of(tmp_path / "plain")
    conf = conf_of(tmp_path / "own", f"PriorityFlags={flag}")
    changed = f"site:{plain.parent}:PriorityFlags={flag}"
    same_by_all({**files_doors(conf), "changed": lambda: parse_policy(changed).site})


@pytest.mark.parametrize(
    "option",
    [o for o in SIMULATED if o.place in (ConfigPart.NODE, ConfigPart.PARTITION)],
    ids=lambda o: o.name,
)
def test_a_key_of_nodes_and_partitions_gives_the_same_model_by_every_door(
    tmp_path: Path, option: SlurmOption
) -> None:
    keys = NODE_KEYS if option.place is ConfigPart.NODE else PARTITION_KEYS
    if option.name not in keys:
        assert option.name in ("NodeName", "PartitionName", "Nodes", "CpuSpecList")
        return
    text = f"{option.name}={keys[option.name]}"
    where = {"node": text} if option.place is ConfigPart.NODE else {"partition": text}
    model = same_by_all(files_doors(conf_of(tmp_path / "own", "GresTypes=gpu", **where)))
    assert not isinstance(model, str)
