"""The whole trace at a glance, and the part of it that is shown."""

from views.overview.bar import OverviewBar

__all__ = ["OverviewBar"]
