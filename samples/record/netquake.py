#!/usr/bin/env python3
"""Plays a match of plain NetQuake until the frag limit. `fragreel record` joins as a player who does nothing.

netquake.py SERVER FRAGREEL FOLDER    FOLDER has id1/maps/corridor.bsp (quake_map.py) and id1/progs.dat, id's game code. The server and its clients write there.
"""
import pathlib
import subprocess
import sys
import time

from client import NetQuake

SERVER, FRAGREEL, FOLDER = sys.argv[1:]
PORT = 26050
settings = 'sv_public 0 sys_ticrate 0.1 net_connectfloodblockingtimeout 0 sv_protocolname QUAKE deathmatch 1 fraglimit 4 timelimit 3 maxplayers 4 map corridor'.split()
sets = [word for at in range(0, len(settings), 2) for word in ('+' + settings[at], settings[at + 1])]
log = open(f'{FOLDER}/nq_match.log', 'wb')
command = [SERVER, '-basedir', FOLDER, '-userdir', f'{FOLDER}/home', '-port', str(PORT), *sets]
server = subprocess.Popen(command, cwd=FOLDER, stdin=subprocess.PIPE, stdout=log, stderr=log)


def deaths():
    return pathlib.Path(log.name).read_bytes().count(b'boomstick')


def fight(shooter):
    """Shoots until somebody dies, who then returns."""
    before = deaths()
    shooter.fire = True
    for _ in range(200):
        time.sleep(0.1)
        if deaths() > before:
            break
    shooter.fire = False
    time.sleep(1)
    for one in clients:
        if one is not shooter:
            one.respawn()


time.sleep(2)
recorder = subprocess.Popen([FRAGREEL, 'record', f'nq://127.0.0.1:{PORT}', '-o', f'{FOLDER}/nq_match.dem', '--for', '150', '--until', 'match-over'])
time.sleep(3)
clients = [NetQuake(PORT, name, color) for name, color in (('Ada', 4), ('Bo', 13), ('Cy', 3))]
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
while recorder.poll() is None:
    fight(ada)
server.stdin.write(b'quit\n')
server.stdin.flush()
server.wait(5)
