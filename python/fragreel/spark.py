"""Tables over many recordings in Apache Spark 4 and in Sail, as a Python data source.

>>> from fragreel.spark import FragreelDataSource
>>> spark.dataSource.register(FragreelDataSource)
>>> spark.read.format("fragreel").option("table", "kills").load("demos/")

Options: ``table`` (``kills`` by default), ``columns`` (names, commas between them), ``where`` (conditions, semicolons between them), ``hz``,
``strict`` (``true`` by default: a recording that cannot be read fails its task; ``false``: it has no rows), ``batch`` (recordings a task; by default
there are at most a thousand tasks). ``load`` takes one path or a list.

Paths travel to the executors and bytes do not, so paths must mean the same there: a shared folder, or addresses of an object store, which
``fsspec`` opens. Comparisons with constants are pushed down to the decoder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from ._conditions import condition, declared_columns, literal
from ._native import Error, Scan
from ._places import batches, opener, recordings

_TYPES: dict[str, type[DataType]] = {
    "bool": BooleanType,
    "int32": IntegerType,
    "int64": LongType,
    "float32": FloatType,
    "float64": DoubleType,
    "text": StringType,
}


def _listed(text: str | None, separator: str) -> list[str] | None:
    if not text:
        return None
    return [part.strip() for part in text.split(separator) if part.strip()]


class _Recordings(InputPartition):
    def __init__(self, paths: list[str]) -> None:
        super().__init__(paths)
        self.paths = paths


class FragreelDataSource(DataSource):
    """The data source that is called ``fragreel``."""

    @classmethod
    def name(cls) -> str:
        return "fragreel"

    def _table(self) -> str:
        return self.options.get("table", "kills")

    def schema(self) -> StructType:
        table = self._table()
        columns = declared_columns(table)
        wanted = _listed(self.options.get("columns"), ",") or list(columns)
        for name in wanted:
            if name not in columns:
                raise ValueError(f"table {table!r} has no column {name!r}; it has {', '.join(columns)}")
        return StructType([StructField(name, _TYPES[columns[name]["type"]](), True) for name in wanted])

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(self._table(), schema, dict(self.options))


class _Reader(DataSourceReader):
    def __init__(self, table: str, schema: StructType, options: dict[str, str]) -> None:
        self.table = table
        # Spark hands its own schema on, Sail one of pyarrow's
        self.columns = list(schema.names)
        self.conditions = _listed(options.get("where"), ";") or []
        self.hz = float(options["hz"]) if options.get("hz") else None
        self.strict = options.get("strict", "true").lower() != "false"
        self.batch = int(options["batch"]) if options.get("batch") else None
        # one path, or a list as Spark writes it
        self.paths = json.loads(options["paths"]) if options.get("paths") else [options["path"]] if options.get("path") else []
        if not self.paths:
            raise ValueError("say where the recordings are: .load(PATH)")

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        for filter in filters:
            found = _condition(self.table, filter)
            if found is None:
                yield filter
            else:
                self.conditions.append(found)

    def partitions(self) -> Sequence[InputPartition]:
        return [_Recordings(paths) for paths in batches(recordings(self.paths), self.batch)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        import pyarrow

        assert isinstance(partition, _Recordings)
        paths = partition.paths
        scan = Scan(paths, self.table, self.columns, where=self.conditions, hz=self.hz, jobs=1, strict=self.strict, open=opener(paths))
        try:
            for batch in scan:
                yield from pyarrow.table(batch).to_batches()
        except Error as error:
            # Spark shows the words alone
            raise RuntimeError(str(error)) from error


_OPERATORS: list[tuple[type[Filter], str]] = [
    (EqualTo, "="),
    (GreaterThan, ">"),
    (GreaterThanOrEqual, ">="),
    (LessThan, "<"),
    (LessThanOrEqual, "<="),
]


def _condition(table: str, filter: Filter) -> str | None:
    """A filter as a condition for the decoder, or nothing: then Spark looks itself."""
    attribute: tuple[str, ...] = getattr(filter, "attribute", ())
    if len(attribute) != 1:
        return None
    column = attribute[0]
    for kind, operator in _OPERATORS:
        if isinstance(filter, kind):
            return condition(table, column, operator, getattr(filter, "value", None))
    if isinstance(filter, In):
        declared = declared_columns(table)[column]["type"]
        values = [literal(declared, value) for value in filter.value]
        return f"{column} in {', '.join(map(str, values))}" if values and all(values) else None
    if isinstance(filter, IsNull):
        return f"{column} is null"
    if isinstance(filter, IsNotNull):
        return f"{column} is not null"
    return None
