"""The blocks of docs/python.md run, in order."""

from __future__ import annotations

import os
import re
from pathlib import Path

import matplotlib
import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "python.md").read_text()
    # Set to docs/pictures/python to draw the pictures of the document again.
    pictures = Path(os.environ.get("FRAGREEL_PICTURES", tmp_path))
    names = {"folder": tmp_path, "pictures": pictures}
    blocks = BLOCK.findall(text)
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    drawn = {path.name for path in pictures.glob("*.png")}
    assert drawn == set(re.findall(r"\(pictures/python/(.*?)\)", text)) and len(drawn) == 5
    assert (tmp_path / "clip.dm_71").stat().st_size > 1000
