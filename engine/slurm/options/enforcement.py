"""What slurmctld enforces of the accounting database, by AccountingStorageEnforce (slurm.conf(5))."""

from __future__ import annotations

import re

LIMITS, SAFE, ASSOCIATIONS, QOS = "limits", "safe", "associations", "qos"

_IMPLIED = {
    "1": (ASSOCIATIONS,),
    "2": (ASSOCIATIONS, LIMITS),
    ASSOCIATIONS: (ASSOCIATIONS,),
    LIMITS: (ASSOCIATIONS, LIMITS),
    QOS: (ASSOCIATIONS, QOS),
    SAFE: (ASSOCIATIONS, LIMITS, SAFE),
    "wckeys": (ASSOCIATIONS,),
    "all": (ASSOCIATIONS, LIMITS, QOS, SAFE),
}
"""What each word of the option implies; `nojobs` and `nosteps` imply nothing of these."""


def enforced_by(text: str | None) -> frozenset[str]:
    """What is enforced by the words of the option: nothing without any.

    Where slurm.conf does not have the option at all (None), limits are. slurmctld would enforce nothing, but
    whoever lays limits beside a slurm.conf means them, and a part of a slurm.conf is often all that is there.
    """
    if text is None:
        return frozenset((LIMITS,))
    words = re.split(r"[,\s]+", text.lower())
    return frozenset(part for word in words for part in _IMPLIED.get(word, ()))
