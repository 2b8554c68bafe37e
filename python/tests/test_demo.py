"""Answers are those of the command."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path
from typing import Any

import fragreel
import pytest
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"


def without_path(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "path"}


def single(value: Any) -> Any:
    """The value with its numbers in single precision: Python has them exactly, JSON in as few digits as are needed."""
    if isinstance(value, float):
        return struct.unpack("f", struct.pack("f", value))[0]
    if isinstance(value, list):
        return [single(one) for one in value]
    if isinstance(value, dict):
        return {key: single(one) for key, one in value.items()}
    return value


def test_info_and_scores_are_the_commands(sample: Path, command: Any) -> None:
    demo = fragreel.Demo(sample)
    assert [demo.info] == [without_path(answer) for answer in command("info", "--json", sample)]
    # the command also says why there is no match
    answers = command("scores", "--json", sample)
    assert demo.scores == [without_path(answer) for answer in answers if "no_match" not in answer]
    assert [demo.no_match] == ([answer["reason"] for answer in answers if "no_match" in answer] or [None])
    assert demo.info is demo.info, "kept"


def test_no_match_has_a_reason() -> None:
    # one block of one byte: the server disconnects
    made = b"-1\n" + struct.pack("<i", 1) + bytes(12) + b"\x02"
    demo = fragreel.Demo(made, "made.dem")
    assert (demo.scores, demo.no_match) == ([], "the recording has no level")
    assert fragreel.Demo(DUEL).no_match is None


def test_verify_and_audit_are_the_commands(sample: Path, command: Any) -> None:
    demo = fragreel.Demo(sample)
    assert [demo.verify()] == [without_path(answer) for answer in command("verify", "--json", sample)]
    assert [demo.audit()] == [without_path(answer) for answer in command("audit", "--json", sample)]


def test_events_are_the_commands(sample: Path, command: Any) -> None:
    demo = fragreel.Demo(sample)
    shown = [without_path(event) for event in command("events", "--json", sample)]
    assert demo.events() == shown
    kills = demo.events(["kill"])
    assert [kill["kind"] for kill in kills] == ["kill"] * len(kills)


def test_frames_are_the_commands(sample: Path, command: Any) -> None:
    demo = fragreel.Demo(sample)
    shown = [without_path(frame) for frame in command("frames", "--json", "--hz", "2", sample)]
    frames = list(demo.frames(hz=2))
    assert len(frames) == len(shown)
    for frame, other in zip(frames, shown):
        assert frame["time"] == other["time"]
        assert single(frame["players"]) == single(other["players"])


def test_frames_of_one_player_and_of_entities() -> None:
    demo = fragreel.Demo(DUEL)
    name = demo.info["players"][0]["name"]["clean"]
    for frame in demo.frames(hz=1, fields=["origin"], players=[name], entities=["missile"], start="0:10", end=20):
        assert 10_000 <= frame["time"] <= 20_000
        assert {player["name"]["clean"] for player in frame["players"]} <= {name}
        assert all("health" not in player for player in frame["players"])
        assert {entity["kind"] for entity in frame["entities"]} <= {"missile"}


def test_a_loop_can_be_left_and_begun_again() -> None:
    frames = fragreel.Demo(DUEL).frames()
    first = next(iter(frames))
    for again in frames:
        assert again == first
        break


def test_bytes_and_paths_are_the_same(sample: Path) -> None:
    assert fragreel.Demo(sample.read_bytes(), name=sample.name).info == fragreel.Demo(str(sample)).info


def test_a_moment() -> None:
    demo = fragreel.Demo(DUEL)
    assert demo.at(20) == demo.at("0:20")
    assert demo.at(20)["sections"]


def test_the_text_form_comes_back(sample: Path) -> None:
    demo = fragreel.Demo(sample)
    assert fragreel.compile(demo.decompile()) == bytes(demo)


def test_mistakes_say_what_would_be_right() -> None:
    demo = fragreel.Demo(DUEL)
    for mistake, words in [
        (lambda: demo.events(["kil"]), "kill, chat"),
        (lambda: demo.table("kill"), "kills"),
        (lambda: demo.table("kills", ["killer"]), "attacker"),
        (lambda: demo.table("kills", where=["time"]), "COLUMN OPERATOR VALUE"),
        (lambda: demo.table("positions", hz=-1), "frames a second"),
        (lambda: demo.frames(fields=["place"]), "origin"),
        (lambda: demo.frames(entities=["rocket"]), "missile"),
        (lambda: demo.cut(0, 10, "wall"), "server"),
        (lambda: demo.cut("soon"), "not a time"),
        (lambda: demo.split("day"), "level"),
        (lambda: demo.cut(10_000, 10_001), "there are frames from"),
        (lambda: demo.rename({"nobody at all": "x"}), "nobody"),
    ]:
        with pytest.raises(fragreel.MisuseError, match=words):
            mistake()


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fragreel.UnsupportedError) as refused:
        fragreel.Demo(b"just some words, and not few of them at that")
    assert refused.value.fault == "unsupported"
    with pytest.raises(FileNotFoundError):
        fragreel.Demo(tmp_path / "nothing.dm_68")
    with pytest.raises(FileNotFoundError):
        fragreel.scan(tmp_path / "nothing-*.dm_68")
    with pytest.raises(TypeError):
        fragreel.Demo(7)  # type: ignore[arg-type]


def test_errors_travel_between_processes() -> None:
    with pytest.raises(fragreel.MisuseError) as caught:
        fragreel.Demo(DUEL).cut(10_000, 10_001)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is fragreel.MisuseError
    assert str(again) == str(caught.value)


def test_a_code_page_makes_names_readable() -> None:
    text = fragreel.Demo(DUEL).decompile()
    named = text.replace(b"Gargoyle", "\ue0cc\ue0e8\ue0f0".encode())
    recording = fragreel.compile(named)

    def names() -> list[str]:
        return [player["name"]["clean"] for player in fragreel.Demo(recording, name="x.dm_71").info["players"]]

    assert "Мир" not in names()
    fragreel.set_encoding("CP1251")
    try:
        assert "Мир" in names()
    finally:
        fragreel.set_encoding(None)
    with pytest.raises(fragreel.MisuseError, match="koi8-r"):
        fragreel.set_encoding("utf-16")
