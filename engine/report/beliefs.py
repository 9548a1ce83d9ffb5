"""How far the models of sites are to be believed, and which changes between them chance explains."""

from __future__ import annotations

from engine.report.section import Compared, Section, Statement


def beliefs(compared: Compared) -> Section:
    """The verdict of the first site, the spread of each change, and the runs that are left out for it."""
    verdicts, jobs = compared.verdicts, compared.base.jobs
    lines = [*verdicts.sentences, *verdicts.lines(jobs)]
    lines += [f"{name}: not shown: {why}" for name, why in compared.hidden.items()]
    return Section(
        "How far the models of sites are to be believed", [Statement(words=f"{line}.") for line in lines]
    )
