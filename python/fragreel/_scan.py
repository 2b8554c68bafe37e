"""Rows of many recordings as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ._native import Scan
from ._places import Path, opener, recordings


def scan(
    paths: Path | Iterable[Path],
    table: str = "kills",
    columns: Sequence[str] | None = None,
    *,
    where: Sequence[str] | None = None,
    hz: float | None = None,
    jobs: int | None = None,
    strict: bool = True,
    progress: Callable[[int, int], object] | None = None,
) -> Scan:
    """A table over many recordings, read on all cores as it is taken, in the order of the files; memory stays flat.

    Parameters
    ----------
    paths
        Files, folders, patterns, archives, and addresses, as :func:`fragreel.recordings` finds them.
    table, columns
        Which table, and which of its columns; :func:`tables` lists them. What is not named is not decoded.
    where
        Conditions that rows must meet, such as ``"weapon = railgun"`` or ``"time >= 60000"``. They reach the decoder.
    hz
        In tables of frames: at most this number of frames a second.
    jobs
        How many recordings at a time; as many as there are cores by default.
    strict
        Whether a recording that cannot be read raises. If not, it is passed over and noted in ``Scan.failures``.
    progress
        Called with the number of recordings done and the number of all, for example
        ``lambda done, all: bar.update(done - bar.n)`` with a bar of ``tqdm``.
    """
    found = recordings(paths)
    return Scan(
        found,
        table,
        list(columns) if columns is not None else None,
        where=list(where) if where is not None else None,
        hz=hz,
        jobs=jobs,
        strict=strict,
        open=opener(found),
        progress=progress,
    )
