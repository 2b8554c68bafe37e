"""Dask, Spark and Sail give the rows that one process gives: as many, with the same sum of hashes, whatever their order."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fragreel
import pytest
from conftest import SAMPLES

ALL = list(fragreel.tables())
# One of each kind of rows: recordings, matches, events, text, frames, and damage.
SOME = ["recordings", "matches", "kills", "chat", "positions", "findings"]
tables_of_a_run = pytest.mark.parametrize("tables", [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.nightly)])
# Without hz the frames of all samples make most of a test's time.
HZ = 0.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples of all families, and one of them twice."""
    folder: Path = tmp_path_factory.mktemp("demos")
    for name in ["quake3/dm_bots.dm_71", "quake3/warmup_restart.dm_68", "quake2/yq2dm_Alice.dm2", "quake1/match_e1m1.mvd", "goldsrc/net-48.dem"]:
        shutil.copy(SAMPLES / name, folder)
    shutil.copy(SAMPLES / "quake3/dm_bots.dm_71", folder / "again.dm_71")
    return folder


def value(cell: Any) -> str:
    """A cell, the same from every engine."""
    if cell is None or cell != cell:
        return "-"
    if isinstance(cell, bool) or type(cell).__name__ == "bool_":
        return str(bool(cell))
    if isinstance(cell, str):
        return cell
    return f"{float(cell):.4f}"


def fingerprint(rows: list[tuple[Any, ...]]) -> tuple[int, int]:
    """How many rows there are, and the sum of their hashes."""
    total = 0
    for row in rows:
        digest = hashlib.sha256("\x1f".join(map(value, row)).encode()).digest()
        total = (total + int.from_bytes(digest[:8], "little")) % 2**64
    return len(rows), total


@functools.cache
def expected(folder: Path, table: str, where: tuple[str, ...] = ()) -> tuple[int, int]:
    import pyarrow

    # Where a file lies is no matter here; all engines see the same paths anyway.
    rows = pyarrow.table(fragreel.scan(folder, table, where=list(where), hz=HZ)).to_pylist()
    return fingerprint([tuple(row.values()) for row in rows])


def of_pandas(frame: Any) -> tuple[int, int]:
    return fingerprint([tuple(row) for row in frame.itertuples(index=False, name=None)])


@pytest.fixture(scope="module")
def dask_client() -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


@tables_of_a_run
def test_dask_gives_every_table(folder: Path, dask_client: Any, tables: list[str]) -> None:
    import fragreel.dask

    for table in tables:
        frames = dask_client.gather(dask_client.compute(fragreel.dask.delayed(folder, table, hz=HZ)))
        rows = [tuple(row) for frame in frames for row in frame.itertuples(index=False, name=None)]
        assert fingerprint(rows) == expected(folder, table), table
    frame = fragreel.dask.read_table(folder, "kills", ["victim", "means"])
    assert len(frame) == expected(folder, "kills")[0]


def test_dask_loses_and_doubles_nothing_when_a_worker_dies(folder: Path, dask_client: Any) -> None:
    import fragreel.dask

    futures = dask_client.compute(fragreel.dask.delayed([folder] * 20, "positions", hz=HZ))
    victim = next(iter(dask_client.scheduler_info()["workers"]))
    try:
        dask_client.run(lambda: os._exit(1), workers=[victim], on_error="ignore")
    except Exception as error:  # the worker is gone before it can answer
        assert error is not None
    frames = dask_client.gather(futures)
    once = [row for frame in frames[: len(frames) // 20] for row in frame.itertuples(index=False, name=None)]
    everything = [row for frame in frames for row in frame.itertuples(index=False, name=None)]
    assert fingerprint(once) == expected(folder, "positions")
    assert fingerprint(everything)[0] == 20 * len(once)


def spark_checks(spark: Any, folder: Path, tables: list[str]) -> None:
    from fragreel.spark import FragreelDataSource

    spark.dataSource.register(FragreelDataSource)

    def load(table: str, **options: str) -> Any:
        reader = spark.read.format("fragreel").option("table", table).option("hz", str(HZ))
        for name, setting in options.items():
            reader = reader.option(name, setting)
        return reader.load(str(folder))

    for table in tables:
        rows = [tuple(row) for row in load(table).collect()]
        assert fingerprint(rows) == expected(folder, table), table
    chosen = load("positions").where("health > 50 and team is null")
    rows = [tuple(row) for row in chosen.collect()]
    assert fingerprint(rows) == expected(folder, "positions", ("health > 50", "team is null"))
    assert [row.asDict() for row in load("kills", columns="victim").limit(1).collect()][0].keys() == {"victim"}
    (folder / "words.dm_68").write_bytes(b"no recording at all, only words with a name")
    try:
        assert load("kills", strict="false").count() == expected_without(folder)
        with pytest.raises(Exception, match=r"words\.dm_68"):
            load("kills").count()
    finally:
        (folder / "words.dm_68").unlink()


def expected_without(folder: Path) -> int:
    return sum(batch.num_rows for batch in fragreel.scan(folder, "kills", strict=False))


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
@pytest.mark.nightly
def test_spark_with_two_executors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    # its three Java processes live too briefly to gain from the optimizing compiler: 46 s of processor time instead of 94
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.sql.python.filterPushdown.enabled", "true").config("spark.python.sql.dataFrameDebugging.enabled", "false").getOrCreate()
    try:
        spark_checks(spark, folder, ALL)
    finally:
        spark.stop()


@tables_of_a_run
def test_sail(folder: Path, tables: list[str]) -> None:
    from pysail.spark import SparkConnectServer
    from pyspark.sql.connect.session import SparkSession

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = SparkConnectServer("127.0.0.1", port)
    server.start(background=True)
    try:
        spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        try:
            spark_checks(spark, folder, tables)
        finally:
            spark.stop()
    finally:
        server.stop()
