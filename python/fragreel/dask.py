"""Tables over many recordings as delayed partitions of Dask: one recording, one task; paths travel, bytes do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._native import Demo, Table
from ._scan import Path, find, read

if TYPE_CHECKING:
    import dask.dataframe
    import pyarrow


def rows(
    path: str,
    table: str,
    columns: Sequence[str] | None = None,
    where: Sequence[str] | None = None,
    hz: float | None = None,
) -> Table:
    """The rows of one recording, wherever it lies: what a task does."""
    demo = Demo(read(path), name=path)
    return demo.table(table, list(columns) if columns is not None else None, where=list(where) if where is not None else None, hz=hz)


def _frame(path: str, options: dict[str, Any], strict: bool) -> Any:
    try:
        return rows(path, **options).to_pandas()
    except Exception:
        if strict:
            raise
        return _nothing(options).to_pandas()


def _nothing(options: dict[str, Any]) -> pyarrow.Table:
    import pyarrow

    from ._native import Scan

    scan = Scan([], options["table"], options["columns"])
    return pyarrow.schema(scan).empty_table()


def delayed(
    paths: Path | Iterable[Path],
    table: str = "kills",
    columns: Sequence[str] | None = None,
    *,
    where: Sequence[str] | None = None,
    hz: float | None = None,
    strict: bool = True,
) -> list[Any]:
    """One delayed ``pandas.DataFrame`` for each recording. Without ``strict`` a recording that cannot be read has no rows."""
    from dask.delayed import delayed as delay

    options = {"table": table, "columns": list(columns) if columns is not None else None, "where": list(where) if where is not None else None, "hz": hz}
    task = delay(_frame, pure=True)
    return [task(path, options, strict) for path in find(paths)]


def read_table(
    paths: Path | Iterable[Path],
    table: str = "kills",
    columns: Sequence[str] | None = None,
    *,
    where: Sequence[str] | None = None,
    hz: float | None = None,
    strict: bool = True,
) -> dask.dataframe.DataFrame:
    """The table as a ``dask.dataframe.DataFrame``, a partition for each recording."""
    import dask.dataframe

    options: dict[str, Any] = {"table": table, "columns": list(columns) if columns is not None else None}
    parts = delayed(paths, table, columns, where=where, hz=hz, strict=strict)
    frame: dask.dataframe.DataFrame = dask.dataframe.from_delayed(parts, meta=_nothing(options).to_pandas(), verify_meta=False)
    return frame
