"""Pictures show the places of the tables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fragreel
import matplotlib
import pytest
from conftest import SAMPLES

matplotlib.use("Agg")

import fragreel.plot
import matplotlib.pyplot

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"
NAMES = ["plan", "positions", "heat", "paths", "kills", "jumps"]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "quake1/match_e1m1.mvd", "goldsrc/net-48.dem"])
def test_every_picture_of_every_family(path: str, name: str, tmp_path: Path) -> None:
    ax = getattr(fragreel.plot, name)(fragreel.Demo(SAMPLES / path))
    # set to a folder to look at the pictures
    file = Path(os.environ.get("FRAGREEL_PLOTS", tmp_path)) / f"{Path(path).stem}-{name}.png"
    ax.figure.savefig(file, dpi=60)
    assert ax.get_title() and file.stat().st_size > 2000


def test_places_are_those_of_the_table() -> None:
    demo = fragreel.Demo(DUEL)
    ax = fragreel.plot.positions(demo, players=["Gargoyle"], start=10, end=20)
    rows = demo.table("positions", ["x", "y"], where=["name = Gargoyle", "x is not null"], hz=10, start=10, end=20)
    drawn: Any = ax.collections[-1].get_offsets()
    assert [tuple(place) for place in drawn] == [(row["x"], row["y"]) for row in rows] and len(rows) > 10
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Gargoyle"]


def test_seconds_of_heat_are_those_of_the_players() -> None:
    demo = fragreel.Demo(DUEL)
    mesh = fragreel.plot.heat(demo, players=["Gargoyle"]).collections[-1]
    seen = demo.table("positions", ["time"], where=["name = Gargoyle", "x is not null"], hz=10)
    assert float(mesh.get_array().sum()) == pytest.approx(len(seen) / 10, rel=0.05)


def test_kills_have_a_cross_each() -> None:
    demo = fragreel.Demo(DUEL)
    ax = fragreel.plot.kills(demo)
    known = demo.table("kills", ["time"], where=["victim_x is not null"])
    crosses = sum(len(drawn.get_offsets()) for drawn in ax.collections if hasattr(drawn, "get_paths") and drawn.get_label() and not drawn.get_label().startswith("_"))
    assert crosses == len(known) > 5


def test_a_recording_without_positions_is_an_empty_picture() -> None:
    demo = fragreel.Demo(DUEL)
    ax = fragreel.plot.paths(demo, players=["nobody"])
    assert not ax.lines and ax.get_title() == "oa_minia"
