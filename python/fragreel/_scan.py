"""Which recordings paths mean, and their rows as one table."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Union

from ._native import Scan, is_recording_name

Path = Union[str, "os.PathLike[str]"]


def _is_remote(path: str) -> bool:
    return "://" in path


def _below(folder: str) -> Iterator[str]:
    """Recordings in a folder, in a fixed order; a link back into a folder that is being searched is not followed."""
    seen: set[tuple[int, int]] = set()
    for top, folders, names in os.walk(folder, followlinks=True):
        here = os.stat(top)
        if (here.st_dev, here.st_ino) in seen:
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        folders.sort()
        for name in sorted(names):
            if is_recording_name(name):
                yield os.path.join(top, name)


def find(paths: Path | Iterable[Path]) -> list[str]:
    """The recordings that paths mean: a file as it is, a folder with all recordings below it, a pattern with all that match it.

    Addresses such as ``s3://bucket/demos/*.mvd`` are found by ``fsspec``, which has to be installed for them.
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found: list[str] = []
    for given in paths:
        path = os.fspath(given)
        if _is_remote(path):
            found.extend(_find_remote(path))
        elif os.path.isdir(path):
            found.extend(_below(path))
        elif os.path.exists(path):
            found.append(path)
        else:
            matches = sorted(match for match in glob.glob(path, recursive=True) if os.path.isfile(match))
            if not matches:
                raise FileNotFoundError(f"{path}: there is no such file, and no file matches it")
            found.extend(matches)
    return found


def _find_remote(path: str) -> list[str]:
    import fsspec

    store, inside = fsspec.core.url_to_fs(path)
    if glob.has_magic(inside):
        matches = sorted(store.glob(inside))
    elif store.isdir(inside):
        matches = sorted(name for name in store.find(inside) if is_recording_name(name))
    else:
        matches = [inside]
    return [store.unstrip_protocol(match) for match in matches]


def read(path: str) -> bytes:
    """The bytes of a file, or of an address that ``fsspec`` knows."""
    if not _is_remote(path):
        with open(path, "rb") as file:
            return file.read()
    import fsspec

    with fsspec.open(path, "rb") as file:
        data: bytes = file.read()
    return data


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
        Files, folders, patterns, and addresses that ``fsspec`` knows.
    table, columns
        Which table, and which of its columns; :func:`tables` lists them. What is not named is not decoded.
    where
        Conditions that rows must meet, such as ``"weapon = railgun"`` or ``"time >= 60000"``. They reach the decoder.
    hz
        In tables of frames: at most so many frames a second.
    jobs
        How many recordings at a time; as many as there are cores by default.
    strict
        Whether a recording that cannot be read raises. If not, it is passed over and noted in ``Scan.failures``.
    progress
        Called with the number of recordings done and the number of all, for example
        ``lambda done, all: bar.update(done - bar.n)`` with a bar of ``tqdm``.
    """
    found = find(paths)
    remote = any(map(_is_remote, found))
    return Scan(
        found,
        table,
        list(columns) if columns is not None else None,
        where=list(where) if where is not None else None,
        hz=hz,
        jobs=jobs,
        strict=strict,
        open=read if remote else None,
        progress=progress,
    )
