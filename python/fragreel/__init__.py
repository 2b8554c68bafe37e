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
    compile,
    is_recording_name,
    join,
    set_encoding,
)
from ._native import tables_declared as tables
from ._scan import find, read, scan

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
    "compile",
    "find",
    "is_recording_name",
    "join",
    "read",
    "scan",
    "set_encoding",
    "tables",
]
