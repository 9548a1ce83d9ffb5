"""Quantities of jobs: a table that filters, colours, charts, tables, files and metrics read."""

from engine.quantities.offers import offered
from engine.quantities.quantity import Jobs, Missing, Need, Quantity, QuantityName, Unit
from engine.quantities.table import QUANTITIES
from engine.trace.columns import ShownIn

__all__ = ["QUANTITIES", "Jobs", "Missing", "Need", "Quantity", "QuantityName", "ShownIn", "Unit", "offered"]
