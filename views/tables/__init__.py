"""Tables: metrics by run; runs, users, queues and jobs."""

from views.tables.groups_table import GroupsTable
from views.tables.jobs_table import JobsTable
from views.tables.metrics_table import MetricsTable
from views.tables.runs_table import RunEntry, RunsTable
from views.tables.table import Table

__all__ = ["GroupsTable", "JobsTable", "MetricsTable", "RunEntry", "RunsTable", "Table"]
