"""Edits give recordings that verify whole, and files that are complete or not there."""

from __future__ import annotations

import gzip
from pathlib import Path

import fragreel
import pytest
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"
QUAKE2 = SAMPLES / "quake2" / "yq2dm_Alice.dm2"


@pytest.mark.parametrize("path", [DUEL, QUAKE2, SAMPLES / "quake1" / "match_e1m1.mvd"], ids=lambda path: path.name)
def test_a_cut_is_sound_and_as_long_as_asked(path: Path) -> None:
    cut = fragreel.Demo(path).cut(5, "0:09")
    assert cut.is_sound and cut.actions
    assert abs(cut.demo().info["duration"] - 4000) <= 200
    assert fragreel.Demo(path).compare(cut.demo())["differing"] == 0


def test_parts_joined_are_as_long_as_the_whole() -> None:
    demo = fragreel.Demo(DUEL)
    parts = demo.split(len(bytes(demo)) // 3)
    assert len(parts) >= 3 and all(part.is_sound for part in parts)
    joined = fragreel.join([part.demo() for part in parts])
    assert joined.is_sound and joined.demo().info["duration"] == demo.info["duration"]


def test_names_and_chat_go() -> None:
    demo = fragreel.Demo(DUEL)
    names = [player["name"]["clean"] for player in demo.info["players"]]
    scrubbed = demo.scrub()
    assert scrubbed.is_sound
    assert not any(name.encode() in bytes(scrubbed.demo().decompile()) for name in names)
    assert scrubbed.demo().chat.num_rows == 0 < demo.chat.num_rows
    kept = demo.scrub(chat=False).demo()
    assert kept.chat.num_rows == demo.chat.num_rows
    renamed = demo.rename({names[0]: "Somebody"}).demo()
    assert "Somebody" in [player["name"]["clean"] for player in renamed.info["players"]]


def test_formats_and_repairs() -> None:
    converted = fragreel.Demo(SAMPLES / "quake3" / "warmup_restart.dm_68").convert("dm_71")
    assert converted.extension == "dm_71" and converted.demo().verify()["damage"] == []
    damaged = bytes(fragreel.Demo(DUEL))[:-700]
    assert fragreel.Demo(damaged, "x.dm_71").verify()["damage"]
    assert fragreel.Demo(damaged, "x.dm_71").repair().is_sound
    assert fragreel.Demo(QUAKE2).strip(["svc_sound"]).is_sound


def test_files_are_complete_or_not_there(tmp_path: Path) -> None:
    cut = fragreel.Demo(DUEL).cut(5, 9)
    target = tmp_path / "clip.dm_71"
    cut.save(target)
    assert target.read_bytes() == cut.data and [path.name for path in tmp_path.iterdir()] == ["clip.dm_71"]
    with pytest.raises(FileExistsError, match="overwrite=True"):
        cut.save(target)
    target.write_bytes(b"old")
    cut.save(target, overwrite=True)
    assert target.read_bytes() == bytes(cut)
    with pytest.raises(FileNotFoundError):
        cut.save(tmp_path / "no such folder" / "clip.dm_71")
    assert fragreel.Demo(gzip.compress(cut.data), "clip.dm_71.gz").info == cut.demo().info
