#!/usr/bin/env python3
"""Plays a match of OpenTDM or of Action Quake II's matchmode and has the server record it.

q2pro.py Q2PROED FOLDER opentdm|action    FOLDER has baseq2/maps/corridor.bsp (quake2_map.py) and opentdm/gamex86_64.so or action/gamex86_64.so.
The server refuses to run as root.
"""
import subprocess
import sys
import time

from client import Quake2

Q2PROED, FOLDER, GAME = sys.argv[1:]
PORT = 27910
SETTINGS = {
    'opentdm': 'g_match_time 40 g_match_countdown 5 g_overtime 20 g_tie_mode 1 g_idle_time 0',
    'action': 'teamplay 1 matchmode 1 mm_pausecount 3 mm_pausetime 1 roundlimit 3 timelimit 3 lights_camera_action 3',
}
settings = f'basedir {FOLDER} homedir {FOLDER} game {GAME} net_port {PORT} deathmatch 1 maxclients 8 sv_mvd_enable 1 flood_msgs 0 {SETTINGS[GAME]}'.split()
sets = [word for at in range(0, len(settings), 2) for word in ('+set', settings[at], settings[at + 1])]
server = subprocess.Popen([Q2PROED, *sets, '+map', 'corridor'], cwd=FOLDER, stdin=subprocess.PIPE)


def say(line):
    server.stdin.write(line.encode() + b'\n')
    server.stdin.flush()


time.sleep(4)
clients = [Quake2(PORT, name) for name in ('Ada', 'Bo', 'Cy', 'Di')]
ada, bo, cy, di = clients
for one in clients:
    one.start()
    time.sleep(0.4)
time.sleep(5)
for one, team in zip(clients, '1122'):
    one.type(f'team {team}')
    time.sleep(1)


def opentdm():
    say('mvdrecord opentdm')
    time.sleep(1)
    ada.type('say hello')
    for one in clients:
        one.type('ready')
    time.sleep(7)
    ada.fire = bo.fire = True
    time.sleep(9)
    ada.fire = bo.fire = False
    for _ in range(2):
        cy.type('time')
        time.sleep(5)
    while b'Match ended' not in ada.printed():
        time.sleep(0.5)
        ada.fire = b'overtime' in ada.printed() and int(time.time()) % 4 < 2
    ada.fire = False
    time.sleep(9)
    # another match, which a side gives up
    for one in clients:
        one.type('ready')
    time.sleep(10)
    cy.stop = di.stop = True


def action():
    for one in clients:
        one.type('choose MP5/10 Submachinegun', 'choose Silencer')
    time.sleep(1)
    say('mvdrecord aq2_match')
    time.sleep(1)
    ada.type('captain')
    cy.type('captain')
    time.sleep(1)
    ada.type('ready')
    cy.type('ready')
    paused = False
    while b'Match is over' not in ada.printed():
        for one in clients:
            one.fire = True
        time.sleep(1)
        if not paused and b'Current score' in ada.printed():
            paused = True
            ada.type('pausegame')
            time.sleep(3)
            ada.type('unpausegame')


{'opentdm': opentdm, 'action': action}[GAME]()
time.sleep(6)
say('mvdstop')
time.sleep(1)
say('quit')
