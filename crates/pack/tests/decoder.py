"""A second decoder of packed recordings, written from docs/formats/pack.md. It shares no code with the first and is slow.

    python3 decoder.py FILE.frp > ORIGINAL
    python3 decoder.py FILE.frpa NAME > ORIGINAL

It reads methods 0 and 1, and archives of such members.
"""

import functools
import hashlib
import sys
import zlib

M64 = (1 << 64) - 1


class Damaged(Exception):
    pass


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


# Contexts


def mix(a, b):
    x = (a ^ (b * 0x9E3779B97F4A7C15 & M64)) * 0xD6E8FEB86659FD93 & M64
    return x ^ (x >> 29)


def context(*parts):
    c = 0x123456789ABC
    for part in parts:
        c = mix((c << 7 | c >> 57) & M64, (part + 1) & M64)
    return c


# Logistic numbers


def logarithm(x):
    place = x.bit_length() - 1
    y, w = x << (63 - place), place
    for _ in range(20):
        y = y * y >> 63
        w *= 2
        if y >> 64:
            w += 1
            y >>= 1
    return w * 2977044471 >> 40


@functools.lru_cache(maxsize=None)
def logit_of(place, steps):
    x = ((64 + steps) * 2 + 1) << place << 1
    return max(-36864, logarithm(x) - logarithm((1 << 30) - x))


def stretch(p):
    low = max(1, min(p, (1 << 22) - 1 - p))
    place = low.bit_length() - 1
    logit = logit_of(place, (low << 6) >> place & 63)
    return -logit if p >= 1 << 21 else logit


def squash_table():
    table = [0] * 769
    e = 1 << 40
    for k in range(385):
        table[384 + k] = (e << 16) // (e + (1 << 40))
        table[384 - k] = 65536 - table[384 + k]
        e = e * 1134413873426 >> 40
    return table


SQUASH = squash_table()


def squash(x):
    x = max(-49151, min(49151, x)) + 49152
    i, f = x >> 7, x & 127
    return max(1, min(65535, (SQUASH[i] * (128 - f) + SQUASH[i + 1] * f) >> 7))


