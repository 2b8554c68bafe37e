"""Read, check, edit and analyze recordings of Quake, Quake II, Quake III and Half-Life.

>>> import fragreel
>>> demo = fragreel.Demo("samples/quake3/dm_bots.dm_71")
>>> demo.info["maps"]
['oa_minia']
>>> demo.kills.num_rows
11

Times go in as seconds or as ``"m:ss"`` and come out in milliseconds. Tables speak the Arrow PyCapsule interface, so Polars, DuckDB,
pyarrow and pandas take them as they are; none of these is needed to use the package.
"""

from ._native import (
    Batches,
    DamagedError,
    Demo,
    Edited,
    Error,
    FrameIterator,
    Frames,
    LimitError,
    MisuseError,
    Scan,
    Table,
    UnsupportedError,
    __version__,
    compile,
    is_recording_name,
    join,
    set_encoding,
)
from ._native import tables_declared as tables
from ._places import read, recordings
from ._questions import export, find, index, jumps, moments, runs, sql
from ._scan import scan

__all__ = [
    "Batches",
    "DamagedError",
    "Demo",
    "Edited",
    "Error",
    "FrameIterator",
    "Frames",
    "LimitError",
    "MisuseError",
    "Scan",
    "Table",
    "UnsupportedError",
    "__version__",
    "compile",
    "export",
    "find",
    "index",
    "is_recording_name",
    "join",
    "jumps",
    "moments",
    "read",
    "recordings",
    "runs",
    "scan",
    "set_encoding",
    "sql",
    "tables",
]
