"""Takes uploads of demos by POST, and answers with what `fragreel info --json` says of each. docs/service.md explains it.

    python3 service.py --command fragreel --port 8000
    python3 service.py --keep uploads/ --site https://demos.example.org/    # and keeps them for `fragreel site uploads/ --watch`
    curl --data-binary @final.dm_68 'http://127.0.0.1:8000/?name=final.dm_68'
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

MOST = 200_000_000
SECONDS = 10
CHUNK = 1 << 20
OPTIONS = ["--timeout", str(SECONDS), "--max-size", str(MOST), "--max-memory", str(2 * MOST), "--jobs", "1"]


def extension(name: str) -> str:
    """The extension of an uploaded name if it is harmless, else `.dem`. It helps the command to find the format."""
    found = re.search(r"(\.[a-z0-9_]{1,8}(\.gz)?)$", name.lower())
    return found.group(1) if found else ".dem"


def ask(command: str, upload: Path) -> tuple[int, object]:
    """The status and the answer for a file."""
    try:
        # the command ends itself; this is for one that does not
        ran = subprocess.run([command, "info", "--json", "--hash", *OPTIONS, str(upload)], capture_output=True, timeout=2 * SECONDS)
    except subprocess.TimeoutExpired:
        return 503, {"error": "the time was up", "kind": "timeout"}
    if ran.returncode == 124:
        return 503, {"error": "the time was up", "kind": "timeout"}
    if ran.returncode not in (0, 1, 2):
        return 500, {"error": f"exit code {ran.returncode}", "kind": "fault"}
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    for line in lines:
        # where we keep uploads is nobody's business
        line.pop("path", None)
        if "error" in line:
            line["error"] = line["error"].replace(str(upload), "the upload")
    if any(line.get("kind") == "fault" for line in lines):
        return 500, lines
    return (422 if ran.returncode == 2 else 200), lines


class Uploads(BaseHTTPRequestHandler):
    program = "fragreel"
    # where recordings are kept, and the address of the site that shows them
    kept: Path | None = None
    site = "/"
    # a client that sends nothing for so long is left
    timeout = 30
    at_once = threading.Semaphore(os.cpu_count() or 1)

    def do_POST(self) -> None:
        stated = self.headers.get("content-length") or ""
        if not stated.isdecimal():
            self.answer(411, {"error": "the length is not stated", "kind": "misuse"})
            return
        length = int(stated)
        if length > MOST:
            self.answer(413, {"error": f"more than {MOST} bytes", "kind": "limit"})
            return
        name = parse_qs(urlsplit(self.path).query).get("name", [""])[0]
        # beside the archive, so that a complete file can be moved into it
        beside = self.kept.parent if self.kept else None
        with tempfile.TemporaryDirectory(prefix=".upload-", dir=beside) as folder:
            upload = Path(folder) / f"upload{extension(name)}"
            if not self.keep(upload, length):
                self.close_connection = True
                return
            with self.at_once:
                status, what = ask(self.program, upload)
            if status == 200 and self.kept:
                status, what = self.publish(upload, what, self.kept)
        self.answer(status, what)

    def publish(self, upload: Path, lines: object, kept: Path) -> tuple[int, object]:
        """Moves a recording into the archive under the name of its content, which is also its address on the site."""
        if not isinstance(lines, list) or len(lines) != 1:
            return 422, {"error": "not one recording", "kind": "misuse"}
        sha256 = lines[0]["sha256"]
        answer = {"address": f"{self.site}m/{sha256[:16]}/", "sha256": sha256}
        folder = kept / sha256[:2]
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.glob(f"{sha256}.*")):
            return 409, {**answer, "error": "it is here already", "kind": "exists"}
        upload.rename(folder / f"{sha256}{''.join(upload.suffixes)}")
        return 201, answer

    def keep(self, upload: Path, length: int) -> bool:
        """Writes what comes into the file, and says whether all of it came."""
        with upload.open("wb") as file:
            while length:
                chunk = self.rfile.read(min(length, CHUNK))
                if not chunk:
                    return False
                file.write(chunk)
                length -= len(chunk)
        return True

    def answer(self, status: int, what: object) -> None:
        body = json.dumps(what).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Names of uploads are in no log."""


def server(command: str, port: int, kept: Path | None = None, site: str = "/") -> ThreadingHTTPServer:
    """A server on this machine; port 0 takes a free one."""
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
    handler = type("Handler", (Uploads,), {"program": command, "kept": kept, "site": site})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--command", default="fragreel")
    options.add_argument("--port", type=int, default=8000)
    options.add_argument("--keep", type=Path, metavar="FOLDER", help="keep recordings here, by their content")
    options.add_argument("--site", default="/", metavar="URL", help="the address of the site that shows them")
    chosen = options.parse_args()
    server(chosen.command, chosen.port, chosen.keep, chosen.site.rstrip("/") + "/").serve_forever()
