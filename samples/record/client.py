"""Scripted clients of QuakeWorld, NetQuake and Quake II servers: they connect, type commands, and turn around and shoot."""
import os
import pathlib
import re
import socket
import struct
import threading
import time

CRATES = pathlib.Path(__file__).resolve().parents[2] / 'crates'


class Client(threading.Thread):
    """A connection with the reliable channel that both games have. `queue` holds commands; `text` what the server printed."""

    def __init__(self, port, info):
        super().__init__(daemon=True)
        self.info = info
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.connect(('127.0.0.1', port))
        self.sock.settimeout(0.02)
        self.qport = (os.getpid() * 7 + id(self) // 16) & 0xFFFF
        self.out, self.seq_in, self.rel_in, self.rel_out = 0, 0, 0, 0
        self.queue, self.pending, self.text = [], None, []
        self.count, self.playing, self.stop, self.fire, self.jump = None, False, False, False, False

    def type(self, *commands):
        self.queue += [b'\x04' + command.encode() + b'\0' for command in commands]

    def printed(self):
        return bytes(byte & 127 for byte in b''.join(self.text))

    def respawn(self):
        self.fire = self.jump = True
        time.sleep(0.3)
        self.fire = self.jump = False

    def ask(self, question, answer):
        """Sends a connectionless packet until an answer fits."""
        while True:
            self.sock.send(b'\xff\xff\xff\xff' + question.encode('latin1') + b'\n')
            end = time.time() + 0.5
            while time.time() < end:
                try:
                    found = re.match(b'\xff\xff\xff\xff' + answer, self.sock.recv(8192))
                    if found:
                        return found
                except OSError:
                    pass

    def run(self):
        challenge = self.ask('getchallenge', self.CHALLENGE).group(1).decode()
        self.ask(f'connect {self.PROTOCOL} {self.qport} {challenge} "{self.info}"', self.ACCEPTED)
        self.type('new')
        last = 0
        while not self.stop:
            try:
                self.packet(self.sock.recv(8192))
            except OSError:
                pass
            if time.time() - last >= self.INTERVAL:
                last = time.time()
                self.send()
        self.queue, self.pending = [b'\x04' + self.LEAVE + b'\0'], None
        self.send()

    def packet(self, data):
        if len(data) < 8 or data[:4] == b'\xff\xff\xff\xff':
            return
        sequence, acknowledged = struct.unpack('<II', data[:8])
        if sequence & 0x7FFFFFFF <= self.seq_in:
            return
        self.seq_in = sequence & 0x7FFFFFFF
        if self.pending is not None and acknowledged >> 31 == self.rel_out:
            self.pending = None
        if sequence >> 31:
            self.rel_in ^= 1
        self.read(data[8:])

    def send(self):
        if self.pending is None and self.queue:
            self.pending = self.queue.pop(0)
            self.rel_out ^= 1
        self.out += 1
        reliable = (self.pending is not None) << 31
        head = struct.pack('<IIH', self.out | reliable, self.seq_in | self.rel_in << 31, self.qport)
        self.sock.send(head + (self.pending or b'') + (self.move() if self.playing else b''))


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


class QuakeWorld(Client):
    PROTOCOL, CHALLENGE, ACCEPTED, LEAVE, INTERVAL = 28, rb'c(-?\d+)', b'j', b'drop', 0.04
    TABLE = bytes(int(one, 16) for one in re.findall(r'0x[0-9a-f]{2}', (CRATES / 'quake1-live/src/checksum.in').read_text())) + bytes(512)

    def __init__(self, port, name, team='', color=4):
        team = f'\\team\\{team}' if team else ''
        super().__init__(port, f'\\name\\{name}{team}\\topcolor\\{color}\\bottomcolor\\{color}\\rate\\20000\\msg\\1')

    def read(self, body):
        found = re.search(rb'\x0b\x1c\0\0\0(....)', body, re.S)
        if found and self.count != struct.unpack('<I', found.group(1))[0]:
            self.count, self.playing = struct.unpack('<I', found.group(1))[0], False
            self.type(f'soundlist {self.count} 0', f'modellist {self.count} 0', f'prespawn {self.count} 0 0')
        for line in re.split(r'[\n\t]', b'\n'.join(re.findall(rb'\x09([^\0]*)\0', body)).decode('latin1')):
            if line.startswith('cmd '):
                self.type(line[4:])
            elif line.strip() == 'skins':
                self.type(f'begin {self.count}')
                self.playing = True
        self.text += re.findall(rb'\x08[\0-\3]([^\0]*)\0', body)

    def move(self):
        yaw = 0 if int(time.time() * 2.5) % 2 else 0x8000
        move = b'\0' + struct.pack('<BHBB', 0xA0, yaw, self.fire | self.jump << 1, 40) + b'\0\x28' * 2
        at = self.out % 1020
        table = self.TABLE[at:at + 4]
        mixed = move[:60] + bytes([self.out & 0xFF ^ table[0], table[1], self.out >> 8 & 0xFF ^ table[2], table[3]])
        return bytes([3, crc(mixed) & 0xFF]) + move


class Quake2(Client):
    PROTOCOL, CHALLENGE, ACCEPTED, LEAVE, INTERVAL = 34, rb'challenge (-?\d+)', b'client_connect', b'disconnect', 0.05

    def __init__(self, port, name):
        super().__init__(port, f'\\name\\{name}\\skin\\male/grunt\\rate\\25000\\msg\\1\\hand\\2\\fov\\90')

    def read(self, body):
        found = re.search(rb'\x0c\x22\0\0\0(....)', body, re.S)
        if found:
            self.count, self.playing = struct.unpack('<i', found.group(1))[0], False
        for line in re.findall(rb'\x0b([^\0]*)\0', body):
            for part in line.decode('latin1').split('\n'):
                if part.startswith('cmd \x7fc version'):
                    self.type('\x7fc version script')
                elif part.startswith('cmd ') and '\x7f' not in part and '$' not in part:
                    self.type(part[4:])
                elif part.startswith('precache'):
                    self.type(f'begin {part.split()[1]}')
                    self.playing = True
        self.text += re.findall(rb'\x0a[\0-\3]([^\0]*)\0', body)

    def move(self):
        yaw = 0 if int(time.time() * 1.2) % 2 else 0x8000
        move = struct.pack('<BHhhBBB', 0x6A, yaw, 0, 200 if self.jump else 0, self.fire, 50, 128)
        return b'\x02\0' + struct.pack('<i', -1) + move + bytes([0, 50, 128]) * 2


class NetQuake(threading.Thread):
    """A client of protocol 15. `text` is what the server printed."""

    RELIABLE, ACKNOWLEDGED, END, UNRELIABLE = 0x10000, 0x20000, 0x80000, 0x100000
    SIGNON = {1: ['prespawn'], 2: ['name "{name}"', 'color {color} {color}', 'spawn '], 3: ['begin']}

    def __init__(self, port, name, color):
        super().__init__(daemon=True)
        self.called, self.color = name, color
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.settimeout(0.02)
        self.to = ('127.0.0.1', port)
        self.expected, self.number, self.datagrams, self.part, self.stage = 0, 0, 0, b'', 0
        self.queue, self.pending, self.text, self.clock = [], None, [], bytes(4)
        self.stop, self.fire, self.jump = False, False, False

    def type(self, *commands):
        self.queue += [b'\x04' + command.encode() + b'\0' for command in commands]

    printed, respawn = Client.printed, Client.respawn

    def packet(self, kind, number, body=b''):
        self.sock.sendto(struct.pack('>II', kind | 8 + len(body), number) + body, self.to)

    def run(self):
        question = b'\x01QUAKE\0\x03'
        answer = b''
        while answer[4:5] != b'\x81':
            self.sock.sendto(struct.pack('>I', 0x80000000 | 4 + len(question)) + question, self.to)
            try:
                answer = self.sock.recv(8192)
            except OSError:
                time.sleep(0.5)
        # zero stands for the port that was asked
        self.to = ('127.0.0.1', struct.unpack('<i', answer[5:9])[0] or self.to[1])
        sent = moved = 0
        while not self.stop:
            try:
                self.take(self.sock.recv(65536))
            except OSError:
                pass
            now = time.time()
            if self.pending is None and self.queue:
                self.pending, sent = self.queue.pop(0), 0
            if self.pending is not None and now - sent > 0.5:
                sent = now
                self.packet(self.RELIABLE | self.END, self.number, self.pending)
            if self.stage == 3 and now - moved >= 0.05:
                moved = now
                self.datagrams += 1
                self.packet(self.UNRELIABLE, self.datagrams, self.move())
        self.packet(self.RELIABLE | self.END, self.number, b'\x02')

    def take(self, data):
        head, number = struct.unpack('>II', data[:8])
        body = data[8:]
        if head & self.ACKNOWLEDGED:
            if self.pending is not None and number == self.number:
                self.pending, self.number = None, self.number + 1
        elif head & self.UNRELIABLE:
            if body[:1] == b'\x07':
                self.clock = body[1:5]
        elif head & self.RELIABLE:
            self.packet(self.ACKNOWLEDGED, number)
            if number != self.expected:
                return
            self.expected, self.part = number + 1, self.part + body
            if head & self.END:
                self.read(self.part)
                self.part = b''

    def read(self, message):
        self.text += re.findall(rb'\x08([^\0]*)\0', message)
        if self.stage < 3 and bytes([25, self.stage + 1]) in message:
            self.stage += 1
            self.type(*(line.format(name=self.called, color=self.color) for line in self.SIGNON[self.stage]))

    def move(self):
        yaw = 0 if int(time.time() * 2.5) % 2 else 128
        return b'\x03' + self.clock + bytes([0, yaw, 0]) + bytes(6) + bytes([self.fire | self.jump << 1, 0])
