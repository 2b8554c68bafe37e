"""Pictures of a recording with matplotlib: the plan of the map, and on it positions, heat, paths, kills, and jumps.

>>> import fragreel, fragreel.plot
>>> demo = fragreel.Demo("samples/quake3/dm_bots.dm_71")
>>> fragreel.plot.heat(demo)
<Axes: title={'center': 'oa_minia'}>

Each function draws on ``ax``, or on new axes that have the plan, and returns the axes, so that pictures can be laid over each other:
``fragreel.plot.kills(demo, ax=fragreel.plot.heat(demo))``. Units are those of the game, and north is up.

A recording of several levels needs ``level``, the number of one from 0; by default it is the level with the most positions. ``pip install
'fragreel[plots]'`` installs matplotlib.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import matplotlib.pyplot
import numpy

from ._native import Demo, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Time = Union[float, str]

# The side of a square of the plan and of heat, in units: a player's hull is 32 wide.
CELL = 64
# Between two positions of a player further apart than this, in units, a path has a gap: the player was teleported, or out of sight.
STEP = 256


def plan(demo: Demo, *, ax: Axes | None = None, level: int | None = None) -> Axes:
    """The plan of the map, drawn from all places where players were: the higher, the lighter."""
    places = _places(demo, level, None, None, None, 20)
    ax = _new_axes() if ax is None else ax
    if places.names:
        edges = places.squares(CELL)
        count, _, _ = numpy.histogram2d(places.x, places.y, bins=edges)
        total, _, _ = numpy.histogram2d(places.x, places.y, bins=edges, weights=places.z)
        height = numpy.divide(total, count, out=numpy.full(count.shape, numpy.nan), where=count > 0)
        # pale enough for what is drawn on it, and no square looks like the paper
        low, high = numpy.nanmin(height) - 200, numpy.nanmax(height) + 200
        ax.pcolormesh(edges[0], edges[1], height.T, cmap="Greys_r", vmin=low, vmax=high, alpha=0.5, linewidth=0, zorder=0)
    ax.set_title(_map_of(demo, level))
    ax.set_aspect("equal")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    return ax


def positions(
    demo: Demo,
    *,
    players: Sequence[str] | None = None,
    start: _Time | None = None,
    end: _Time | None = None,
    hz: float = 10,
    level: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Places of players as points, a color for each player."""
    ax = plan(demo, level=level) if ax is None else ax
    for name, x, y in _places(demo, level, players, start, end, hz).by_player():
        ax.scatter(x, y, s=2, label=_label(name))
    return _with_legend(ax)


