"""Every command of the command line, with options that a seed chooses."""

import random
from collections.abc import Callable

from app.cli.main import COMMANDS as OFFERED
from tests.matrix.bench import RUNS, Bench, other_run
from views.catalog import RUN_FIGURES

Words = list[object]

_BY_FILTER = (
    *("wait > 1m", "user in (1, ann)", "late", "procs >= 4 and runtime < 2m", "queue = batch", "gpus > 0"),
    "wait > 99d",
)
_SHARES = ("fair", "1/2", "4c", "4c1g", "fair:share_decay=1d,batches=10m", "4c8g2gpu")
_CUTS = (
    *(("--measure", "2m:5m"), ("--theta", "0.5"), ("--rho", "2"), ("--walltime-cap", "1m")),
    *(("--rightsize", "0.9"), ("--dependencies", "on"), ("--jobs", ":1"), ("--users", "1,ann")),
    *(("--queues", "batch"), ("--partitions", "batch"), ("--estimate", "last2"), ("--seed", "3")),
    *(("--timezone", "Europe/Prague"), ("--from", "150"), ("--to", "9d"), ("--cluster", "32c")),
    ("--clean", "drop_no_runtime=off"),
)


class Asked:
    """What a command is asked: a log, a kind of run, and choices of a seed."""

    def __init__(self, bench: Bench, run: str, chance: random.Random) -> None:
        self.bench, self.chance = bench, chance
        self.policy = RUNS[run].policy_on(bench)
        self.options: Words = [*RUNS[run].options_on(bench)]

    def one(self, *more: object) -> Words:
        """The log under the run, sometimes with an option of all commands that read a log."""
        return [self.bench.log, "-p", self.policy, *self.reading(), *more]

    def two(self, *more: object) -> Words:
        """The log under the run and a second run, in either order."""
        policies = [self.policy, other_run(self.chance, self.bench)]
        self.chance.shuffle(policies)
        return [self.bench.log, "-p", policies[0], "-p", policies[1], *self.reading(), *more]

    def reading(self) -> Words:
        """Options of all commands that read a log."""
        more = self.chance.choice(_CUTS) if self.chance.random() < 0.4 else ()
        return [*self.options, *(() if self.options and more[:1] == ("--cluster",) else more)]

    def some(self, *choices: tuple[object, ...]) -> Words:
        """One of several groups of options."""
        return [*self.chance.choice(choices)]

    def file(self, *suffixes: str) -> Words:
        """An output of one of these suffixes."""
        return ["-o", self.bench.output(f"out{self.chance.choice(suffixes)}")]


def _info(asked: Asked) -> Words:
    source = asked.chance.choice(
        [asked.bench.log] * 4 + [asked.bench.folder, asked.bench.site / "slurm.conf", asked.bench.study]
    )
    return ["info", source, *asked.reading(), *asked.some((), ("--json",))]


def _policies(asked: Asked) -> Words:
    conf = asked.bench.site / "slurm.conf"
    return ["policies", *asked.some((), ("--slurm", asked.policy), ("--slurm", "easy", "--slurm-into", conf))]


def _simulate(asked: Asked) -> Words:
    metric = asked.some((), ("--metric", "psf:alpha=1.5"), ("--metric", "awf:weight=ram", "--fair-starts"))
    words = asked.one(*metric, *asked.some((), ("--json",), ("--filter", asked.chance.choice(_BY_FILTER))))
    return ["simulate", *words, *asked.some((), tuple(asked.file(".csv", ".parquet", ".swf")))]


def _compare(asked: Asked) -> Words:
    by = [("--by", word) for word in ("user", "queue", "class", "hour", "weekday", "price")]
    forms = [("--format", word) for word in ("text", "latex", "markdown", "csv", "json")]
    more = asked.some(*(("--json", *group) for group in by), *by, *forms)
    others = asked.some((), ("--fair-starts",), ("--penalty", "sqrt"), ("--metric", "value:delta=20"))
    return ["compare", *asked.two(*more, *others, *_measured(asked))]


def _measured(asked: Asked) -> Words:
    filters = [("--filter", text) for text in _BY_FILTER]
    shares = [("--share", text) for text in _SHARES]
    return asked.some((), (), *filters, *shares)


def _eet(asked: Asked) -> Words:
    words = asked.one(*_measured(asked), *asked.some((), ("--json",)))
    return ["eet", *words, *asked.some((), tuple(asked.file(".csv", ".parquet")))]


