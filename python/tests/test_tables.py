"""Tables are the events and frames, and other libraries take them as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import fragreel
import pandas
import polars
import pyarrow
import pytest
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"


def rows(table: Any) -> list[dict[str, Any]]:
    return pyarrow.table(table).to_pylist()


def test_kills_are_the_events(sample: Path) -> None:
    demo = fragreel.Demo(sample)
    events = demo.events(["kill"])
    found = rows(demo.table("kills", ["time", "victim", "means"]))
    assert found == [{"time": kill["time"], "victim": kill["victim"]["name"]["clean"], "means": kill["means"]} for kill in events]
    assert demo.kills is demo.kills, "kept"


def test_positions_are_the_frames(sample: Path) -> None:
    demo = fragreel.Demo(sample)
    found = rows(demo.table("positions", ["time", "slot", "x", "y", "z", "health"], hz=2))
    expected = []
    for frame in demo.frames(hz=2):
        for player in frame["players"]:
            x, y, z = player.get("origin") or (None, None, None)
            expected.append((frame["time"], player["slot"], x, y, z, player.get("health")))
    assert len(found) == len(expected)
    for row, (time, slot, x, y, z, health) in zip(found, expected):
        assert (row["time"], row["slot"], row["health"]) == (time, slot, health)
        assert (row["x"], row["y"], row["z"]) == (pytest.approx(x), pytest.approx(y), pytest.approx(z))


def test_every_table_can_be_had(sample: Path) -> None:
    demo = fragreel.Demo(sample)
    for name, declared in fragreel.tables().items():
        table = demo.table(name, hz=1)
        assert table.column_names == list(declared["columns"]), name


def test_libraries_take_tables_as_they_are() -> None:
    kills = fragreel.Demo(DUEL).kills
    assert polars.DataFrame(kills).height == kills.to_polars().height == 11
    assert pyarrow.table(kills).num_rows == kills.to_pyarrow().num_rows == 11
    assert len(kills.to_pandas()) == len(pandas.DataFrame.from_arrow(kills)) == 11
    assert duckdb.sql("select count(*) from kills").fetchall() == [(11,)]
    field = pyarrow.schema(kills).field("time")
    assert field.metadata[b"unit"] == b"ms" and field.metadata[b"about"]


def test_another_schema_can_be_asked_for() -> None:
    demo = fragreel.Demo(DUEL)
    wanted = pyarrow.schema([("time", pyarrow.int32()), ("victim", pyarrow.large_string())])
    for table in [demo.table("kills", ["time", "victim"]), fragreel.scan(DUEL, "kills", ["time", "victim"])]:
        assert pyarrow.table(table, schema=wanted).schema == pyarrow.RecordBatchReader.from_stream(table, schema=wanted).schema == wanted
        assert pyarrow.RecordBatchReader.from_stream(table, schema=wanted).read_all().to_pylist() == rows(table)


def test_conditions_and_times_choose_rows() -> None:
    demo = fragreel.Demo(DUEL)
    everything = demo.kills.to_pyarrow().to_pylist()
    chosen = demo.table("kills", ["time"], where=["victim = Gargoyle"], start="0:10").to_pyarrow().to_pylist()
    assert chosen == [{"time": row["time"]} for row in everything if row["victim"] == "Gargoyle" and row["time"] >= 10_000]
    assert 0 < len(chosen) < len(everything)


def test_a_scan_is_its_recordings_in_order() -> None:
    paths = fragreel.recordings([SAMPLES / "quake3", SAMPLES / "quake1" / "*.mvd"])
    assert len(paths) > 5
    expected = [row for path in paths for row in rows(fragreel.Demo(path).kills)]
    steps: list[tuple[int, int]] = []
    scan = fragreel.scan(paths, "kills", progress=lambda done, all: steps.append((done, all)))
    assert rows(scan) == expected
    assert steps == [(done + 1, len(paths)) for done in range(len(paths))]
    assert rows(scan.table()) == expected
    assert sum(batch.num_rows for batch in scan) == len(expected)
    assert polars.DataFrame(scan).height == len(duckdb.sql("select * from scan").fetchall()) == len(expected)


def test_a_scan_can_be_left(tmp_path: Path) -> None:
    for _ in fragreel.scan(SAMPLES, "positions"):
        break


def test_what_cannot_be_read_raises_or_is_noted(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.dm_71", tmp_path / "b.dm_71"
    good.write_bytes(DUEL.read_bytes())
    bad.write_bytes(b"no recording at all, only words with a name")
    with pytest.raises(fragreel.Error, match=r"b\.dm_71: "):
        list(fragreel.scan(tmp_path))
    scan = fragreel.scan(tmp_path, strict=False)
    assert len(rows(scan)) == 11
    assert [path for path, _ in scan.failures] == [str(bad)]


def test_links_in_a_circle_are_walked_once(tmp_path: Path) -> None:
    (tmp_path / "a.dm_71").write_bytes(DUEL.read_bytes())
    (tmp_path / "round").symlink_to(tmp_path)
    assert fragreel.recordings(tmp_path) == [str(tmp_path / "a.dm_71")]


def test_addresses_of_stores() -> None:
    import fsspec

    store = fsspec.filesystem("memory")
    store.pipe("/demos/a.dm_71", DUEL.read_bytes())
    scan = fragreel.scan("memory://demos")
    assert len(rows(scan)) == 11
