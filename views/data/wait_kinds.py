"""Reasons for waiting: their colours and short names."""

from __future__ import annotations

from engine.schedule.schedule import Decision

KIND_COLOURS: dict[Decision | None, str] = {
    Decision.BEHIND: "#e69f00",
    Decision.UNTRIED: "#cc84d8",
    Decision.CPUS: "#4a6fd8",
    Decision.RAM: "#a0522d",
    Decision.FRAGMENTED: "#6a51a3",
    Decision.RESERVATION: "#009e73",
    Decision.LIMIT: "#d55e00",
    Decision.STOPPED: "#704060",
    Decision.PREEMPTED: "#9018f0",
    Decision.UNTOLD: "#c0b460",
    Decision.PRIORITY: "#e69f00",
    Decision.RESOURCE: "#875f96",
    Decision.POWER: "#ff3764",
    Decision.PRICE: "#2840b8",
    Decision.NODES: "#6a51a3",
    Decision.CLEANING: "#8cb9a5",
    Decision.CLOSED: "#fd1afb",
    Decision.OUTSIDE: "#fa96d2",
    Decision.SITE_LIMIT: "#d55e00",
    Decision.DEPENDENCY: "#a02840",
    Decision.BEGIN: "#0fcd87",
    Decision.HELD: "#2840b8",
    None: "#8c96a3",
}
"""Told apart on both backgrounds, with and without colour blindness.

Only like reasons of policies and of a site's Slurm share a colour: limits, jobs in front, where room is,
and what holds a job until a time.
"""

KIND_NAMES: dict[Decision | None, str] = {
    Decision.BEHIND: "behind others",
    Decision.UNTRIED: "not tried",
    Decision.CPUS: "processors",
    Decision.RAM: "RAM",
    Decision.FRAGMENTED: "scattered",
    Decision.RESERVATION: "reserved for others",
    Decision.LIMIT: "limit",
    Decision.STOPPED: "stopped by a failure",
    Decision.PREEMPTED: "preempted",
    Decision.UNTOLD: "not recorded",
    Decision.PRIORITY: "behind others",
    Decision.RESOURCE: "other resources",
    Decision.POWER: "cap on power",
    Decision.PRICE: "price of energy",
    Decision.NODES: "nodes",
    Decision.CLEANING: "nodes cleaned up",
    Decision.CLOSED: "reservation of the site",
    Decision.OUTSIDE: "its reservation",
    Decision.SITE_LIMIT: "limit",
    Decision.DEPENDENCY: "dependency",
    Decision.BEGIN: "begin time",
    Decision.HELD: "held",
    None: "no pass yet",
}
