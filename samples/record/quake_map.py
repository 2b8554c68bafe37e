#!/usr/bin/env python3
"""Writes a map of our own for Quake: a corridor with spawn points on its axis. quake_map.py FILE.bsp"""
import struct, sys
X, Y, Z = 200, 48, 128

def planes(lo, hi):
    """Six planes of a box, as (axis, distance, whether the outside is in front)."""
    return [(axis, hi[axis], True) for axis in range(3)] + [(axis, lo[axis], False) for axis in range(3)]

def hull(grow_lo, grow_hi):
    lo = [-X - grow_lo[0], -Y - grow_lo[1], 0 - grow_lo[2]]
    hi = [X - grow_hi[0], Y - grow_hi[1], Z - grow_hi[2]]
    return planes(lo, hi)

hulls = [hull((0, 0, 0), (0, 0, 0)), hull((-16, -16, -24), (16, 16, 32)), hull((-32, -32, -24), (32, 32, 64))]
plane_lump, nodes, clip = b'', b'', b''
number = 0
for which, sides in enumerate(hulls):
    first = 0 if which == 0 else (which - 1) * 6
    for at, (axis, dist, outside_front) in enumerate(sides):
        normal = [0.0, 0.0, 0.0]
        normal[axis] = 1.0
        plane_lump += struct.pack('<4fi', *normal, float(dist), axis)
        last = at == 5
        if which == 0:
            inside, outside = (-2 if last else at + 1), -1
        else:
            inside, outside = (-1 if last else first + at + 1), -2
        front, back = (outside, inside) if outside_front else (inside, outside)
        if which == 0:
            nodes += struct.pack('<i2h3h3hHH', number, front, back, -X, -Y, 0, X, Y, Z, 0, 0)
        else:
            clip += struct.pack('<i2h', number, front, back)
        number += 1
leafs = struct.pack('<ii3h3hHH4B', -2, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
leafs += struct.pack('<ii3h3hHH4B', -1, -1, -X, -Y, 0, X, Y, Z, 0, 0, 0, 0, 0, 0)
model = struct.pack('<3f3f3f4i3i', -X, -Y, 0, X, Y, Z, 0, 0, 0, 0, 0, 6, 0, 1, 0, 0)
entities = '{\n"classname" "worldspawn"\n"message" "Corridor"\n}\n'
for x, yaw in ((-150, 0), (-50, 0), (50, 180), (150, 180)):
    entities += '{\n"classname" "info_player_deathmatch"\n"origin" "%d 0 32"\n"angle" "%d"\n}\n' % (x, yaw)
entities += '{\n"classname" "info_player_start"\n"origin" "0 0 32"\n}\n{\n"classname" "info_intermission"\n"origin" "0 0 96"\n}\n'
entities += '{\n"classname" "item_health"\n"origin" "0 0 24"\n}\n{\n"classname" "item_shells"\n"origin" "100 0 24"\n}\n'
lumps = [entities.encode() + b'\0', plane_lump, struct.pack('<i', 0), bytes(12), b'', nodes, b'', b'', b'', clip, leafs, b'', struct.pack('<2H', 0, 0), b'', model]
head = struct.pack('<i', 29)
at = 4 + 15 * 8
for lump in lumps:
    head += struct.pack('<2i', at, len(lump))
    at += len(lump) + (-len(lump) % 4)
open(sys.argv[1], 'wb').write(head + b''.join(lump + b'\0' * (-len(lump) % 4) for lump in lumps))
