"""The blocks of docs/python.md run, in order."""

from __future__ import annotations

import os
import re
from pathlib import Path

import fragreel
import matplotlib
import matplotlib.pyplot
import nbclient
import nbformat
import pytest
from conftest import ROOT

SCALE = (ROOT / "docs" / "scale.md").read_text()
TEXT = (ROOT / "docs" / "python.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
ANALYSES = re.findall(r"^### .*?^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(ROOT)
    # Set to docs/pictures/python to draw the pictures of the document again.
    pictures = Path(os.environ.get("FRAGREEL_PICTURES", tmp_path))
    names = {"folder": tmp_path, "pictures": pictures}
    for block in BLOCKS:
        exec(compile(block, "docs/python.md", "exec"), names)
    matplotlib.pyplot.close("all")
    drawn = {path.name for path in pictures.glob("*.png")}
    assert drawn == set(re.findall(r"\(pictures/python/(.*?)\)", TEXT)) and len(drawn) == len(ANALYSES) == 10
    assert (tmp_path / "clip.dm_71").stat().st_size > 1000


def test_iceberg_has_the_rows_of_an_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"^```python\n(.*?)^```$", SCALE, re.DOTALL | re.MULTILINE)
    exec(compile(block, "docs/scale.md", "exec"), {"folder": tmp_path, "fragreel": fragreel})
    expected = fragreel.scan("samples/quake3", "kills", where=["weapon = railgun"]).table()
    assert capsys.readouterr().out == f"{len(expected)}\n" and len(expected) > 0


def test_analyses_are_short() -> None:
    assert max(len(block.splitlines()) for block in ANALYSES) <= 6


def test_the_guide_runs_as_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = f"import sys, pathlib; sys.path.insert(0, {str(ROOT / 'python')!r}); folder = pictures = pathlib.Path({str(tmp_path)!r})"
    cells = [given, "%matplotlib inline", *BLOCKS, "demo.kills"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    shown = notebook.cells[-1].outputs[0]["data"]
    assert "Gargoyle" in shown["text/html"] and "Table(11 rows" in shown["text/plain"]
    pictures = [output for cell in notebook.cells for output in cell.outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 10
