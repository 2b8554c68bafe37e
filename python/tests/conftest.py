"""Where the samples and the corpus are, and the command to compare with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
CORPUS = Path(os.environ.get("FRAGREEL_CORPUS", ROOT.parent / "shared" / "corpus"))
BINARY = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug/fragreel"


def sample_paths() -> list[Path]:
    """All samples, in a fixed order."""
    import fragreel

    return [Path(path) for path in fragreel.recordings(SAMPLES)]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "sample" in metafunc.fixturenames:
        paths = sample_paths()
        metafunc.parametrize("sample", paths, ids=[path.name for path in paths])


@pytest.fixture(scope="session")
def command() -> Any:
    """Runs the `fragreel` command and returns the objects that it prints."""
    assert BINARY.is_file(), f"{BINARY} is missing; `cargo build` makes it"

    def run(*arguments: str | Path) -> list[dict[str, Any]]:
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
