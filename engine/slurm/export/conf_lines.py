"""The text that makes a Slurm follow a policy: lines of a `slurm.conf`, and commands of sacctmgr."""

from __future__ import annotations

from engine.policy.policy import Policy
from engine.slurm.export.lines import UNCHANGED, slurm_lines
from engine.slurm.site.changes import changed_lines


def text_to_paste(policy: Policy) -> str:
    """What to paste for a policy; of a site only what was changed in it."""
    if policy.site is None:
        return slurm_lines(policy).text
    return "".join(f"{line}\n" for line in changed_lines(policy.site) or (f"# {UNCHANGED}",))
