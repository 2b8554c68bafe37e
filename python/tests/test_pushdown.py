"""Polars and DuckDB get the rows that they would have chosen from all rows, and decode less for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import fragreel
import fragreel.arrow
import fragreel.polars
import polars
import polars.testing
import pyarrow.dataset
import pytest
from conftest import SAMPLES

COLUMN = polars.col
PREDICATES = [
    COLUMN("means") == "MOD_RAILGUN",
    (COLUMN("means") != "MOD_RAILGUN") & (COLUMN("time") >= 10_000) & COLUMN("attacker").is_not_null(),
    COLUMN("attacker").is_null() | (COLUMN("time") < 5000),
    COLUMN("suicide"),
    ~COLUMN("suicide") & (COLUMN("distance") > 300.5),
    COLUMN("distance") > 300.1,
    COLUMN("victim").str.starts_with("G"),
    COLUMN("weapon").is_in(["railgun", "shotgun"]),
    COLUMN("victim_health").is_between(-20, 10),
    COLUMN("means") == "it's \"quoted\"",
]


@pytest.fixture()
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[str]]]:
    """The columns and conditions that reached the decoder."""
    seen: list[tuple[list[str], list[str]]] = []

    def watched(paths: list[str], table: str, columns: Any = None, *, where: Any = None, **options: Any) -> fragreel.Scan:
        if paths:
            seen.append((columns, where))
        return fragreel.Scan(paths, table, columns, where=where, **options)

    monkeypatch.setattr(fragreel.polars, "Scan", watched)
    monkeypatch.setattr(fragreel.arrow, "Scan", watched)
    return seen


@pytest.fixture(scope="module")
def kills() -> polars.DataFrame:
    return polars.DataFrame(fragreel.scan(SAMPLES, "kills"))


@pytest.mark.parametrize("predicate", PREDICATES, ids=str)
def test_a_predicate_of_polars_chooses_the_same_rows(kills: polars.DataFrame, predicate: polars.Expr) -> None:
    lazy = fragreel.polars.scan(SAMPLES, "kills").filter(predicate)
    polars.testing.assert_frame_equal(lazy.collect(), kills.filter(predicate))
    assert lazy.select(polars.len()).collect().item() == kills.filter(predicate).height


def test_polars_decodes_what_it_needs(kills: polars.DataFrame, asked: list[Any]) -> None:
    lazy = fragreel.polars.scan(SAMPLES, "kills")
    assert lazy.collect_schema() == kills.schema
    lazy.filter((COLUMN("means") == "MOD_RAILGUN") & (COLUMN("time") > 1000)).select("attacker").collect()
    columns, where = asked.pop()
    assert columns == ["time", "attacker", "means"] and sorted(where) == ["means = 'MOD_RAILGUN'", "time > 1000"]
    assert lazy.head(3).collect().equals(kills.head(3))
    board = lazy.group_by("attacker").len().sort("len", "attacker", descending=True).collect()
    assert board.equals(kills.group_by("attacker").len().sort("len", "attacker", descending=True))
    assert asked.pop() == (["attacker"], [])


SELECTS = [
    "select * from kills",
    "select count(*) from kills",
    "select attacker, count(*) from kills where means = 'MOD_RAILGUN' and time > 1000 group by attacker order by all",
    "select victim from kills where attacker is null or time < 5000 order by all",
    "select time from kills where weapon in ('railgun', 'shotgun') and not suicide order by all",
    "select distance from kills where distance > 300.1 and victim_in_air order by all",
    "select victim from kills where victim like 'G%' order by all",
    "select means from kills where means = 'it''s \"quoted\" and (odd' order by all",
]


@pytest.mark.parametrize("query", SELECTS)
def test_a_query_of_duckdb_has_the_same_answer(kills: polars.DataFrame, query: str) -> None:
    whole = kills
    recordings = fragreel.arrow.dataset(SAMPLES, "kills")
    assert duckdb.sql(query.replace("from kills", "from recordings")).fetchall() == duckdb.sql(query.replace("from kills", "from whole")).fetchall()


def test_duckdb_decodes_what_it_needs(asked: list[Any]) -> None:
    kills = fragreel.arrow.dataset(SAMPLES, "kills")
    duckdb.sql("select attacker from kills where means = 'MOD_RAILGUN' and time > 1000 and suicide").fetchall()
    columns, where = asked.pop()
    assert set(columns) == {"time", "attacker", "means", "suicide"}
    assert {"means = 'MOD_RAILGUN'", "time > 1000"} <= set(where)


def test_a_dataset_is_one_of_pyarrow() -> None:
    kills = fragreel.arrow.dataset(SAMPLES / "quake3", "kills")
    expected = fragreel.scan(SAMPLES / "quake3", "kills").table().to_pyarrow()
    assert kills.to_table().equals(expected) and kills.count_rows() == expected.num_rows
    late = pyarrow.dataset.field("time") > 10_000
    assert kills.to_table(columns=["victim"], filter=late).equals(expected.filter(late).select(["victim"]))
    assert kills.head(5, columns=["victim"]).equals(expected.select(["victim"]).slice(0, 5))


def test_mistakes_are_known_before_anything_is_read(tmp_path: Path) -> None:
    for make in [fragreel.polars.scan, fragreel.arrow.dataset]:
        with pytest.raises(fragreel.MisuseError, match="kills"):
            make(SAMPLES, "kill")
        with pytest.raises(FileNotFoundError):
            make(tmp_path / "no.dm_68", "kills")
