"""The example of docs/service.md, with hostile uploads."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import importlib.util
import json
import random
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import fragreel
import pytest
from conftest import BINARY, ROOT, sample_paths

COUNT = 200


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("service", ROOT / "python/examples/service.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = example().server(str(BINARY), 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def post(address: str, name: str, data: bytes) -> tuple[int, Any]:
    request = urllib.request.Request(f"{address}?name={name}", data=data, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as answer:
        return answer.code, json.loads(answer.read())


def hostile(chance: random.Random, data: bytes) -> bytes:
    """One of the ways in which a file goes wrong, or is made to."""
    at = chance.randrange(len(data))
    match chance.randrange(6):
        case 0:
            return data[:at]
        case 1:
            flipped = bytearray(data)
            for _ in range(chance.randrange(1, 100)):
                flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
            return bytes(flipped)
        case 2:
            return data[:at] + data[chance.randrange(len(data)) :]
        case 3:
            return data[:at] + chance.randbytes(chance.randrange(1, 2000)) + data[at:]
        case 4:
            return gzip.compress(data, 1)[: chance.randrange(1, len(data))]
        case _:
            return chance.randbytes(chance.randrange(1, 5000))


def opens(data: bytes, name: str) -> bool:
    """Whether the package opens it. What it says then does not matter here, only that it ends."""
    try:
        demo = fragreel.Demo(data, name)
        len(demo.info), len(demo.scores), len(demo.events())
        return True
    except fragreel.Error:
        return False


def test_what_is_no_upload_is_refused(address: str) -> None:
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    for length, status in [("-1", 411), ("many", 411), ("999999999999", 413)]:
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.putrequest("POST", "/?name=x.dem")
        connection.putheader("content-length", length)
        connection.endheaders()
        assert connection.getresponse().status == status, length
        connection.close()


def test_whole_recordings_are_named_by_their_content(address: str) -> None:
    path = ROOT / "samples/quake3/dm_bots.dm_71"
    status, (bare,) = post(address, path.name, path.read_bytes())
    assert (status, bare["maps"], bare["damage"]) == (200, ["oa_minia"], [])
    status, (packed,) = post(address, f"{path.name}.gz", gzip.compress(path.read_bytes()))
    assert (status, packed["sha256"]) == (200, bare["sha256"])


def test_hostile_uploads_get_an_answer(address: str) -> None:
    chance = random.Random(37)
    paths = sample_paths()
    seen: Counter[int] = Counter()
    for number in range(COUNT):
        path: Path = chance.choice(paths)
        data = hostile(chance, path.read_bytes())
        status, answer = post(address, path.name, data)
        assert status in (200, 422), f"{number}, of {path.name}: {status} {answer}"
        assert all("kind" in line for line in answer if "error" in line), answer
        assert str(path.parent) not in json.dumps(answer) and "upload.d" not in json.dumps(answer)
        assert opens(data, path.name) == (status == 200), f"{number}, of {path.name}: {status} {answer}"
        seen[status] += 1
    print(seen)
    assert min(seen[200], seen[422]) > COUNT // 10, seen
    assert post(address, "x.dem", b"")[0] == 422


def test_an_upload_is_kept_under_its_address(tmp_path: Path) -> None:
    kept = tmp_path / "uploads"
    server = example().server(str(BINARY), 0, kept, "https://demos.example.org/")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    data = (ROOT / "samples/quake3/dm_bots.dm_71").read_bytes()
    status, answer = post(address, "../../evil.dm_71", data)
    name = hashlib.sha256(data).hexdigest()
    assert (status, answer["address"]) == (201, f"https://demos.example.org/m/{name[:16]}/")
    assert [path.relative_to(kept).as_posix() for path in kept.rglob("*.*")] == [f"{name[:2]}/{name}.dm_71"]
    # the same content in another wrapping has the same address
    status, answer = post(address, "again.dm_71.gz", gzip.compress(data))
    assert (status, answer["sha256"]) == (409, name)
    assert post(address, "x.dm_71", b"no recording")[0] == 422
    assert sorted(path.name for path in tmp_path.iterdir()) == ["uploads"]
    server.shutdown()
    server.server_close()