TRUST = [0] + [65536 - 393216 // (min(n, 30) * 10 + 5) for n in range(1, 256)]
RATE = [655360 // (10 * n + 16) for n in range(256)]


class Model:
    def __init__(self, bits):
        self.mask = (1 << bits) - 1
        self.slots = {}
        self.broad, self.fine = {}, {}

    def start(self, block):
        self.block, self.next = block, 0
        self.low, self.high, self.value = 0, 0xFFFFFFFF, 0
        for _ in range(4):
            self.value = self.value << 8 | self.read()

    def read(self):
        self.next += 1
        if self.next > len(self.block) + 4:
            raise Damaged("a block ends too early")
        return self.block[self.next - 1] if self.next <= len(self.block) else 0

    def code(self, one):
        middle = self.low + ((self.high - self.low) * one >> 16)
        bit = self.value <= middle
        if bit:
            self.high = middle
        else:
            self.low = middle + 1
        while (self.low ^ self.high) >> 24 == 0:
            self.low = self.low << 8 & 0xFFFFFFFF
            self.high = self.high << 8 & 0xFFFFFFFF | 255
            self.value = self.value << 8 & 0xFFFFFFFF | self.read()
        return int(bit)

    def bit(self, names, broad, fine):
        names = [name & self.mask for name in names]
        states = [self.slots.get(name, (1 << 21, 0)) for name in names]
        logits = [stretch(p) * TRUST[n] >> 16 for p, n in states] + [1229]
        sets = []
        for table, number in ((self.broad, broad % 1024), (self.fine, fine % 65536)):
            weights = table.setdefault(number, [19661] * 11)
            # the weight of what is always there stands behind those of the slots
            total = sum(weight * logit for weight, logit in zip(weights, logits)) >> 16
            sets.append((weights, max(-(1 << 20), min(1 << 20, total))))
        bit = self.code(squash((sets[0][1] + sets[1][1]) >> 1))
        for weights, total in sets:
            miss = ((bit << 16) - squash(total)) * 61
            for at, logit in enumerate(logits):
                weights[at] = max(-(1 << 22), min(1 << 22, weights[at] + ((miss * logit + (1 << 23)) >> 24)))
        for name, (p, n) in zip(names, states):
            p = p + (((1 << 22) - 1 - p) * RATE[n] >> 16) if bit else p - (p * RATE[n] >> 16)
            self.slots[name] = (p, min(n + 1, 255))
        return bit


class Bytes:
    """The history of bytes."""

    def __init__(self):
        self.all = bytearray()
        self.word = 0
        self.places = {}
        self.place, self.held = 0, 0

    def last(self, count):
        return int.from_bytes(self.all[-count:], "big") if count else 0

    def expected(self):
        if not self.held:
            return None
        far = self.held if self.held < 16 else 16 + min(15, (self.held - 16) // 8)
        return self.all[self.place], far

    def byte(self, model, kind):
        last = self.last
        contexts = [
            context(10, kind),
            context(11, last(1), kind),
            context(12, last(2)),
            context(13, last(3)),
            context(14, last(4)),
            context(15, last(6)),
            context(16, self.word, last(1)),
            context(17, last(3) >> 8),
        ]
        expected = self.expected()
        far = expected[1] if expected else 0
        found = 1
        for group in (1, 0):
            lines = [mix(c, 7 << 48 | found) & 0xFFFFFFF0 for c in contexts]
            node = 1
            for left in (3, 2, 1, 0):
                at = group * 4 + left
                if expected and (expected[0] | 256) >> (at + 1) == found:
                    repeated = context(18, far, expected[0] >> at & 1)
                else:
                    repeated = context(19, found)
                bit = model.bit([line | node for line in lines] + [repeated & 0xFFFFFFFF], 900 + far, 57600 + found)
                node, found = node << 1 | bit, found << 1 | bit
        self.push(found & 255)
        return found & 255

    def push(self, byte):
        if self.held:
            self.held = self.held + 1 if self.all[self.place] == byte else 0
            self.place += 1
        self.all.append(byte)
        letter = byte < 128 and chr(byte).isalnum()
        self.word = mix(self.word, byte) if letter else 0
        count = len(self.all)
        if count >= 5:
            key = mix(6, self.last(5)) % (1 << 19)
            before = self.places.get(key, 0)
            self.places[key] = count
            if not self.held and before and count - before < 1 << 23:
                self.place, self.held = before, 1


class Known:
    def __init__(self, bits):
        self.model, self.bytes = Model(bits), Bytes()


def unpack(data, known=None):
    cursor = Cursor(data)
    if cursor.take(4) != b"FrgP":
        raise Damaged("it is not packed")
    if cursor.byte() != 1:
        raise Damaged("another version")
    method = cursor.byte()
    if method > 1:
        raise Damaged(f"method {method} is not read here")
    digest = cursor.take(32)
    length = cursor.number()
    cursor.take(cursor.byte())
    if method == 0:
        out = cursor.take(length)
    else:
        known = known or Known(max(18, min(23, length.bit_length() + 3)))
        out = bytearray()
        while len(out) < length:
            count, packed = cursor.number(), cursor.number()
            check, block = cursor.take(4), cursor.take(packed)
            if zlib.crc32(block).to_bytes(4, "little") != check:
                raise Damaged("the check of a block does not match")
            known.model.start(block)
            out += bytes(known.bytes.byte(known.model, 0) for _ in range(count))
    if cursor.at != len(data) or hashlib.sha256(out).digest() != digest:
        raise Damaged("it is not the original")
    return bytes(out)


def entries(data):
    """The members that the index of an archive has: whether it begins a group, place, length, digest, name."""
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
        begins, count, original, digest = cursor.byte() == 1, cursor.number(), cursor.number(), cursor.take(32)
        name = cursor.take(cursor.number()).decode()
        yield begins, place, count, original, digest, name
        place += count
    if place != len(data) - 16 - length:
        raise Damaged("the members do not end where the index begins")


def member(data, wanted):
    known = None
    for begins, place, count, original, digest, name in entries(data):
        whole = data[place : place + count]
        cursor = Cursor(whole)
        if (cursor.byte() == 1) != begins:
            raise Damaged("a member is not what the index says")
        if begins:
            known = Known(cursor.byte())
        if cursor.take(cursor.number()).decode() != name:
            raise Damaged("a member has another name than in the index")
        packed = cursor.number()
        check = zlib.crc32(whole[: cursor.at]).to_bytes(4, "little")
        if cursor.take(4) != check:
            raise Damaged("the check of a member's head does not match")
        out = unpack(cursor.take(packed), known)
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
