"""Tables: metrics by run, and users."""

from views.tables.metrics_table import MetricsTable
from views.tables.users_table import UsersTable

__all__ = ["MetricsTable", "UsersTable"]