def heat(
    demo: Demo,
    *,
    players: Sequence[str] | None = None,
    start: _Time | None = None,
    end: _Time | None = None,
    hz: float = 10,
    cell: float = CELL,
    level: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """How long players were where: seconds in each square of ``cell`` units."""
    ax = plan(demo, level=level) if ax is None else ax
    places = _places(demo, level, players, start, end, hz)
    if places.names:
        edges = places.squares(cell)
        count, _, _ = numpy.histogram2d(places.x, places.y, bins=edges)
        seconds = numpy.where(count > 0, count * places.interval(), numpy.nan)
        drawn = ax.pcolormesh(edges[0], edges[1], seconds.T, cmap="YlOrRd", vmax=numpy.nanquantile(seconds, 0.99), zorder=1)
        ax.figure.colorbar(drawn, ax=ax, label="seconds", shrink=0.7)
    return ax


def paths(
    demo: Demo,
    *,
    players: Sequence[str] | None = None,
    start: _Time | None = None,
    end: _Time | None = None,
    hz: float = 20,
    level: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Ways of players as lines, a color for each player. A teleport, a respawn, and time out of sight are gaps."""
    ax = plan(demo, level=level) if ax is None else ax
    for name, x, y in _places(demo, level, players, start, end, hz).by_player():
        gaps = numpy.flatnonzero(numpy.hypot(numpy.diff(x), numpy.diff(y)) > STEP) + 1
        ax.plot(numpy.insert(x, gaps, numpy.nan), numpy.insert(y, gaps, numpy.nan), linewidth=0.8, label=_label(name))
    return _with_legend(ax)


def kills(
    demo: Demo,
    *,
    players: Sequence[str] | None = None,
    start: _Time | None = None,
    end: _Time | None = None,
    level: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Kills as lines from the attacker's place to the victim's, which has a cross, a color for each attacker.

    Only kills with a known place are drawn. ``players`` are the attackers.
    """
    ax = plan(demo, level=level) if ax is None else ax
    where = ["victim_x is not null"]
    columns = ["level", "attacker", "attacker_x", "attacker_y", "victim_x", "victim_y"]
    rows = _of_level(demo, demo.table("kills", columns, where=where, start=start, end=end), level)
    by_attacker: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        if players is None or row["attacker"] in players:
            by_attacker.setdefault(row["attacker"], []).append(row)
    for name, made in by_attacker.items():
        drawn = ax.scatter([row["victim_x"] for row in made], [row["victim_y"] for row in made], s=24, marker="x", label=_label(name), zorder=3)
        for row in made:
            if row["attacker_x"] is not None:
                ends = [row["attacker_x"], row["victim_x"]], [row["attacker_y"], row["victim_y"]]
                ax.plot(*ends, linewidth=0.8, color=drawn.get_facecolor()[0], zorder=2)
    return _with_legend(ax)


def jumps(
    demo: Demo,
    *,
    players: Sequence[str] | None = None,
    start: _Time | None = None,
    end: _Time | None = None,
    min_distance: float = 0,
    level: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Jumps as arrows from take-off to landing, colored by the highest speed in the air; falls are left out."""
    ax = plan(demo, level=level) if ax is None else ax
    where = ["jumped = true", f"distance >= {float(min_distance)!r}"]
    columns = ["level", "name", "x", "y", "to_x", "to_y", "speed_max"]
    rows = _of_level(demo, demo.table("jumps", columns, where=where, start=start, end=end), level)
    rows = [row for row in rows if players is None or row["name"] in players]
    if rows:
        x, y, to_x, to_y, speed = (numpy.array([row[name] for row in rows]) for name in columns[2:])
        drawn = ax.quiver(x, y, to_x - x, to_y - y, speed, angles="xy", scale_units="xy", scale=1, width=0.003, cmap="viridis", zorder=2)
        ax.figure.colorbar(drawn, ax=ax, label="units per second", shrink=0.7)
    return ax


def _new_axes() -> Axes:
    _, ax = matplotlib.pyplot.subplots(figsize=(7, 7), layout="constrained")
    return ax


def _level(demo: Demo, level: int | None) -> int | None:
    """The level to draw: the one that was asked for, or the one with the most positions."""
    if level is not None:
        return level
    found = Counter(demo.table("positions", ["level"], where=["x is not null"], hz=1)["level"])
    return found.most_common(1)[0][0] if found else None


def _of_level(demo: Demo, rows: Table, level: int | None) -> list[dict[str, Any]]:
    level = _level(demo, level)
    return [row for row in rows if row["level"] == level]


def _places(demo: Demo, level: int | None, players: Sequence[str] | None, start: _Time | None, end: _Time | None, hz: float) -> _Places:
    """Places of those who play, on one level."""
    columns = ["level", "time", "name", "spectator", "x", "y", "z"]
    table = demo.table("positions", columns, where=["x is not null"], hz=hz, start=start, end=end)
    level = _level(demo, level)
    rows = zip(*(table[name] for name in columns))
    chosen = [row for row in rows if row[0] == level and not row[3] and (players is None or row[2] in players)]
    _, time, names, _, x, y, z = zip(*chosen) if chosen else [()] * len(columns)
    return _Places(numpy.array(time, dtype=float), list(names), *(numpy.array(side, dtype=float) for side in (x, y, z)))


class _Places(NamedTuple):
    """Places of players, in the order of time."""

    time: Any
    names: list[str | None]
    x: Any
    y: Any
    z: Any

    def squares(self, cell: float) -> list[Any]:
        """The bounds of squares that hold all places."""
        return [numpy.arange(numpy.floor(side.min() / cell), numpy.floor(side.max() / cell) + 2) * cell for side in (self.x, self.y)]

    def by_player(self) -> Iterator[tuple[str | None, Any, Any]]:
        """The places of each player."""
        names = numpy.array([name or "" for name in self.names])
        for name in dict.fromkeys(self.names):
            own = names == (name or "")
            yield name, self.x[own], self.y[own]

    def interval(self) -> float:
        """Seconds from one frame to the next."""
        steps = numpy.diff(numpy.unique(self.time))
        return float(numpy.median(steps)) / 1000 if len(steps) else 0.0


def _label(name: str | None) -> str:
    """A name as matplotlib shows it: an underscore at the start would hide it from the legend, and dollars would be formulas."""
    shown = (name or "?").replace("$", r"\$")
    return f"\u200b{shown}" if shown.startswith("_") else shown


def _with_legend(ax: Axes) -> Axes:
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize=7, markerscale=2, loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def _map_of(demo: Demo, level: int | None) -> str:
    maps = demo.table("levels", ["level", "map"])
    level = _level(demo, level)
    return next((row["map"] for row in maps if row["level"] == level), "")
