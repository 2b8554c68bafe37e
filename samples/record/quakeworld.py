#!/usr/bin/env python3
"""Plays a match of plain QuakeWorld until the frag limit and has the server record it.

quakeworld.py MVDSV FOLDER    FOLDER has id1/maps/corridor.bsp (quake_map.py) and qw/qwprogs.dat, id's game code. The server writes there.
"""
import subprocess
import sys
import time

from client import QuakeWorld

SETTINGS = """hostname corridor
sv_mapcheck 0
sv_progtype 0
sv_demofps 15
sv_demodir demos
maxclients 8
deathmatch 1
fraglimit 4
timelimit 3
fraglogfile
"""
MVDSV, FOLDER = sys.argv[1:]
PORT = 27650
open(f'{FOLDER}/qw/server.cfg', 'w').write(SETTINGS)
server = subprocess.Popen([MVDSV, '-port', str(PORT), '+map', 'corridor'], cwd=FOLDER, stdin=subprocess.PIPE)


def say(line):
    server.stdin.write(line.encode() + b'\n')
    server.stdin.flush()


def fight(shooter):
    """Shoots until somebody dies, who then returns."""
    before = ada.printed().count(b'boomstick')
    shooter.fire = True
    for _ in range(200):
        time.sleep(0.1)
        if ada.printed().count(b'boomstick') > before:
            break
    shooter.fire = False
    time.sleep(1)
    for one in clients:
        if one is not shooter:
            one.respawn()


time.sleep(2)
say('record qw_match')
clients = [QuakeWorld(PORT, name, '', color) for name, color in (('Ada', 4), ('Bo', 13), ('Cy', 3))]
ada, bo, cy = clients
for one in clients:
    one.start()
    time.sleep(0.5)
time.sleep(3)
ada.type('say hello')
fight(ada)
fight(bo)
cy.type('kill')
time.sleep(1)
while ada.printed().count(b"Ada's boomstick") < 4:
    fight(ada)
time.sleep(3)
say('stop')
time.sleep(1)
say('quit')
server.wait(5)
