"""Functions of the module answer as the command does, and the package has the command in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import fragreel
import pytest
from conftest import SAMPLES

QUAKE3 = SAMPLES / "quake3"


def test_the_package_has_the_command() -> None:
    asked = [sys.executable, "-c", "from fragreel.__main__ import main; main()", "--version"]
    done = subprocess.run(asked, capture_output=True, check=True, text=True, cwd=Path(fragreel.__file__).parents[1])
    assert done.stdout == f"fragreel {fragreel.__version__}\n"


def test_answers_are_those_of_the_command(command: Any) -> None:
    query = "SELECT attacker, count(*) AS kills FROM kills GROUP BY 1 ORDER BY 2 DESC, 1"
    assert fragreel.sql(query, QUAKE3) == command("sql", query, "--format", "json", QUAKE3) != []
    assert fragreel.moments(QUAKE3, best=5, kills=2) == command("highlights", "--json", "--best", "5", "--kills", "2", QUAKE3) != []
    assert fragreel.runs(SAMPLES) == command("runs", "--json", SAMPLES)
    kinds = ["bhop", "jump"]
    expected = command("jumps", "--json", "--kinds", ",".join(kinds), "--min-distance", "200", SAMPLES)
    assert fragreel.jumps(SAMPLES, kinds=kinds, min_distance=200) == expected != []


def test_a_catalogue(tmp_path: Path, command: Any) -> None:
    db = tmp_path / "demos.sqlite"
    first = fragreel.index([QUAKE3, SAMPLES / "goldsrc"], db)
    assert first["read"] == first["files"] > 5 and first["unchanged"] == 0
    again = fragreel.index([QUAKE3, SAMPLES / "goldsrc"], db)
    assert (again["read"], again["unchanged"]) == (0, first["files"])
    assert fragreel.find(db, player="gargoyle") == command("find", "--json", "--db", db, "--player", "gargoyle") != []
    assert fragreel.find(db, with_="gargoyle", against=["nobody"]) == []
    assert fragreel.sql("SELECT count(*) AS n FROM recordings", db=db) == [{"n": first["recordings"]}]


def test_an_export(tmp_path: Path) -> None:
    written = fragreel.export(QUAKE3, ["kills", "chat"], tmp_path / "out", format="csv", where="time >= 10000")
    scan = fragreel.scan(QUAKE3, "kills", where=["time >= 10000"])
    assert written["tables"]["kills"]["rows"] == len(scan.table()) > 0
    assert written["recordings"] == len(fragreel.recordings(QUAKE3))
    with pytest.raises(fragreel.MisuseError, match="already contains an export"):
        fragreel.export(QUAKE3, "kills", tmp_path / "out", format="csv")


def test_mistakes_and_failures_are_exceptions(tmp_path: Path) -> None:
    with pytest.raises(fragreel.MisuseError, match="no such table"):
        fragreel.sql("SELECT * FROM frags", QUAKE3)
    with pytest.raises(fragreel.MisuseError, match="unexpected argument"):
        fragreel.jumps(QUAKE3, wishes=3)
    with pytest.raises(FileNotFoundError) as missing:
        fragreel.runs(tmp_path / "no.dm_68")
    assert missing.value.filename == str(tmp_path / "no.dm_68")
    bad = tmp_path / "words.dm_68"
    bad.write_bytes(b"no recording at all, only words with a name")
    paths = [QUAKE3 / "dm_bots.dm_71", bad]
    query = "SELECT count(*) AS n FROM kills"
    with pytest.raises(fragreel.DamagedError):
        fragreel.sql(query, paths)
    assert fragreel.sql(query, paths, strict=False) == [{"n": 11}]
    # a column may be called like a failure's
    assert fragreel.sql("SELECT 1 AS path, 2 AS error, 3 AS kind", paths[:1]) == [{"path": 1, "error": 2, "kind": 3}]
