"""Which recordings paths mean, and their bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from glob import has_magic
from typing import Union

from ._native import failure, is_recording_name, recordings_at

Path = Union[str, "os.PathLike[str]"]

# What is read from an address at most, as the command reads of a file.
MOST = 1 << 30


def is_address(path: str) -> bool:
    """Whether it is an address such as ``https://host/final.dm_68``, and not a file."""
    return "://" in path


def recordings(paths: Path | Iterable[Path]) -> list[str]:
    """The recordings that paths mean, as the command finds them.

    A file means itself, a folder all recordings below it, a pattern such as ``demos/**/*.mvd`` all that match it, and an archive all recordings in
    it: ``demos.zip!2004/final.dm_68``. Addresses such as ``s3://bucket/demos/`` are found by ``fsspec``, which has to be installed for them; an
    address of http or https means one recording, and needs no library.
    """
    given = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]
    found: list[str] = []
    for path in given:
        found.extend(_recordings_at_address(path) if is_address(path) else recordings_at(path))
    return found


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _recordings_at_address(address: str) -> list[str]:
    if _is_web(address):
        return [address]
    import fsspec

    store, inside = fsspec.core.url_to_fs(address)
    if has_magic(inside):
        matches = sorted(store.glob(inside))
    elif store.isdir(inside):
        matches = sorted(name for name in store.find(inside) if is_recording_name(name))
    else:
        matches = [inside]
    return [store.unstrip_protocol(match) for match in matches]


def fetch(address: str, most: int = MOST, timeout: float = 60) -> bytes:
    """The bytes at an address, at most this number. ``timeout`` is in seconds, for each step of the connection."""
    if not _is_web(address):
        import fsspec

        with fsspec.open(address, "rb") as file:
            data: bytes = file.read(most + 1)
    else:
        from urllib.request import Request, urlopen

        with urlopen(Request(address, headers={"User-Agent": "fragreel"}), timeout=timeout) as answer:
            length = answer.headers.get("Content-Length", "")
            if length.isdecimal() and int(length) > most:
                raise _too_large(address, most)
            data = answer.read(most + 1)
            if length.isdecimal() and len(data) < min(int(length), most + 1):
                raise ConnectionError(f"{address}: the connection ended after {len(data)} of {length} bytes")
    if len(data) > most:
        raise _too_large(address, most)
    return data


def _too_large(address: str, most: int) -> Exception:
    return failure("limit", f"{address}: it has more than {most} bytes", address)


# A scheduler takes longer for more tasks than for the recordings in them.
TASKS = 1000


def batches(found: list[str], size: int | None) -> list[list[str]]:
    """Recordings in batches of a size; by default in at most a thousand batches. A task of a cluster reads one batch."""
    many = size or max(1, -(-len(found) // TASKS))
    if many < 1:
        raise ValueError(f"a batch of {many} recordings: give 1 or more")
    return [found[at : at + many] for at in range(0, len(found), many)]


def opener(paths: Iterable[str]) -> Callable[[str], bytes] | None:
    """What opens these paths, if any of them is an address; files are opened without Python."""
    return read if any(map(is_address, paths)) else None


def read(path: str) -> bytes:
    """The bytes of a file, a member of an archive, or an address."""
    if is_address(path):
        return fetch(path)
    from ._native import Demo

    return bytes(Demo(path))
