#!/usr/bin/env python3
"""Writes a map of our own for Quake II: a corridor with spawn points on its axis. quake2_map.py FILE.bsp"""
import struct, sys
X, Y, Z, W = 200, 48, 128, 16
LO, HI = (-X, -Y, 0), (X, Y, Z)
planes = []
def plane(axis, sign, dist):
    normal = [0.0, 0.0, 0.0]; normal[axis] = float(sign)
    one = struct.pack('<4fi', *normal, float(dist), axis if sign > 0 else 3 + axis)
    if one not in planes: planes.append(one)
    return planes.index(one)
nodes, leafs, brushes, sides, leafbrushes = b'', [], b'', b'', b''
box = struct.pack('<6h', -X - W, -Y - W, -W, X + W, Y + W, Z + W)
leafs.append(struct.pack('<ihh', 1, -1, 0) + box + struct.pack('<4H', 0, 0, 0, 0))
leafs.append(struct.pack('<ihh', 0, 0, 1) + box + struct.pack('<4H', 0, 0, 0, 0))
walls = [(axis, True) for axis in range(3)] + [(axis, False) for axis in range(3)]
for at, (axis, high) in enumerate(walls):
    lo, hi = [-X - W, -Y - W, -W], [X + W, Y + W, Z + W]
    if high: lo[axis] = HI[axis]
    else: hi[axis] = LO[axis]
    brushes += struct.pack('<3i', at * 6, 6, 1)
    for side in range(3):
        sides += struct.pack('<Hh', plane(side, 1, hi[side]), 0) + struct.pack('<Hh', plane(side, -1, -lo[side]), 0)
    leafbrushes += struct.pack('<H', at)
    leafs.append(struct.pack('<ihh', 1, -1, 0) + box + struct.pack('<4H', 0, 0, at, 1))
    inside = -2 if at == 5 else at + 1
    outside = -1 - (2 + at)
    front, back = (outside, inside) if high else (inside, outside)
    nodes += struct.pack('<3i', plane(axis, 1, HI[axis] if high else LO[axis]), front, back) + box + struct.pack('<2H', 0, 0)
entities = '{\n"classname" "worldspawn"\n"message" "Corridor"\n}\n'
for x, yaw in ((-150, 0), (-50, 0), (50, 180), (150, 180)):
    entities += '{\n"classname" "info_player_deathmatch"\n"origin" "%d 0 32"\n"angle" "%d"\n}\n' % (x, yaw)
for kind, x in (('info_player_start', 0), ('info_player_team1', -100), ('info_player_team2', 100)):
    entities += '{\n"classname" "%s"\n"origin" "%d 0 32"\n}\n' % (kind, x)
entities += '{\n"classname" "info_player_intermission"\n"origin" "0 0 96"\n}\n{\n"classname" "item_health"\n"origin" "0 0 24"\n}\n'
texinfo = struct.pack('<8fii32si', 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, b'e1u1/floor1_1', -1)
model = struct.pack('<9f3i', -X - W, -Y - W, -W, X + W, Y + W, Z + W, 0, 0, 0, 0, 0, 0)
areas = struct.pack('<4i', 0, 0, 0, 0)
lumps = [entities.encode() + b'\0', b''.join(planes), b'', b'', nodes, texinfo, b'', b'', b''.join(leafs), b'', leafbrushes, b'', b'', model, brushes, sides, b'', areas, b'']
head, at = b'IBSP' + struct.pack('<i', 38), 8 + 19 * 8
for lump in lumps:
    head += struct.pack('<2i', at, len(lump)); at += len(lump) + (-len(lump) % 4)
open(sys.argv[1], 'wb').write(head + b''.join(l + b'\0' * (-len(l) % 4) for l in lumps))
