"""The table of a change of rules: all jobs, accounts, partitions and size classes."""

from __future__ import annotations

import numpy as np

from engine.trace import Names
from views.data.change_look import CHANGE_BY, COLUMNS, ChangeColumn, ChangeLook, group_name
from views.tables.content import Content, TableColumn, name_column
from views.work.lazy import LazyValue


def change_content(look: ChangeLook, by: str) -> Content:
    """A row for each group: all jobs first, then those of a kind in CHANGE_BY, or of all kinds."""
    # The row of all jobs has no kind, and stays under every choice.
    groups = [group for group in look.groups if not by or group.by in ("", by)]
    names = [group_name(group) for group in groups]

    def column(side: ChangeColumn) -> TableColumn:
        # None is unknown; a column of numbers has NaN for it, which tables sort to the end.
        values = np.array(
            [np.nan if (value := side.value(group)) is None else value for group in groups], np.float64
        )
        return TableColumn(side.key, side.title, side.text, LazyValue(lambda: values), side.show, side.unit)

    kinds = list(CHANGE_BY)
    kind = name_column(
        "kind",
        "Kind",
        "What the jobs of the row have in common",
        Names(np.array([kinds.index(group.by) for group in groups], np.int32), ("all", *kinds[1:])),
    )
    return Content(
        columns=(kind, *map(column, COLUMNS)),
        rows=np.arange(len(groups)),
        total=len(groups),
        name=lambda item: names[item],
        find=lambda text: np.array([text.lower() in name.lower() for name in names], np.bool_),
    )
