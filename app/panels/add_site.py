"""A site's `slurm.conf` in the window: its policy on its machine, as a run beside the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.model.models import Models
from engine.simulation.control import Control
from engine.slurm.conf.slurm_conf import SlurmConf, is_slurm_conf, read_slurm_conf
from engine.slurm.export.policy import SitePolicy, slurm_policy
from engine.words import plural


def add_site(models: Models, path: Path) -> None:
    """Add the run of a site's own policy on its machine, and say what has no counterpart here."""
    workbench, messages, study = models.workbench, models.messages, models.workbench.study
    if not workbench.is_open:
        messages.show_message(f"{path.name} is a site's configuration: open a log first, then add it.")
        return

    def read(_: Control) -> tuple[SlurmConf, SitePolicy]:
        conf = read_slurm_conf(path)
        return conf, slurm_policy(conf, conf.machine, study.trace.queue.names, study.trace.group.names)

    def add(found: tuple[SlurmConf, SitePolicy]) -> None:
        conf, site = found
        if workbench.study.trace is not study.trace:
            return
        workbench.add_run(site.policy, conf.machine, path)
        if site.left_out:
            text = f"{plural(len(site.left_out), 'setting')} of {path.name} are not simulated."
            messages.show_message(text, details="\n".join(site.left_out))

    def failed(error: Exception) -> None:
        messages.show_message(str(error))

    workbench.executor.submit(("site", str(path)), read, add, failed)


def ask_for_site(models: Models, ask_path: Callable[[str], Path | None]) -> None:
    """Add the run of a site's own policy, whose `slurm.conf` is asked for."""
    path = ask_path("Choose a slurm.conf")
    if path is None:
        return
    if is_slurm_conf(path):
        add_site(models, path)
    else:
        models.messages.show_message(f"{path.name} is not a slurm.conf.")