def _convert(asked: Asked) -> Words:
    suffix = asked.chance.choice([".swf", ".csv", ".parquet", ".json", ".swf.gz", ".json.gz", ".txt"])
    output = asked.bench.output(f"converted{suffix}")
    return ["convert", asked.bench.log, output, *asked.reading(), *asked.some((), ("--json",))]


def _collect(asked: Asked) -> Words:
    """The script alone: what a computer's own batch system would print differs."""
    more = asked.some((), ("--system", "pbs"), ("--system", "sge", "--with", "comments"), ("--from", "never"))
    return ["collect", "--print", *more]


def _anonymize(asked: Asked) -> Words:
    site = asked.some((), ("--site", asked.bench.site))
    more = asked.some((), ("--json",), ("--key", asked.bench.output("key.csv")))
    return ["anonymize", asked.bench.log, *site, "-o", asked.bench.output("anonymous"), *more]


def _fetch(asked: Asked) -> Words:
    """Without the network: the list, and a name that no log has."""
    return ["fetch", *asked.some((), ("--json",), ("NO-SUCH-LOG",))]


def _search(asked: Asked) -> Words:
    goal = asked.some(
        ("--minimize", "wait_mean"),
        ("--maximize", "utilization", "--subject-to", "wait_max <= 10 %"),
        ("--minimize", "veet_q3", "--minimize", "wait_max"),
        ("--minimize", "wait_mean", "--vary", "order=fcfs|sjf"),
    )
    words = asked.one(*goal, "--trials", 3, *asked.some((), ("--json",), ("--baseline", "fcfs")))
    return ["search", *words, *asked.some((), tuple(asked.file(".csv", ".parquet")))]


def _generate(asked: Asked) -> Words:
    output = asked.bench.output(f"made{asked.chance.choice(['.swf', '.csv', '.swf.gz'])}")
    like = asked.some(
        ("--like", asked.bench.log, "--figure", asked.bench.output("like.svg")),
        ("--like", asked.bench.log),
        ("--model", "campus"),
        ("--model", "saturated"),
        (),
    )
    return ["generate", output, "--jobs", 20, *like, *asked.some((), ("--json",))]


def _sweep(asked: Asked) -> Words:
    more = asked.some((), ("--json",), ("--figures", asked.bench.output("figures")))
    output = asked.bench.output("rows")
    return ["sweep", asked.bench.study, asked.bench.log, *asked.reading(), "-o", output, *more]


def _queue(asked: Asked) -> Words:
    at = asked.chance.choice(["200", "0", "1d", "2020-01-01T12:02:00", "2001-09-09T01:50", ""])
    more = asked.some(
        (),
        ("--json",),
        ("--replays", 3),
        ("--replays", 3, "--calibrate", 2),
        ("--cover", 50),
        ("--answer", "7"),
    )
    return ["queue", *asked.one("--at", at, *more, *asked.some((), tuple(asked.file(".html"))))]


def _explain(asked: Asked) -> Words:
    job = asked.chance.choice(["1", "2", "7", "12", "5_1", "8+0", "no-such-job"])
    forms = asked.some((), ("--json",), ("--answer",), ("--answer", "--method"))
    return ["explain", *asked.one("--job", job, *forms)]


def _difference(asked: Asked) -> Words:
    by = asked.chance.choice(["user", "account", "queue", "class", "hour", "weekday"])
    return ["difference", *asked.two("--by", by, *asked.some((), ("--json",)))]


def _waits(asked: Asked) -> Words:
    by = asked.chance.choice(["user", "account", "partition", "week", "account,week"])
    more = asked.some((), ("--json",), tuple(asked.file(".csv", ".parquet")))
    return ["waits", *asked.one("--by", by, *more), *_measured(asked)]


def _figure(asked: Asked) -> Words:
    kind = asked.chance.choice([spec.kind for spec in RUN_FIGURES])
    words = asked.two() if asked.chance.random() < 0.7 else asked.one()
    data = asked.bench.output(f"data{asked.chance.choice(['.csv', '.parquet', '.json'])}")
    look = asked.some((), ("--grey",), ("--shown", "2m:4m"), ("--data", data), ("--no-title", "--no-note"))
    more = asked.some((), ("--fair-starts",), ("--paper", "80"), ("--height", "50"), ("--user", "ann"))
    return ["figure", kind, *words, *asked.file(".pdf", ".svg", ".png"), *look, *more, *_measured(asked)]


