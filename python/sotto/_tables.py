"""Tables that a program already holds, on their way to sums: they are never written to a disk."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy as np

from . import _sotto


def table_of(columns: Any, name: str = "the table") -> "_sotto.Table":
    """A DataFrame, or a dictionary of columns, as a table; columns are found by name."""
    table = _sotto.Table(name)
    items = columns.items() if hasattr(columns, "items") else None
    if items is None:
        raise TypeError("a table is a DataFrame or a dictionary of columns")
    for column, values in items:
        add_column(table, str(column), values)
    return table


def add_column(table: "_sotto.Table", name: str, values: Any) -> None:
    """Numbers stay numbers; everything else is text, and None, NaN and NA are missing."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {name!r} has {array.ndim} dimensions; a column has one")
    if array.dtype.kind in "fiu":
        table.add_numbers(name, array)
    elif array.dtype.kind == "b":
        table.add_texts(name, ["true" if v else "false" for v in array])
    else:
        table.add_texts(name, [text_of(value) for value in array.tolist()])


def text_of(value: Any) -> Optional[str]:
    """A level as the study has it."""
    if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def tables_of(data: Any) -> list["_sotto.Table"]:
    """One table, a list of them, or a dictionary by party."""
    if isinstance(data, Mapping) and not hasattr(data, "columns"):
        if all(hasattr(t, "columns") or isinstance(t, Mapping) for t in data.values()):
            return [table_of(t, f"the table of {party}") for party, t in data.items()]
        return [table_of(data)]
    if isinstance(data, (list, tuple)):
        return [table_of(t, f"the table of party {k}") for k, t in enumerate(data, 1)]
    return [table_of(data)]
