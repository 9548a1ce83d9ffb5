"""A claim: a statement with its quantities, its population and its evidence, before it is in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple


class ClaimPlace(NamedTuple):
    """A row of a table in which a thing is seen: a run by its place among the compared runs, from 0, a user
    by its code, a job by its index into the trace; `boxes` are those of a run's users, by the run's place.
    Queues and months are numbered as the log's columns of them, metrics as the section that ranks by them
    or as the objectives of a search, trials and bounds as in the search, groups as in the table of their
    waits, findings as in the study file, accounts as in the accuracy of a site, changes in the order in
    which they were tried. A job of a present queue goes by its place in that, or, in what holds it, in
    the plan: running jobs first, then those that wait.
    """

    table: Literal[
        "runs",
        "boxes",
        "users",
        "jobs",
        "queues",
        "months",
        "metrics",
        "trials",
        "bounds",
        "groups",
        "findings",
        "changes",
        "accounts",
    ]
    row: int


class Unit(StrEnum):
    """The unit of a quantity: numbers count things of a kind that the sentence names, others name them."""

    NUMBER = "number"
    JOBS = "jobs"
    USERS = "users"
    WEEKS = "weeks"
    PHASES = "phases"
    FURTHER_PAIRS = "further pairs"
    PROCESSORS = "processors"
    CPUS = "CPUs"
    NODES = "nodes"
    GPUS = "GPUs"
    COUNT = "number, of which 0 is a digit"
    SECONDS = "s"
    SECONDS_IN_FULL = "s, in all its units"
    ROUGH = "s, to the minute, from ten hours on to the hour"
    FROM_NOW = "s from now, as roughly"
    HOURS = "h"
    DAYS = "days"
    PERCENT = "%"
    TENTHS = "% to a tenth"
    CHANGE = "% of change"
    LOWER = "% lower or higher"
    MEASURED = "in the unit that the sentence names"
    CORRELATION = "rank correlation"
    PROCESSOR_HOURS = "processor-hours"
    PROCESSOR_SECONDS = "processor-seconds"
    OTHER_JOBS = "other jobs"
    PREDICTIONS = "predictions"
    KEPT_PREDICTIONS = "kept predictions"
    INSTANTS = "instants"
    REPLAYS = "replays"
    ACCOUNTS = "accounts"
    TIMES = "times"
    QUEUES = "queues"
    MIB = "MiB"
    MIB_IN_FULL = "MiB, to the last"
    SCORE = "score"
    KWH = "kWh"


@dataclass(frozen=True)
class ClaimQuantity:
    """A number of a claim, by its name in the claim's sentence; `place` is where it is seen, if anywhere.

    `digits` are the decimals of a measured number, whose unit is not of this list.
    """

    name: str
    value: float
    unit: Unit
    place: ClaimPlace | None = None
    digits: int = 2


@dataclass(frozen=True)
class NamedThing:
    """A thing that a claim is about; `role` is its name in the claim's sentence, `name` what people read."""

    role: str
    name: str
    place: ClaimPlace


@dataclass(frozen=True)
class Population:
    """The jobs that a claim is about: so many, submitted from `begin` to `end` (s from the trace's zero, for
    jobs of a present queue s from now).
    """

    jobs: int
    begin: int
    end: int


NOBODY = Population(0, 0, 0)
"""No jobs: what is said of a whole search or study."""


class Sure(StrEnum):
    """How sure a claim is: counted in a schedule, or true of the simulation of a real machine."""

    COUNTED = "counted in the schedule"
    PLANNED = "by a plan in which all jobs use their time limits"
    REPLAYED = "by replays in which runtimes are drawn"
    INFERRED = "inferred from what seems to have been free, since no reasons were recorded"
    SIMULATED = "by simulation: what the log does not tell (downtime, holds, limits) is no part of it"


