"""Tables without another library: indexed, iterated, and shown."""

from __future__ import annotations

import re

import fragreel
import pyarrow
import pytest
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"


def test_cells_are_those_of_arrow() -> None:
    demo = fragreel.Demo(DUEL)
    for name in fragreel.tables():
        table = demo.table(name, hz=1)
        expected = pyarrow.table(table)
        assert table.to_pylist() == list(table) == expected.to_pylist(), name
        for column in table.column_names:
            assert table[column] == expected[column].to_pylist(), (name, column)


def test_rows_and_columns_are_taken_by_number_and_name() -> None:
    kills = fragreel.Demo(DUEL).kills
    rows = kills.to_pylist()
    assert len(kills) == len(rows) == 11
    assert (kills[0], kills[10], kills[-1], kills[-11]) == (rows[0], rows[10], rows[10], rows[0])
    assert kills[2:5].to_pylist() == rows[2:5] and kills[-2:].to_pylist() == rows[-2:] and len(kills[5:2]) == 0
    some = kills[["victim", "time"]]
    assert some.column_names == ["victim", "time"] and some[3] == {"victim": rows[3]["victim"], "time": rows[3]["time"]}
    for key, error in [(11, IndexError), (-12, IndexError), ("killer", KeyError), (["killer"], KeyError), (1.5, TypeError), (slice(0, 9, 2), ValueError)]:
        with pytest.raises(error):
            kills[key]


def test_a_table_of_many_batches_is_one() -> None:
    table = fragreel.scan(SAMPLES / "quake3", "kills", ["time", "victim"]).table()
    rows = table.to_pylist()
    assert len(rows) == len(table) > 40
    assert [table[at] for at in range(len(table))] == rows
    assert table[10:30].to_pylist() == rows[10:30]


def test_a_table_shows_itself() -> None:
    kills = fragreel.Demo(DUEL).table("kills", ["time", "attacker", "victim", "means"])
    text = repr(kills)
    assert text.startswith("Table(11 rows, 4 columns, 1 more rows)\n") and len(text.splitlines()) == 12
    assert text.splitlines()[1].split() == ["time", "attacker", "victim", "means"]
    assert text.splitlines()[2].split() == ["3650", "Gargoyle", "Kyonshi", "MOD_ROCKET"]
    assert all(len(line) <= 120 for line in repr(fragreel.Demo(DUEL).kills).splitlines())
    html = kills._repr_html_()
    assert html.count("<tr>") == 11 and "<small>ms</small>" in html and "11 rows" in html
    assert set(re.findall(r"<(\w+)", html)) == {"table", "thead", "tbody", "tr", "th", "td", "br", "small"}


def test_names_from_recordings_are_no_markup() -> None:
    text = fragreel.Demo(DUEL).decompile().replace(b"Gargoyle", b"<b>&</b>")
    demo = fragreel.Demo(fragreel.compile(text), name="x.dm_71")
    html = demo.table("kills", ["attacker"])._repr_html_()
    assert "&lt;b&gt;&amp;&lt;/b&gt;" in html and "<b>" not in html
