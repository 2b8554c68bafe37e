"""Conditions of other libraries in the words of the decoder."""

from __future__ import annotations

import math
import struct
from typing import Any

from ._native import MisuseError, tables_declared

def declared_columns(table: str) -> dict[str, Any]:
    """The columns of a table, as :func:`fragreel.tables` has them."""
    declared = tables_declared()
    if table not in declared:
        raise MisuseError(f"there is no table `{table}`; there are {', '.join(declared)}")
    columns: dict[str, Any] = declared[table]["columns"]
    return columns


def condition(table: str, column: str, operator: str, value: Any) -> str | None:
    """A comparison with a constant as a condition, or nothing if it cannot be written as one that holds for the same rows."""
    declared = declared_columns(table).get(column)
    written = declared and literal(declared["type"], value)
    return f"{column} {operator} {written}" if written else None


def literal(kind: str, value: Any) -> str | None:
    """A constant as conditions have it, for a column of this type."""
    if kind == "bool" or isinstance(value, bool):
        return str(value).lower() if kind == "bool" and isinstance(value, bool) else None
    if kind == "text" or isinstance(value, str):
        is_plain = kind == "text" and isinstance(value, str) and not set(value) & set("'\",\\")
        return f"'{value}'" if is_plain else None
    if isinstance(value, int) and abs(value) < (2**53 if kind.startswith("int") else 2**24):
        return repr(value)
    # other libraries round what is compared with numbers of 32 bits; this number is the same in both
    if isinstance(value, float) and math.isfinite(value) and abs(value) < 2**24 and struct.unpack("f", struct.pack("f", value))[0] == value:
        return repr(value)
    return None
