"""The distribution of a measure over users, queues, classes or jobs under each run: boxes, histograms,
curves.
"""
