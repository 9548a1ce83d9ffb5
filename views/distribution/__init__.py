"""How users, queues, classes or jobs fare under each run: boxes, histograms, cumulative curves."""
