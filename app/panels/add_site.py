"""A site's own Slurm in the window, on the machine of its files, as a run beside the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.model.models import Models
from engine.policy.policy import Policy, site_policy
from engine.simulation.control import Control
from engine.slurm.site.folder import is_site, read_site_at
from engine.words import plural


def add_site(models: Models, path: Path) -> None:
    """Add the run of a site, by its `slurm.conf` or folder, and say what of it is not simulated."""
    workbench, messages, study = models.workbench, models.messages, models.workbench.study
    if not workbench.is_open:
        messages.show_message(f"{path.name} is a site's configuration: open a log first, then add it.")
        return

    def read(_: Control) -> tuple[Policy, tuple[str, ...]]:
        from engine.slurm.site.left_out import lines_left_out

        site = read_site_at(path)
        return site_policy(site), tuple(lines_left_out(site, study.trace))

    def add(made: tuple[Policy, tuple[str, ...]]) -> None:
        policy, left_out = made
        if workbench.study.trace is not study.trace:
            return
        workbench.add_run(policy, file=path)
        texts = []
        if policy.machine is None:
            texts.append(f"{path.name} names no nodes: its run is on {study.cluster}.")
        if left_out:
            texts.append(f"{plural(len(left_out), 'setting')} of {path.name} are not simulated.")
        if texts:
            messages.show_message(" ".join(texts), details="\n".join(left_out))

    def failed(error: Exception) -> None:
        messages.show_message(str(error))

    workbench.executor.submit(("site", str(path)), read, add, failed)


def ask_for_site(models: Models, ask_path: Callable[[str], Path | None]) -> None:
    """Add the run of a site, whose `slurm.conf` is asked for."""
    path = ask_path("Choose a slurm.conf")
    if path is None:
        return
    if is_site(path):
        add_site(models, path)
    else:
        models.messages.show_message(f"{path.name} is not a slurm.conf.")
