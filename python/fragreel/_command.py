"""The command's questions as functions: the same names, options and answers, since the command itself answers, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._native import Error, failure
from ._places import Path

# A process of its own, which finds this package whatever is in the current folder.
_PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from fragreel.__main__ import main; main()"
_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def many(paths: Path | Iterable[Path]) -> list[str]:
    """Paths as words of the command."""
    return [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(path) for path in paths]


def _words(options: Mapping[str, Any]) -> Iterator[str]:
    """Keywords as options of the command: ``min_distance=240`` is ``--min-distance=240``; what is ``None`` or ``False`` is left out."""
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
        elif isinstance(value, (str, os.PathLike)) or not isinstance(value, Iterable):
            yield f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}"
        else:
            yield from (f"{option}={one}" for one in value)


def ask(command: str, words: Iterable[str], options: Mapping[str, Any], strict: bool) -> list[dict[str, Any]]:
    """Asks the command, and gives its answers as dictionaries."""
    line = [sys.executable, "-I", "-c", _PROGRAM, _FOLDER, command, *_words(options), "--", *words]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    # with `output`, failures are on standard error
    answers = [json.loads(line) for line in [*done.stdout.splitlines(), *done.stderr.splitlines()] if line.startswith(b"{")]
    # 0: all is well; 1: a recording is damaged; 2: no answer, or none about some file, which has a line in its place
    failed = [answer for answer in answers if done.returncode == 2 and {"path", "error", "kind"} <= answer.keys()]
    found = [answer for answer in answers if answer not in failed]
    about_all = [answer for answer in failed if answer["path"] is None]
    if about_all or (failed and strict):
        first = (about_all or failed)[0]
        raise failure(first["kind"], first["error"], first["path"])
    if done.returncode not in (0, 1) and not failed:
        raise Error(done.stderr.decode(errors="replace").strip() or f"fragreel ended with code {done.returncode}")
    return found
