"""Kinds of claims about a job that Slurm refuses at its submission, or never starts: by the site's files."""

from __future__ import annotations

from enum import StrEnum


class RefusalRelation(StrEnum):
    """Why a job is refused or never starts. A kind `of partition` is about the nodes of one partition."""

    NO_PARTITION = "the files have no such partition"
    NO_ASSOCIATION = "its user has no association with its account"
    PARTITION_STATE = "its partition starts no jobs"
    NO_FEATURES = "no node has the features"
    NO_FEATURES_OF_PARTITION = "no node of its partition has the features"
    NO_NODE = "no node has what the job asks of a node"
    NO_NODE_OF_PARTITION = "no node of its partition has that"
    FEW_NODES = "too few nodes have what the job asks of a node"
    FEW_NODES_OF_PARTITION = "too few nodes of its partition have that"
    FEW_CPUS = "the nodes have fewer CPUs in all"
    FEW_CPUS_OF_PARTITION = "the nodes of its partition have fewer CPUs in all"
    LIMIT = "a limit of partition, quality of service, user or account on a single job"
    SUBMITTED = "the limit on submitted jobs of an owner is reached"
    FITS_NOWHERE = "it fits nowhere by the model, which does not tell why"
    FITS_NOWHERE_NOW = "it fits on no nodes that are up"
    FITS_NOT_IN_RESERVATION = "it fits on no nodes of its reservation"
    FITS_NOT_IN_RESERVATION_NOW = "it fits on no nodes of its reservation that are up"
    PART_NEVER_STARTS = "another part of the same job never starts"


_OF = " of {partition}"
_FEATURES = "no node{} has the features {{features}}"
_NO_NODE = "no node{} has {{of node}}"
_FEW_NODES = "{{there}}{} {{there:has|have}} {{of node}}, and the job asks for {{asked}} of them"
_FEW_CPUS = "the nodes{} have {{there}}, and the job asks for {{asked}}"
_NOWHERE = "it fits on no nodes of its partition{}, or asks for more than a limit"
_NOT_IN_RESERVATION = (
    "it fits on no nodes of the reservation {{reservation}}{}, or asks for more than a limit"
)

REFUSAL_SENTENCES: dict[StrEnum, str] = {
    RefusalRelation.NO_PARTITION: "there is no {partition}",
    RefusalRelation.NO_ASSOCIATION: "{who} has no association in the site's files",
    RefusalRelation.PARTITION_STATE: "{partition} is {state}",
    RefusalRelation.NO_FEATURES: _FEATURES.format(""),
    RefusalRelation.NO_FEATURES_OF_PARTITION: _FEATURES.format(_OF),
    RefusalRelation.NO_NODE: _NO_NODE.format(""),
    RefusalRelation.NO_NODE_OF_PARTITION: _NO_NODE.format(_OF),
    RefusalRelation.FEW_NODES: _FEW_NODES.format(""),
    RefusalRelation.FEW_NODES_OF_PARTITION: _FEW_NODES.format(_OF),
    RefusalRelation.FEW_CPUS: _FEW_CPUS.format(""),
    RefusalRelation.FEW_CPUS_OF_PARTITION: _FEW_CPUS.format(_OF),
    RefusalRelation.LIMIT: "{owner} allows {most} at most, and the job asks for {asked}",
    RefusalRelation.SUBMITTED: "{owner} may have {most} in the queue, and has {there}",
    RefusalRelation.FITS_NOWHERE: _NOWHERE.format(""),
    RefusalRelation.FITS_NOWHERE_NOW: _NOWHERE.format(" that are up"),
    RefusalRelation.FITS_NOT_IN_RESERVATION: _NOT_IN_RESERVATION.format(""),
    RefusalRelation.FITS_NOT_IN_RESERVATION_NOW: _NOT_IN_RESERVATION.format(" that are up"),
    RefusalRelation.PART_NEVER_STARTS: "it starts together with job {job}, which never starts",
}
"""The sentence of each kind, without digits of its own, with parts as in `engine.claims.words`."""
