"""A site's own Slurm in the window, on the machine of its files, as a run beside the others."""

from __future__ import annotations

from pathlib import Path

from app.model.file_kinds import FileKind, KnownFile, known_files
from app.model.models import Models
from app.session.opener import Opener
from engine.policy.policy import Policy, site_policy
from engine.simulation.control import Control
from engine.slurm.site.folder import read_site_at
from engine.study import short_machine
from engine.words import listed, plural


def add_sites(models: Models, opener: Opener, *paths: Path) -> None:
    """Add the runs of sites, each by its `slurm.conf` or folder, and say what of them is not simulated.

    Where no machine was asked for, the first site brings that of the log (`Opener.add_runs_of_site`).
    """
    workbench, messages, study = models.workbench, models.messages, models.workbench.study
    names = listed([path.name for path in paths])
    if not workbench.is_open:
        messages.show_message(f"{names}: a site's configuration; open a log first, then add it.")
        return
    # Reading may take long, and another log may be open by then: the sites are of this log.
    source = workbench.open_study.source

    def read(_: Control) -> list[tuple[Path, Policy, tuple[str, ...]]]:
        from engine.slurm.site.left_out import lines_left_out

        sites = [(path, read_site_at(path)) for path in paths]
        return [(path, site_policy(site), tuple(lines_left_out(site, study.trace))) for path, site in sites]

    def add(made: list[tuple[Path, Policy, tuple[str, ...]]]) -> None:
        first = next((policy for _, policy, _ in made if policy.machine is not None), made[0][1])
        # As text, because adding the runs may replace the machine of the study.
        before = str(workbench.study.cluster)

        def add_runs() -> None:
            for path, policy, left_out in made:
                add_run(path, policy, left_out)
            # The user asked for runs, and got another machine for the whole log: that is told, with the way
            # back.
            if str(workbench.study.cluster) != before:
                messages.show_message(
                    f"The log is on the machine of {first.label} now, "
                    f"{short_machine(workbench.study.cluster)}, with its recorded schedule and all runs that "
                    "bring no machine. Undo takes that back."
                )

        if workbench.open_study.source == source:
            opener.add_runs_of_site(first, paths[0].name, add_runs)

    def add_run(path: Path, policy: Policy, left_out: tuple[str, ...]) -> None:
        workbench.add_run(policy)
        texts = []
        if policy.machine is None:
            machine = short_machine(workbench.study.cluster)
            texts.append(f"{path.name} names no nodes: its run is on {machine}.")
        if left_out:
            texts.append(f"{plural(len(left_out), 'setting')} of {path.name} are not simulated.")
        if texts:
            messages.show_message(" ".join(texts), details="\n".join(left_out))

    def failed(error: Exception) -> None:
        messages.show_message(str(error))

    workbench.executor.submit(("site", *map(str, paths)), read, add, failed)


def ask_for_site(models: Models, opener: Opener) -> None:
    """Add the run of a site, whose `slurm.conf` is asked for."""
    path = opener.ask_path("Choose a slurm.conf")
    if path is None:
        return

    def add(file: KnownFile) -> None:
        if file.kind is FileKind.SITE:
            add_sites(models, opener, file.path)
        else:
            models.messages.show_message(f"{file.path.name} is not a slurm.conf.")

    models.workbench.log_opening.look(path.name, lambda: known_files([path])[0], add)
