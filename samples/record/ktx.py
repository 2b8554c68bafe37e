#!/usr/bin/env python3
"""Plays KTX's matches and has the server record them.

ktx.py MVDSV FOLDER    FOLDER has id1/maps/corridor.bsp (quake_map.py) and ktx/qwprogs.so. Without a home in it, the server writes there.
"""
import subprocess
import sys
import time

from client import QuakeWorld

SETTINGS = """hostname corridor
sv_mapcheck 0
sv_progtype 1
sv_demofps 15
sv_demodir demos
maxclients 8
pausable 1
fraglogfile
set k_count 3
set k_free_mode 5
set k_noframechecks 1
set k_pow 0
set k_exttime 1
set k_overtime 1
timelimit 1
"""
MVDSV, FOLDER = sys.argv[1:]
open(f'{FOLDER}/ktx/server.cfg', 'w').write(SETTINGS)


class Server:
    def __init__(self, port):
        self.process = subprocess.Popen([MVDSV, '-port', str(port), '-game', 'ktx', '+map', 'corridor'], cwd=FOLDER, stdin=subprocess.PIPE)
        time.sleep(2)

    def say(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()

    def quit(self):
        self.say('stop')
        time.sleep(1)
        self.say('quit')
        self.process.wait(5)


def fight(shooter, reader):
    """Shoots until somebody dies."""
    before = reader.printed().count(b'boomstick')
    shooter.fire = True
    for _ in range(200):
        time.sleep(0.1)
        if reader.printed().count(b'boomstick') > before:
            break
    shooter.fire = False


def duel(port):
    server = Server(port)
    ada, bo = QuakeWorld(port, 'Ada', 'red', 4), QuakeWorld(port, 'Bo', 'blue', 13)
    ada.start(), bo.start()
    time.sleep(4)
    fight(ada, ada)
    time.sleep(1)
    bo.respawn()
    ada.type('ready')
    bo.type('say hello', 'ready')
    time.sleep(2)
    bo.type('break')
    time.sleep(2)
    server.say('record ktx_duel')
    time.sleep(1)
    bo.type('ready')
    time.sleep(6)
    for shooter, victim in ((bo, ada), (ada, bo)):
        fight(shooter, ada)
        time.sleep(1)
        victim.respawn()
    for _ in range(2):
        ada.type('pause')
        time.sleep(6)
    while b'the game is a draw' not in ada.printed():
        time.sleep(0.5)
    time.sleep(8)
    fight(ada, ada)
    while b'The match is over' not in ada.printed():
        time.sleep(0.5)
    time.sleep(5)
    server.quit()


def teams(port):
    server = Server(port)
    clients = [QuakeWorld(port, name, team, color) for name, team, color in (('Ada', 'red', 4), ('Bo', 'red', 4), ('Cy', 'blue', 13), ('Di', 'blue', 13))]
    for one in clients:
        one.start()
    time.sleep(4)
    clients[0].type('2on2')
    time.sleep(3)
    server.say('timelimit 5')
    server.say('record ktx_teams')
    time.sleep(1)
    for one in clients:
        one.type('ready')
    time.sleep(6)
    for at in range(7):
        for one in clients:
            one.fire = one in (clients[at % 4], clients[(at + 1) % 4])
        time.sleep(4)
        for one in clients:
            one.respawn()
    clients[1].type('kill')
    time.sleep(2)
    for one in clients[:3]:
        one.type('break')
        time.sleep(1)
    time.sleep(6)
    server.quit()


duel(27600)
teams(27601)
