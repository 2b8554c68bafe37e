"""Tables over many recordings as delayed partitions of Dask. A task reads a batch of recordings; paths travel, bytes do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ._native import Scan
from ._places import Path, batches, opener, recordings

if TYPE_CHECKING:
    import dask.dataframe
    import pandas


def _frame(paths: list[str], table: str, columns: list[str] | None, where: list[str] | None, hz: float | None, strict: bool) -> pandas.DataFrame:
    """The rows of a batch of recordings: what a task does. Dask runs a task on each core."""
    scan = Scan(paths, table, columns, where=where, hz=hz, jobs=1, strict=strict, open=opener(paths))
    frame: pandas.DataFrame = scan.table().to_pandas()
    return frame


def delayed(
    paths: Path | Iterable[Path],
    table: str = "kills",
    columns: Sequence[str] | None = None,
    *,
    where: Sequence[str] | None = None,
    hz: float | None = None,
    strict: bool = True,
    batch: int | None = None,
) -> list[Any]:
    """Delayed ``pandas.DataFrame``, each with the rows of ``batch`` recordings; by default there are at most a thousand of them.

    Without ``strict`` a recording that cannot be read has no rows.
    """
    from dask.delayed import delayed as delay

    options = list(columns) if columns is not None else None, list(where) if where is not None else None, hz, strict
    task = delay(_frame, pure=True)
    return [task(part, table, *options) for part in batches(recordings(paths), batch)]


def read_table(
    paths: Path | Iterable[Path],
    table: str = "kills",
    columns: Sequence[str] | None = None,
    *,
    where: Sequence[str] | None = None,
    hz: float | None = None,
    strict: bool = True,
    batch: int | None = None,
) -> dask.dataframe.DataFrame:
    """The table as a ``dask.dataframe.DataFrame``, a partition for each batch of recordings, as in :func:`delayed`."""
    import dask.dataframe

    parts = delayed(paths, table, columns, where=where, hz=hz, strict=strict, batch=batch)
    nothing = _frame([], table, list(columns) if columns is not None else None, None, None, True)
    frame: dask.dataframe.DataFrame = dask.dataframe.from_delayed(parts, meta=nothing, verify_meta=False)
    return frame
