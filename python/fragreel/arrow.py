"""A table over many recordings as a dataset of pyarrow, which DuckDB queries in place.

>>> import duckdb, fragreel.arrow
>>> kills = fragreel.arrow.dataset("demos/", "kills")
>>> duckdb.sql("select attacker, count(*) from kills where means = 'MOD_RAILGUN' group by attacker")

DuckDB says which columns and which rows it wants; both reach the decoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
import pyarrow.dataset

from ._conditions import condition, declared_columns
from ._native import Scan
from ._places import Path, opener, recordings


def dataset(paths: Path | Iterable[Path], table: str = "kills", *, hz: float | None = None, jobs: int | None = None, strict: bool = True) -> RecordingDataset:
    """A table over many recordings as a ``pyarrow.dataset.Dataset``.

    The arguments are those of :func:`fragreel.scan`. Columns and conditions come from the query.
    """
    return RecordingDataset(recordings(paths), table, hz, jobs, strict)


class RecordingDataset(pyarrow.dataset.Dataset):  # type: ignore[misc]
    """A table over many recordings. They are read again for each query."""

    def __init__(self, found: list[str], table: str, hz: float | None, jobs: int | None, strict: bool) -> None:
        # the class of pyarrow refuses to be made; all of its methods ask `scanner`
        self._found, self._table, self._hz, self._jobs, self._strict = found, table, hz, jobs, strict
        self._declared = declared_columns(table)

    def __reduce__(self) -> Any:
        return RecordingDataset, (self._found, self._table, self._hz, self._jobs, self._strict)

    @property
    def schema(self) -> pyarrow.Schema:
        """The schema of all columns. Fields carry ``about`` and ``unit``."""
        return pyarrow.schema(Scan([], self._table))

    def scanner(self, columns: Any = None, filter: pyarrow.dataset.Expression | None = None, **options: Any) -> pyarrow.dataset.Scanner:
        """The rows that a query wants, decoded as they are taken. ``columns`` and ``filter`` are those of pyarrow."""
        text = "" if filter is None else str(filter)
        # a computed column may need any
        named = set(columns if isinstance(columns, list) else self._declared) | set(re.findall(r"\w+", text))
        wanted = [name for name in self._declared if name in named] or ["family"]
        where = list(_conditions(self._table, text))
        scan = Scan(self._found, self._table, wanted, where=where, hz=self._hz, jobs=self._jobs, strict=self._strict, open=opener(self._found))
        rows = pyarrow.RecordBatchReader.from_stream(scan)
        return pyarrow.dataset.Scanner.from_batches(rows, columns=columns, filter=filter)


_COMPARED = re.compile(r"(\w+) (==|!=|<=|>=|<|>) (.+)")
_ASKED = re.compile(r"(is_valid|is_null)\((\w+)(?:, \{nan_is_null=false\})?\)")


def _conditions(table: str, text: str) -> Iterator[str]:
    """Conditions that all rows of a filter meet. The filter is applied to what comes out, so a part that is not understood is left out."""
    parts = _parts(text)
    if len(parts) > 1:
        for part in parts:
            yield from _conditions(table, part)
        return
    text = parts[0]
    if found := _ASKED.fullmatch(text):
        yield f"{found[2]} is {'not ' if found[1] == 'is_valid' else ''}null"
    elif found := _COMPARED.fullmatch(text):
        try:
            value = json.loads(found[3])
        except ValueError:
            return
        made = condition(table, found[1], found[2].replace("==", "="), value)
        if made is not None:
            yield made
    elif declared_columns(table).get(text, {}).get("type") == "bool":
        yield f"{text} = true"


def _parts(text: str) -> list[str]:
    """What ``and`` joins in ``((a == 1) and (b == "x"))``, without the parentheses around all of it."""
    while text.startswith("(") and _end(text) == len(text):
        text = text[1:-1]
    parts, at = [], 0
    start = 0
    while at < len(text):
        if text.startswith(" and ", at):
            parts.append(text[start:at])
            at = start = at + len(" and ")
        else:
            at = _end(text, at)
    return [*parts, text[start:]]


def _end(text: str, at: int = 0) -> int:
    """The place after the character, the quoted text, or the parenthesis that begins at a place."""
    closed = {"(": ")", "{": "}", "[": "]"}.get(text[at])
    if text[at] == '"':
        at += 1
        while at < len(text) and text[at] != '"':
            at += 2 if text[at] == "\\" else 1
        return at + 1
    at += 1
    while closed and at < len(text) and text[at] != closed:
        at = _end(text, at)
    return at + 1 if closed else at
