"""Questions over many recordings, which the command answers: its names, its options, its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

from ._command import ask, many
from ._places import Path

_Paths = Union[Path, Iterable[Path]]
_Names = Union[str, Iterable[str]]
_Rows = list[dict[str, Any]]


def sql(query: str, paths: _Paths = (), *, db: Path | None = None, hz: float | None = None, strict: bool = True, **options: Any) -> _Rows:
    """The rows of an SQL query over recordings, or over a database such as a catalogue: ``fragreel sql``.

    >>> fragreel.sql("SELECT attacker, count(*) AS kills FROM kills GROUP BY 1", "demos/")

    Only the tables and columns that the query names are decoded. ``options`` are further options of the command.
    """
    return ask("sql", [query, *many(paths)], {"format": "json", "db": db, "hz": hz, **options}, strict)


def index(paths: _Paths, db: Path, *, strict: bool = True, **options: Any) -> dict[str, Any]:
    """Builds a catalogue of recordings, or renews it: ``fragreel index``. What is unchanged is not read again.

    The answer counts files, recordings, and what was ``read``, ``unchanged``, ``removed`` and ``unreadable``. With ``strict=False`` a file that
    cannot be read is counted only.
    """
    return ask("index", many(paths), {"json": True, "db": db, **options}, strict)[-1]


def find(
    db: Path,
    *,
    player: _Names | None = None,
    with_: _Names | None = None,
    against: _Names | None = None,
    map: str | None = None,
    date: str | None = None,
    mod: str | None = None,
    text: str | None = None,
    same_as: Path | None = None,
    limit: int | None = None,
    **options: Any,
) -> _Rows:
    """The recordings of a catalogue that meet all conditions: ``fragreel find``.

    >>> fragreel.find("demos.sqlite", player="sarge", map="q3dm17", date="2004-03..2005")

    ``options`` are further options of the command, such as ``damaged=True`` and ``duplicates=True``.
    """
    named = {"player": player, "with": with_, "against": against, "map": map, "date": date, "mod": mod, "text": text}
    return ask("find", [], {"json": True, "db": db, **named, "same_as": same_as, "limit": limit, **options}, True)


def export(
    paths: _Paths,
    tables: _Names,
    output: Path,
    *,
    format: str = "parquet",
    columns: _Names | None = None,
    where: _Names | None = None,
    hz: float | None = None,
    resume: bool = False,
    strict: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Writes tables of recordings into files: ``fragreel export``.

    The answer has the number of recordings, and for each table its rows, files and bytes. ``options`` are further options of the command.
    """
    named = {"tables": tables, "output": output, "format": format, "columns": columns, "where": where, "hz": hz, "resume": resume}
    return ask("export", many(paths), {"json": True, **named, **options}, strict)[-1]


def moments(
    paths: _Paths,
    *,
    best: int | None = None,
    player: _Names | None = None,
    weapon: _Names | None = None,
    strict: bool = True,
    **criteria: Any,
) -> _Rows:
    """Moments worth watching: ``fragreel highlights``.

    >>> fragreel.moments("demos/", best=20, weapon="railgun", own=True)

    ``criteria`` are those of the command: ``kills=3``, ``within="3s"``, ``flicks=90``, ``captures=True``.
    """
    return ask("highlights", many(paths), {"json": True, "best": best, "player": player, "weapon": weapon, **criteria}, strict)


def runs(paths: _Paths, *, strict: bool = True, **options: Any) -> _Rows:
    """Runs against the clock: ``fragreel runs``."""
    return ask("runs", many(paths), {"json": True, **options}, strict)


def jumps(
    paths: _Paths,
    *,
    player: _Names | None = None,
    kinds: _Names | None = None,
    min_distance: float | None = None,
    strict: bool = True,
    **options: Any,
) -> _Rows:
    """Jumps with their strafes: ``fragreel jumps``."""
    return ask("jumps", many(paths), {"json": True, "player": player, "kinds": kinds, "min_distance": min_distance, **options}, strict)