def _report(asked: Asked) -> Words:
    site = f"site:{asked.bench.site}"
    change = asked.some((), (), ("--at", "600", "--before", site, "--after", site), ("--at", "600"))
    return ["report", *asked.two("-o", asked.bench.output("report"), *_measured(asked), *change)]


def _twin(asked: Asked) -> Words:
    site = asked.chance.choice([asked.bench.site, asked.bench.preempting, asked.bench.site / "slurm.conf"])
    return ["twin", asked.bench.log, "--site", site, *asked.some((), ("--fit",), ("--json",))]


def _change(asked: Asked) -> Words:
    sites = [
        f"site:{asked.bench.site}",
        f"site:{asked.bench.preempting}",
        str(asked.bench.site / "slurm.conf"),
    ]
    before, after = asked.chance.choice([*sites, asked.policy]), asked.chance.choice(sites)
    at = asked.chance.choice(["0", "600", "2020-01-01", "never"])
    words: Words = ["change", asked.bench.log, "--at", at, "--before", before, "--after", after]
    return [*words, *asked.some((), ("--json",))]


def _now(asked: Asked) -> Words:
    # Queue, site, question and log are chosen apart from each other: their combinations are what is tried.
    site = asked.some(("--site", asked.bench.site), ("--cluster", "4x4c"), ("--site", asked.bench.preempting))
    queue: Words = ["--from-file", asked.chance.choice([asked.bench.queue] * 4 + [asked.bench.log])]
    more = asked.some(
        (),
        ("--json",),
        ("--job", "4c/10m"),
        ("--job", "64c/10m", "--json"),
        ("--answer", "2"),
        ("--keep", asked.bench.output("kept.json")),
        ("--job", "1c/1h", "--map", asked.bench.output("map.svg")),
        ("--arrivals",),
        ("--at", "2026-11-29T10:00"),
        tuple(asked.file(".html")),
    )
    log = asked.some((), (asked.bench.log,), (asked.bench.log, "--calibrate", 3))
    return ["now", *log, *queue, *site, "--replays", 3, "--seconds", 600, *more]


def _audit(asked: Asked) -> Words:
    schedule = asked.chance.choice(["recorded", "simulated", asked.bench.schedule, asked.bench.log])
    machine = asked.some((), (), ("--cluster", asked.bench.site / "slurm.conf"))
    return [
        *("audit", asked.bench.log, schedule, "-p", asked.policy, *asked.reading()),
        *(*machine, *asked.some((), ("--json",), ("--tolerance", 5))),
    ]


def _new(asked: Asked) -> Words:
    file = asked.chance.choice(["mine.py", "mine.txt", "absent/mine.py"])
    return ["new", "policy", asked.bench.output(file.partition("/")[0]) / file.partition("/")[2]]


def _paper(asked: Asked) -> Words:
    """Without further options: the table and the figure are commands of the matrix themselves."""
    folder = asked.bench.lay_paper(asked.policy)
    more = asked.some((), ("--check",), ("--only", "table"), ("--force",))
    return ["paper", folder, "-o", asked.bench.output("results"), *more]


def _rank(asked: Asked) -> Words:
    more = asked.some((), ("--json",), ("--by", "wait_mean"), ("-o", asked.bench.output("ranks")))
    return ["rank", asked.bench.log, "-p", asked.policy, "-p", "fcfs", *asked.reading(), *more]


def _cite(asked: Asked) -> Words:
    return ["cite", *asked.some((), ("batchscope", "tang2013"), ("nobody2000",))]


def _doctor(asked: Asked) -> Words:
    return ["doctor", *asked.some((), ("--json",))]


COMMANDS: dict[str, Callable[[Asked], Words]] = {
    "info": _info,
    "policies": _policies,
    "simulate": _simulate,
    "compare": _compare,
    "eet": _eet,
    "convert": _convert,
    "collect": _collect,
    "anonymize": _anonymize,
    "fetch": _fetch,
    "search": _search,
    "generate": _generate,
    "sweep": _sweep,
    "queue": _queue,
    "explain": _explain,
    "difference": _difference,
    "waits": _waits,
    "rank": _rank,
    "figure": _figure,
    "report": _report,
    "twin": _twin,
    "change": _change,
    "now": _now,
    "audit": _audit,
    "doctor": _doctor,
    "paper": _paper,
    "cite": _cite,
    "new": _new,
}
"""The words of each command for what it is asked."""

WITH_A_WINDOW = {"window", "demo"}
"""Commands that open a window: what it exports is tried by `tests.matrix.exports`."""

assert set(OFFERED) == {*COMMANDS, *WITH_A_WINDOW}
