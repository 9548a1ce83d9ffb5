"""How users, queues, classes or jobs fare under each run: boxes, histograms, cumulative curves."""

from views.distribution.panel import DistributionPanel

__all__ = ["DistributionPanel"]
