"""The run that others are compared with where none is named, and what a comparison with the record means."""

from __future__ import annotations

from collections.abc import Sequence

from engine.policy.policy import Policy

CALIBRATION = (
    "recorded is what a real machine did, the other runs are simulations. They differ from it not only by "
    "their policy, but also since the log does not tell of downtime, limits and holds, nor when the real "
    "scheduler looked at its queue. So judge a policy by another simulated run, and by recorded only how "
    "near simulations come to reality."
)
"""What a comparison with the log's own schedule means."""


def usual_baseline(policies: Sequence[Policy]) -> int:
    """The place of the run that others are compared with: a site's own policy, else EASY, else the first that
    is simulated, else the first.
    """
    wanted = (
        lambda policy: policy.site is not None and not policy.site.changes,
        lambda policy: policy.spelling == "easy",
        lambda policy: policy.simulated,
    )
    return next((place for want in wanted for place, each in enumerate(policies) if want(each)), 0)


def baseline_place(run_ids: Sequence[int], policies: Sequence[Policy], *chosen: int | None) -> int:
    """The place of the run that others are compared with: the first of the `chosen` ids that is among the
    runs, else that of the usual one. `policies` are those of the runs, in their order.
    """
    present = (run_ids.index(run_id) for run_id in chosen if run_id is not None and run_id in run_ids)
    return next(present, usual_baseline(policies))


def against_real(policies: Sequence[Policy]) -> bool:
    """Whether the log's own schedule stands beside simulations."""
    return any(policy.recorded for policy in policies) and any(policy.simulated for policy in policies)
