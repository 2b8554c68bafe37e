"""A second decoder of packed recordings, written from docs/formats/pack.md. It shares no code with the first and is slow.

    python3 -B decoder FILE.frp > ORIGINAL
    python3 -B decoder FILE.frpa NAME > ORIGINAL

It reads methods 0, 1, and 3 of NetQuake, and archives of such members.
"""

import hashlib
import sys
import zlib

from model import Bytes, Damaged, Deep, Model
from netquake import Recording
from quick import Quick, QuickBytes
from small import Small


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Damaged("it is truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self):
        return self.take(1)[0]

    def number(self):
        value = 0
        for at in range(9):
            byte = self.byte()
            value |= (byte & 127) << (7 * at)
            if byte < 128:
                return value
        raise Damaged("a number is too long")


SMALL, DEEP, FORMER_QUICK, QUICK = 32, 64, 128, 192


class Known:
    """What a group of an archive has learned: it goes on from member to member."""

    def __init__(self, bits, preset):
        self.memory = None
        if preset == QUICK:
            self.model, self.bytes = Quick(bits), QuickBytes()
        elif preset == SMALL:
            self.model, self.bytes = Small(bits), Bytes()
        else:
            deep = preset == DEEP
            self.model = Model(min(bits, 22) if deep else bits, preset == FORMER_QUICK)
            self.bytes = Deep(bits) if deep else Bytes()


class Group:
    """The number of bits of a group's slots, and what it has learned once its first member is unpacked."""

    def __init__(self, bits):
        self.bits, self.known = bits, None


def unpack(data, group=None):
    cursor = Cursor(data)
    if cursor.take(4) != b"FrgP":
        raise Damaged("it is not packed")
    if cursor.byte() != 1:
        raise Damaged("another version")
    method = cursor.byte()
    preset, method = method & 224, method & 31
    if method == 3 and cursor.byte() != 0 or method not in (0, 1, 3):
        raise Damaged("its method is not read here")
    digest = cursor.take(32)
    length = cursor.number()
    cursor.take(cursor.byte())
    if method == 0:
        out = cursor.take(length)
    else:
        group = group or Group(max(18, min(23, length.bit_length() + 3)))
        group.known = group.known or Known(group.bits, preset)
        out = blocks(cursor, length, method, group.known)
    if cursor.at != len(data) or hashlib.sha256(out).digest() != digest:
        raise Damaged("it is not the original")
    return bytes(out)


def blocks(cursor, length, method, known):
    out = bytearray()
    recording = Recording(known.memory) if method == 3 else None
    while len(out) < length:
        count, packed = cursor.number(), cursor.number()
        check, block = cursor.take(4), cursor.take(packed)
        if zlib.crc32(block).to_bytes(4, "little") != check:
            raise Damaged("the check of a block does not match")
        known.model.start(block)
        end = len(out) + count
        while len(out) < end:
            if recording:
                out += recording.piece(known.model, known.bytes)
            else:
                out.append(known.bytes.byte(known.model, 0))
        if len(out) > end:
            raise Damaged("a block holds more than it states")
    if recording:
        known.memory = recording.memory
    return out


def entries(data):
    """The members that the index of an archive has: what it begins with, place, length, digest, name, the number of what it is a copy of."""
    if data[:5] != b"FrgA\x01" or data[-4:] != b"FrgE":
        raise Damaged("it is no archive, or not whole")
    length = int.from_bytes(data[-12:-4], "little")
    index = data[-16 - length : -16]
    if zlib.crc32(index).to_bytes(4, "little") != data[-16:-12]:
        raise Damaged("the check of the index does not match")
    cursor = Cursor(index)
    if cursor.byte() != 0:
        raise Damaged("the index has another mark")
    place = 5
    for _ in range(cursor.number()):
        kind, count, original, digest = cursor.byte(), cursor.number(), cursor.number(), cursor.take(32)
        name = cursor.take(cursor.number()).decode()
        yield kind, place, count, original, digest, name, cursor.number() if kind == 3 else None
        place += count
    if place != len(data) - 16 - length:
        raise Damaged("the members do not end where the index begins")


def member(data, wanted):
    group = None
    unpacked = []
    for kind, place, count, original, digest, name, copied in entries(data):
        whole = data[place : place + count]
        cursor = Cursor(whole)
        if cursor.byte() != kind:
            raise Damaged("a member is not what the index says")
        if kind == 1:
            group = Group(cursor.byte())
        if cursor.take(cursor.number()).decode() != name:
            raise Damaged("a member has another name than in the index")
        packed = cursor.number()
        if kind == 3 and packed != copied:
            raise Damaged("a copy is of another member than the index says")
        check = zlib.crc32(whole[: cursor.at]).to_bytes(4, "little")
        if cursor.take(4) != check:
            raise Damaged("the check of a member's head does not match")
        out = unpacked[packed] if kind == 3 else unpack(cursor.take(packed), group)
        unpacked.append(out)
        if hashlib.sha256(out).digest() != digest or len(out) != original:
            raise Damaged("a member is not the original")
        if name == wanted:
            return out
    raise Damaged("there is no such member")


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    sys.stdout.buffer.write(member(data, sys.argv[2]) if data[:4] == b"FrgA" else unpack(data))


if __name__ == "__main__":
    main()
