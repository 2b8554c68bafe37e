"""A table over many recordings as a lazy frame of Polars, which decodes only what the query needs.

>>> import polars, fragreel.polars
>>> kills = fragreel.polars.scan("demos/", "kills")
>>> kills.filter(polars.col("means") == "MOD_RAILGUN").group_by("attacker").len().collect()

Polars says which columns and which rows it wants; both reach the decoder.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import polars
from polars.io.plugins import register_io_source

from ._conditions import condition, declared_columns
from ._native import Scan
from ._places import Path, opener, recordings

_SCHEMA = {
    "bool": polars.Boolean,
    "int32": polars.Int32,
    "int64": polars.Int64,
    "float32": polars.Float32,
    "float64": polars.Float64,
    "text": polars.String,
}


def scan(paths: Path | Iterable[Path], table: str = "kills", *, hz: float | None = None, jobs: int | None = None, strict: bool = True) -> polars.LazyFrame:
    """A table over many recordings as a ``polars.LazyFrame``.

    The arguments are those of :func:`fragreel.scan`. Columns and conditions come from the query.
    """
    found = recordings(paths)
    declared = declared_columns(table)
    schema = {name: _SCHEMA[column["type"]] for name, column in declared.items()}

    def read(columns: list[str] | None, predicate: polars.Expr | None, most: int | None, _: int | None) -> Iterator[polars.DataFrame]:
        named = set(schema if columns is None else columns) | set(predicate.meta.root_names() if predicate is not None else ())
        # a table has rows only where it has columns
        wanted = [name for name in schema if name in named] or ["family"]
        where = [] if predicate is None else list(_conditions(table, predicate))
        for batch in Scan(found, table, wanted, where=where, hz=hz, jobs=jobs, strict=strict, open=opener(found)):
            frame = polars.DataFrame(batch)
            frame = frame if predicate is None else frame.filter(predicate)
            frame = frame if columns is None else frame.select(columns)
            frame = frame if most is None else frame.head(most)
            yield frame
            if most is not None:
                most -= frame.height
                if most == 0:
                    return

    return register_io_source(read, schema=schema, validate_schema=True, is_pure=True, explain_name=f"fragreel {table}")


def _conditions(table: str, predicate: polars.Expr) -> Iterator[str]:
    """Conditions that all rows of a predicate meet. Polars applies the predicate to what comes out, so one that is not understood is left out."""
    parts = predicate.meta.pop()
    if len(parts) == 2 and predicate.meta.eq(parts[1] & parts[0]):
        yield from _conditions(table, parts[1])
        yield from _conditions(table, parts[0])
    elif predicate.meta.is_column():
        yield f"{predicate.meta.output_name()} = true"
    elif len(parts) == 1 and parts[0].meta.is_column():
        name = parts[0].meta.output_name()
        if predicate.meta.eq(parts[0].is_null()):
            yield f"{name} is null"
        elif predicate.meta.eq(parts[0].is_not_null()):
            yield f"{name} is not null"
    elif len(parts) == 2 and parts[1].meta.is_column() and parts[0].meta.is_literal():
        value = polars.select(parts[0]).item()
        for sign, made in _OPERATORS.items():
            if predicate.meta.eq(made(parts[1], parts[0])):
                found = condition(table, parts[1].meta.output_name(), sign, value)
                if found is not None:
                    yield found


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
