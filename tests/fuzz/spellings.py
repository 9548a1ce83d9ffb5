"""Damaged spellings: what is read has a spelling of its own that is read back as the same."""

import random
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engine.dates import parse_time
from engine.filter import parse_filter
from engine.filter.complete import complete, unknown_names
from engine.filter.parse import FilterError
from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.metrics.metric_names import parse_metric
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.policy.share_file import read_user_shares
from engine.policy.tuning import parse_tunings
from engine.quantities import Jobs
from engine.schedule.schedule import Schedule
from engine.score.complete import complete_formula
from engine.score.names import VARIABLES
from engine.score.parse import FormulaError, parse_formula, parse_score
from engine.score.program import MOVING, compile_formula, evaluate
from engine.simulation.run import simulate
from engine.sweep.study_file import read_study_file
from engine.trace import Trace
from engine.trace.scale import parse_scale, scaled
from tests.fuzz import samples
from tests.fuzz.mutate import mutate, mutate_text
from tests.fuzz.outcome import outcome_of


def try_cluster(chance: random.Random, folder: Path) -> str:
    text = mutate_text(chance, samples.CLUSTERS, ("+", "x", "c", "~", "/", "g", "gpu", "+1c" * 900))

    def read() -> None:
        cluster = parse_cluster(text)
        assert parse_cluster(cluster.spelling) == cluster
        cluster.capacity()
        cluster.outages(np.array([0, 86_400]))

    return outcome_of(read)


def try_policy(chance: random.Random, folder: Path) -> str:
    text = mutate_text(chance, samples.POLICIES, samples.POLICY_WORDS)

    def read() -> None:
        policy = parse_policy(text, chance.choice((None, "last2")))
        again = parse_policy(policy.spelling)
        assert again == policy
        assert again.spelling == policy.spelling
        assert len(policy.spelling.splitlines()) == 1

    return outcome_of(read)


def try_tunings(chance: random.Random, folder: Path) -> str:
    text = mutate_text(chance, samples.TUNINGS, (":", ";", "..", ">=", "_", "mean_", "+", "-"))

    def read() -> None:
        spelled = str(parse_tunings(text))
        assert str(parse_tunings(spelled)) == spelled
        parse_tunings(spelled).tunings(400)

    return outcome_of(read)


def try_share(chance: random.Random, folder: Path) -> str:
    """What a user may expect, and files of users' shares."""
    if chance.random() < 0.5:
        text = mutate_text(chance, samples.SHARE_SPELLINGS, (":", ",", "=", "/", ".csv", "share_decay", "1d"))
        return outcome_of(lambda: _same_share(text))
    if chance.random() < 0.2:
        path = folder / "log.users"
        path.write_bytes(
            mutate(chance, [b"; id name share quota\n1 ann 20 64\n2\tbob  3 8\n"], (";", "0", "9" * 9))
        )
        return outcome_of(lambda: read_user_shares(str(path)), str(path))
    path = folder / "users.csv"
    path.write_bytes(mutate(chance, [samples.SHARES], (",", '"', '"a\nb"', "fair", "\r\n")))
    if chance.random() < 0.5:
        return outcome_of(lambda: _same_share(str(path)), str(path))
    return outcome_of(lambda: read_user_shares(str(path)), str(path))


def _same_share(text: str) -> None:
    share = parse_share(text)
    assert parse_share(share.spelling) == share
    assert parse_share(share.absolute.spelling).of_user == share.of_user


@cache
def _trace() -> Trace:
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.swf"
        log.write_bytes(samples.SWF)
        return read_trace(log)


@cache
def _schedule() -> Schedule:
    return simulate(_trace(), _trace().cluster, parse_policy("recorded"))


def try_filter(chance: random.Random, folder: Path) -> str:
    text = mutate_text(chance, samples.FILTERS, samples.FILTER_WORDS)
    trace = _trace()
    # Completion sees what is being typed, so it must not fail on anything.
    complete(text, trace)

    def read() -> None:
        try:
            expression = parse_filter(text)
        except FilterError as error:
            # The position is shown under the text, so it has to lie within it.
            if not 0 <= error.position <= len(text):
                raise IndexError(error.position) from error
            raise
        # What was read must read the same when it is written out.
        assert parse_filter(str(expression)) == expression
        unknown_names(expression, trace)
        jobs = Jobs(trace, _schedule())
        assert expression.mask(jobs).shape == (len(trace),)

    return outcome_of(read)


def try_formula(chance: random.Random, folder: Path) -> str:
    """Formulas: read, worked out for all jobs, and compiled; an error lies within the text."""
    text = mutate_text(chance, samples.FORMULAS, samples.FORMULA_WORDS)
    complete_formula(text)

    def read() -> None:
        try:
            formula = parse_formula(text)
        except FormulaError as error:
            if not 0 <= error.position <= len(text):
                raise IndexError(error.position) from error
            raise
        # What was read must read the same when it is written out.
        assert parse_formula(parse_score(text).text) == formula
        # Values at which formulas go wrong: zero, one, and one near the largest number.
        known = {name: np.array([0.0, 1.0, 1e300]) for name in VARIABLES}
        assert evaluate(formula, known).shape in ((), (3,))
        still = {name: column for name, column in known.items() if name not in MOVING}
        assert compile_formula(formula, still).height <= 60

    return outcome_of(read)


def try_scale(chance: random.Random, folder: Path) -> str:
    """How traces are scaled."""
    text = mutate_text(
        chance,
        ("theta=0.7,rho=4", "rho=0.5,walltime_cap=12h", "rightsize=0.9", ""),
        (",", "=", "theta", ".", "1e9", "-"),
    )

    def read() -> None:
        scale = parse_scale(text)
        assert parse_scale(scale.spelling) == scale
        assert len(scaled(_trace(), scale)) == len(_trace())

    return outcome_of(read)


def try_study(chance: random.Random, folder: Path) -> str:
    """Study files."""
    path = folder / "study.toml"
    words = ("[", "]", "[[", "=", '"', "{", "}", "1e999", "nan", "true", "seed", "theta", "1979-05-27", "\n")
    path.write_bytes(mutate(chance, [samples.STUDY], words))
    return outcome_of(lambda: read_study_file(path), str(path))


def try_metric(chance: random.Random, folder: Path) -> str:
    text = mutate_text(chance, samples.METRIC_NAMES, (":", "=", "alpha", "."))
    return outcome_of(lambda: parse_metric(text))


def try_time(chance: random.Random, folder: Path) -> str:
    """Times of the command line."""
    text = mutate_text(chance, samples.TIMES, (":", "-", "T", "Z", "+"))

    def read() -> None:
        moment = parse_time(text, _trace())
        assert moment is not None
        assert (_trace().submit >= moment).shape == (len(_trace()),)

    return outcome_of(read)
