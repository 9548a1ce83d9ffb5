"""Use of the machine over time."""

from views.usage.chart import UsageChart

__all__ = ["UsageChart"]
