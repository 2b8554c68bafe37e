"""Tables over many recordings in Apache Spark 4 and in Sail, as a Python data source.

>>> from fragreel.spark import FragreelDataSource
>>> spark.dataSource.register(FragreelDataSource)
>>> spark.read.format("fragreel").option("table", "kills").load("demos/")

Options: ``table`` (``kills`` by default), ``columns`` (names, commas between them), ``where`` (conditions, semicolons between them), ``hz``,
``strict`` (``true`` by default: a recording that cannot be read fails its task; ``false``: it has no rows).

One recording is one task. Paths travel to the executors and bytes do not, so paths must mean the same there: a shared folder, or addresses
of an object store, which ``fsspec`` opens. Comparisons with constants are pushed down to the decoder.
"""

from __future__ import annotations

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

from ._native import tables_declared
from ._scan import find

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


class _Recording(InputPartition):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class FragreelDataSource(DataSource):
    """The data source that is called ``fragreel``."""

    @classmethod
    def name(cls) -> str:
        return "fragreel"

    def _table(self) -> str:
        return self.options.get("table", "kills")

    def schema(self) -> StructType:
        declared = tables_declared()
        table = self._table()
        if table not in declared:
            raise ValueError(f"there is no table {table!r}: there are {', '.join(declared)}")
        columns = declared[table]["columns"]
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
        path = options.get("path")
        if not path:
            raise ValueError("say where the recordings are: .load(PATH)")
        self.paths = _listed(path, ",") if "," in path and "://" not in path else [path]

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        for filter in filters:
            condition = _condition(filter)
            if condition is None:
                yield filter
            else:
                self.conditions.append(condition)

    def partitions(self) -> Sequence[InputPartition]:
        return [_Recording(path) for path in find(self.paths or [])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        import pyarrow

        from .dask import rows

        assert isinstance(partition, _Recording)
        try:
            table = rows(partition.path, self.table, self.columns, self.conditions, self.hz)
        except Exception as error:
            if self.strict:
                raise RuntimeError(f"{partition.path}: {error}") from error
            return
        yield from pyarrow.table(table).to_batches()


_OPERATORS: list[tuple[type[Filter], str]] = [
    (EqualTo, "="),
    (GreaterThan, ">"),
    (GreaterThanOrEqual, ">="),
    (LessThan, "<"),
    (LessThanOrEqual, "<="),
]


def _value(value: Any) -> str | None:
    """A constant as conditions have it, or nothing where they have no word for it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and abs(value) < 2**53:
        return repr(value)
    if isinstance(value, str) and not set(value) & set("'\",\\"):
        return f"'{value}'"
    return None


def _condition(filter: Filter) -> str | None:
    """A filter as a condition for the decoder, or nothing: then Spark looks itself."""
    attribute: tuple[str, ...] = getattr(filter, "attribute", ())
    if len(attribute) != 1:
        return None
    column = attribute[0]
    for kind, operator in _OPERATORS:
        if isinstance(filter, kind):
            value = _value(getattr(filter, "value", None))
            return None if value is None else f"{column} {operator} {value}"
    if isinstance(filter, In):
        values = [_value(value) for value in filter.value]
        if not values or any(value is None for value in values):
            return None
        return f"{column} in {', '.join(str(value) for value in values)}"
    if isinstance(filter, IsNull):
        return f"{column} is null"
    if isinstance(filter, IsNotNull):
        return f"{column} is not null"
    return None
