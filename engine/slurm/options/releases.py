"""Releases of Slurm on which usual values of its options depend."""

from __future__ import annotations

Version = tuple[int, int]
"""Year and month of a release, such as (23, 11)."""

OLD: Version = (19, 5)
"""The release whose usual values count if a file has options that later ones do without."""

FAIR_TREE: Version = (19, 5)
"""From this release on fairshare is computed by Fair Tree (Slurm's release notes of 19.05)."""

OWN_REQUEUE_DELAY: Version = (22, 6)
"""Releases from here on, and not 22.05, have a setting for how long requeued jobs wait."""

NEW_DEFAULTS: Version = (23, 11)
"""From this release on the default PriorityType is priority/multifactor, before priority/basic, and that of
SelectType select/cons_tres, before select/linear (Slurm's change log of 23.11.0rc1)."""

ASSUMED: Version = (24, 11)
"""The release whose usual values count if nothing tells the version of a file."""