class Relation(StrEnum):
    """The kind of a claim: what is said of its subject. `engine.claims.words` has the sentence of each."""

    LATE_IN_MONTHS = "users who are late in most of their months"
    LATE_WITH_JOBS = "users who are late with most of their jobs"
    WORST_USER = "the user whose jobs are late by most time in all"
    NOBODY_LATE = "no job ends later than its user may expect"
    WAITS_PASSED_BY_NOBODY = "waits behind a job that no other may pass"
    WAITS_BEHIND = "waits behind jobs ahead in the queue, at which the pass ended"
    WAITS_FOR_PROCESSORS = "waits for processors in use"
    WAITS_FOR_RAM = "waits for RAM in use"
    WAITS_FOR_RESOURCES = "waits for resources other than processors and RAM that are in use"
    WAITS_FOR_POWER = "waits since the power of the machine has a cap"
    WAITS_FOR_PRICE = "waits for hours in which energy is cheap"
    WAITS_FOR_PLACE = "waits while enough is free, but not where tasks may go"
    WAITS_FOR_RESERVATIONS = "waits while processors are kept for jobs with reservations"
    WAITS_FOR_LIMITS = "waits by limits of a policy or a site on what may run at once"
    WAITS_UNTRIED = "waits since passes try only so many jobs"
    WAITS_FOR_NODES = "waits for nodes that are in use"
    WAITS_BESIDE_SITE_RESERVATIONS = (
        "waits for the time of its own reservation, or since nodes are kept for one"
    )
    WAITS_NOT_ELIGIBLE = "waits for a begin time, or the end of a hold or of another job"
    WAITS_RUN_AGAIN = "waits since runs were cut short"
    WAITS_FOR_PASS = "waits for the next pass"
    WAITS_UNTOLD = "waits whose reasons the decision log had no room for"
    NOBODY_WAITS = "all jobs start at their submission"
    REASONS_NOT_RECORDED = "the log does not tell why jobs waited"
    REASONS_NAMED = "the jobs for which the log names a reason, without saying how long it held them"
    REASONS_NOT_KEPT = "the simulation kept no reasons"
    HELPS = "another run in which jobs are late by less time"
    HELPS_WHOLLY = "the same, in which the worst user is not late"
    HELPS_OTHERS = "the same, but in which the worst user is late by no less time"
    HELPS_LITTLE = "the best other run, in which they are late by hardly less"
    LESS_WITHOUT = "the best other run, in which they are late by less time, but that obeys fewer limits"
    LEAST_LATE = "no other run in which jobs are late by less time"
    LEAST_WITHOUT = "no such other run, but others obey limits that the subject does not obey"
    MOVED = "jobs that start earlier or later than in another run"
    STAYED = "no job starts earlier or later than in another run"
    NOT_COMPARED = "jobs that one of two runs did not run, or that are left out"
    GAVE_UP_ONE = "the only job that the subject gave up after a failure"
    GAVE_UP_SOME = "the jobs that the subject gave up after failures"
    NONE_COMPARED = "two runs have no job in common"
    ONE_GAINS = "the only user who waits less in all than in another run"
    SOME_GAIN = "the users who wait less in all than in another run"
    ONE_LOSES = "the only user who waits longer in all than in another run"
    SOME_LOSE = "the users who wait longer in all than in another run"
    WEEKLY_CHANGE = "a weekly change, of which another claim says how it stands to noise"
    BEYOND_NOISE = "metrics whose weekly change is more than the variation from week to week explains"
    WITHIN_NOISE = "metrics whose weekly change the variation from week to week explains"
    WITHIN_PHASES = "metrics whose weekly change the phases of slurmctld's loops explain"
    TOO_UNEVEN = "weeks whose variation would explain a doubling and a halving of some metrics, too"
    TOO_FEW_WEEKS = "too few weeks for intervals of some metrics"
    DEPENDENT_WEEKS = "weeks that depend on each other too much for intervals of some metrics"
    UNDER_A_WEEK = "a log that has no weeks to compare"
    NOTHING_TO_COMPARE = "metrics that have no value to compare by"
    LATE_JOBS = "jobs that end later than their users may expect"
    SLIGHTLY_LATE = "late jobs that are late by little"
    MOST_LATE_BY_QUEUE = "the queue with more than half of the late jobs"
    MORE_LATE_BY_QUEUE = "a queue than which none has more late jobs"
    MOST_LATE_BY_MONTH = "the month with more than half of the late jobs"
    MORE_LATE_BY_MONTH = "a month than which none has more late jobs"
    BEST = "the runs that are best by some metrics"
    ONE_ORDER = "all ranked metrics put the same run first"
    NO_ORDER = "all ranked metrics are the same for all runs"
    OPPOSED = "two metrics that disagree about the order of the runs as much as any two"
    CHANCE_ORDER = "sites whose order by the mean wait is chance"
    USED = "the used part of the machine's time"
    IDLE_ASKED = "the part of the machine's time that idled while waiting jobs asked for it"
    IDLE_FIT = "the part of the machine's time that idled while a waiting job asked for no more"
    IDLE_SCATTERED = "the part in which no such job could be placed"
    FAIR_STARTS_OF_SAMPLE = "fair starts are known of some jobs, which a seed drew"
    PUT_OFF = "jobs that start later than if no later job had come, of those whose fair starts are known"
    NEVER_PUT_OFF = "no job whose fair start is known starts later than that"
    NONE_MEASURED = "no job is measured, so that nothing is said of the run"
    LONGEST_WAITS = "the jobs that wait longest"
    LONGEST_ARE_WIDE = "the same jobs, which ask for more processors than jobs usually do"
    LONGEST_ARE_NARROW = "the same jobs, which ask for fewer processors than jobs usually do"
    LONGEST_ARE_USUAL = "the same jobs, which ask for as many processors as jobs usually do"
    LOG_BARS = "waits in which the log says that jobs might not start"
    SEEMS_SHORT = "waits in which too few processors seem to have been idle"
    SEEMS_SHORT_OF_RAM = "waits in which too little RAM seems to have been free"
    SEEMS_FREE = "waits in which enough seems to have been idle"
    RESERVED = "the used part of the processor time that walltimes reserve"
    MOST_UNUSED = "the user who leaves most of the reserved processor time unused"
    BUSY = "the part of the time in which processors that jobs held were busy"
    RAM_USED = "the used part of the RAM that jobs ask for"
    NO_WALLTIMES = "the log does not give the walltimes that jobs asked for"
    CHANGE = "the run that makes jobs less late, in place of the subject"
    CHANGE_OF_REAL = "the simulated run in which jobs are less late than on the real machine"
    NO_CHANGE = "no other run makes jobs less late by a share that is worth a change"
    NO_CHANGE_WITHIN = "no other run that obeys the same limits makes jobs less late, but one without them"
    NO_RUN_WITHIN = "no other run obeys the same limits, but one without them makes jobs less late"
    NO_SURE_CHANGE = "no other run makes jobs less late beyond noise in the mean week"
    LESS_WAITING = "the waiting that the change saves"
    MORE_WAITING = "the waiting that the change adds"
    NO_SURE_WAITING = "the waiting that the change makes, which cannot be told from noise"
    LESS_IDLE = "the processor-hours that idle beside waiting jobs, of which the change saves some"
    MORE_IDLE = "the processor-hours that idle beside waiting jobs, to which the change adds some"
    USED_ALIKE = "the used part of the machine's time, which the change leaves as it is"
    USED_OTHERWISE = "the used part of the machine's time, which the change makes another one"
    LESS_ENERGY = "the energy that the machine takes, of which the change saves some"
    MORE_ENERGY = "the energy that the machine takes, to which the change adds some"
    ENERGY_ALIKE = "the energy that the machine takes, which the change leaves nearly as it is"
    ENERGY_A_MONTH = "the difference of the same in a month of thirty days"
    NOBODY_PAYS = "no user waits longer in all by the change"
    ONE_PAYS = "the only user who waits longer in all by the change"
    SOME_PAY = "the users who wait longer in all by the change"
    LONGEST_WAIT_RISES = "the longest wait of a job, which the change makes much longer"


@dataclass(frozen=True)
class Claim:
    """What is said of a subject: the words of `relation` with these quantities and things; those of
    one name are a list in the sentence.

    `relation` is a Relation, or that of another kind of subject, as `engine.claims.waits` has them.
    `evidence` are the rows that show it. Two claims that are equal say the same.
    """

    subject: NamedThing
    relation: StrEnum
    quantities: tuple[ClaimQuantity, ...]
    about: tuple[NamedThing, ...]
    population: Population
    evidence: tuple[ClaimPlace, ...]
    sure: Sure = Sure.COUNTED

    def quantity(self, name: str) -> ClaimQuantity:
        """A quantity by its name. Raises KeyError."""
        return {quantity.name: quantity for quantity in self.quantities}[name]
