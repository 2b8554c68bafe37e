"""A recording is the same wherever it comes from, and what cannot be read says so."""

from __future__ import annotations

import http.server
import io
import mmap
import pickle
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fragreel
import fragreel._places
import pytest
from conftest import SAMPLES

DUEL = SAMPLES / "quake3" / "dm_bots.dm_71"
SHORT = SAMPLES / "goldsrc" / "net-48.dem"


@pytest.fixture()
def archive(tmp_path: Path) -> Path:
    """Two recordings in a zip file."""
    path = tmp_path / "demos.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(DUEL, "2004/duel.dm_71")
        packed.write(SHORT, "net-48.dem")
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of the samples on this machine."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(SAMPLES))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


def test_bytes_files_and_buffers_are_the_same() -> None:
    data = DUEL.read_bytes()
    expected = fragreel.Demo(DUEL).info
    with DUEL.open("rb") as file, DUEL.open("rb") as other:
        mapped = mmap.mmap(other.fileno(), 0, access=mmap.ACCESS_READ)
        sources = [data, bytearray(data), memoryview(data), io.BytesIO(data), mapped]
        assert [fragreel.Demo(source, name="duel.dm_71").info for source in sources] == [expected] * len(sources)
        demo = fragreel.Demo(file)
    assert (demo.info, demo.path) == (expected, str(DUEL)), "a file has its name"


def test_a_member_of_an_archive(archive: Path) -> None:
    place = f"{archive}!2004/duel.dm_71"
    assert fragreel.Demo(place).info == fragreel.Demo(DUEL).info
    assert fragreel.Demo(place).path == place
    assert fragreel.recordings(archive) == [place, f"{archive}!net-48.dem"]
    assert fragreel.scan(archive, "recordings", ["path"]).table()["path"] == fragreel.recordings(archive)
    with pytest.raises(fragreel.MisuseError, match="2 recordings"):
        fragreel.Demo(archive)
    with pytest.raises(FileNotFoundError) as missing:
        fragreel.Demo(f"{archive}!nothing.dm_71")
    assert missing.value.filename == f"{archive}!nothing.dm_71"


def test_an_address(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{server}/quake3/dm_bots.dm_71"
    demo = fragreel.Demo(address)
    assert (demo.info, demo.path) == (fragreel.Demo(DUEL).info, address)
    assert fragreel.scan(address).table().to_pylist() == fragreel.scan(DUEL).table().to_pylist()
    with pytest.raises(fragreel.LimitError, match="more than 1000 bytes") as large:
        fragreel._places.fetch(address, most=1000)
    assert large.value.file == address
    with pytest.raises(OSError, match="404"):
        fragreel.Demo(f"{server}/nothing.dm_71")
    # an error of a thread of a scan is the same
    with pytest.raises(OSError, match="404"):
        fragreel.scan(f"{server}/nothing.dm_71").table()


def test_what_gives_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError, match="rb"):
        fragreel.Demo(io.StringIO("words"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give a path"):
        fragreel.Demo([1, 2, 3])  # type: ignore[arg-type]


def test_recordings_and_tables_travel_between_processes() -> None:
    demo = fragreel.Demo(DUEL)
    again = pickle.loads(pickle.dumps(demo))
    assert (again.info, again.path) == (demo.info, demo.path)
    table = pickle.loads(pickle.dumps(demo.kills))
    assert table.to_pylist() == demo.kills.to_pylist() and table.column_names == demo.kills.column_names
    nothing = demo.table("kills", where=["time > 99999999"])
    assert pickle.loads(pickle.dumps(nothing)).column_names == nothing.column_names


def test_errors_have_a_class_and_fields(tmp_path: Path) -> None:
    bad = tmp_path / "words.dm_68"
    bad.write_bytes(b"just some words, and not few of them at that")
    for ask in [lambda: fragreel.scan(bad).table(), lambda: next(iter(fragreel.scan(bad))), lambda: fragreel.sql("SELECT * FROM kills", bad)]:
        with pytest.raises(fragreel.DamagedError) as refused:
            ask()
        assert (refused.value.fault, refused.value.file) == ("malformed", str(bad))
    with pytest.raises(fragreel.MisuseError) as misused:
        fragreel.Demo(DUEL).table("kill")
    assert (misused.value.fault, misused.value.file, misused.value.offset, misused.value.path) == ("misuse", None, None, None)
    for ask in [lambda: fragreel.Demo(tmp_path / "no.dm_68"), lambda: fragreel.scan(tmp_path / "no.dm_68")]:
        with pytest.raises(FileNotFoundError) as missing:
            ask()
        assert missing.value.filename == str(tmp_path / "no.dm_68") and missing.value.errno == 2
