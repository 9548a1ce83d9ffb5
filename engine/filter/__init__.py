"""Filters: expressions over jobs, such as `user in (12, 62) and procs >= 64 and wait > 2h`."""

from engine.filter.expression import Expression, match_any
from engine.filter.fields import FIELDS, Field
from engine.filter.parse import FilterError, parse_filter

__all__ = ["FIELDS", "Expression", "Field", "FilterError", "match_any", "parse_filter"]
