"""Tables: metrics by run; users, queues and jobs."""

from views.tables.groups_table import GroupsTable
from views.tables.jobs_table import JobsTable
from views.tables.metrics_table import MetricsTable
from views.tables.table import Table

__all__ = ["GroupsTable", "JobsTable", "MetricsTable", "Table"]
