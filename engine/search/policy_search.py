"""The question `search`: the best configuration for a log, as it is asked and answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from engine.policy.share import parse_share
from engine.reading.log import Log
from engine.search.answer import CheckedTrial, SearchResult, Trial
from engine.search.question import Question
from engine.search.search import search
from engine.search.typed_question import TypedQuestion
from engine.search.verdict import verdict
from engine.simulation.control import Control
from engine.slurm.export.conf_lines import text_to_paste
from engine.sweep.runners import runner_at


@dataclass(frozen=True, eq=False)
class PolicySearch:
    """A question about a log and its answer: everything that is shown of them."""

    log: Log
    question: Question
    answer: SearchResult

    @property
    def verdict(self) -> str:
        """What was found and how sure that is, in words."""
        return verdict(self.question, self.answer)

    @property
    def to_paste(self) -> str:
        """The lines for a site's files that give the best configuration; empty where nothing was found."""
        return text_to_paste(self.answer.front[0].trial.policy) if self.answer.front else ""

    def __repr__(self) -> str:
        return f"<search on {self.log.trace.name}: {self.verdict}>"

    def facts(self) -> dict[str, object]:
        """Question and answer for programs."""
        question, answer = self.question, self.answer
        return {
            "trace": self.log.trace.name,
            "objectives": [
                {"metric": each.metric, "goal": "maximize" if each.large else "minimize"}
                for each in question.objectives
            ],
            "bounds": list(map(str, question.bounds)),
            "tried": len(answer.trials) + len(answer.dropped),
            "dropped": [
                {"policy": lost.trial.policy.spelling, "seconds": lost.seconds, "searched": lost.trial.values}
                for lost in answer.dropped
            ],
            "front": list(map(_judged, answer.front)),
            "baseline": _judged(answer.baseline),
            "advantages": [None if each is None else asdict(each) for each in answer.advantages],
            "shown": answer.shown(question.objectives),
            "to_paste": self.to_paste.splitlines(),
            "verdict": self.verdict,
        }


def search_on(
    log: Log,
    asked: TypedQuestion,
    *,
    share: str = "fair",
    scheduler: str = "",
    threads: int | None = None,
    control: Control | None = None,
    report: Callable[[float], None] = lambda done: None,
    came: Callable[[Trial], None] = lambda trial: None,
) -> PolicySearch:
    """Search on a log, which is read for the machine of the varied site.

    It runs on a Dask cluster, or on so many threads, by default one per core. `report` is called
    with the finished part, 0 to 1, and `came` with each tried policy. Raises Cancelled, InputError, and
    DoubtfulSiteError.
    """
    question = asked.question()
    # Each policy must be tried on the same machine, so the log is read once for the site that is varied.
    log = log.on_site_machine([question.base, question.baseline])
    with runner_at(scheduler, threads) as runner:
        answer = search(
            log.trace,
            log.cluster,
            question,
            share=parse_share(share),
            trials=asked.trials,
            seed=asked.seed,
            control=control,
            report=report,
            came=came,
            runner=runner,
            asked=log.asked,
            doubtful=asked.doubtful,
        )
    return PolicySearch(log, question, answer)


def _judged(trial: CheckedTrial) -> dict[str, object]:
    return {
        "policy": trial.trial.policy.spelling,
        "searched": trial.trial.values,
        "judged": trial.values,
        "kept": trial.kept,
    }
