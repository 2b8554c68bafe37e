"""Fields of messages: each value is decoded by its name, its entity and its past ("Fields" in pack.md)."""

from model import M64, Damaged, context, mix

WORD = 0xFFFFFFFF
LONGEST = 8 << 20

MOVING = ["origin", "pos", "start", "end_", "coord", "vel", "view", "pitch", "yaw", "roll", "angle", "forward", "right", "up"]
STEADY = ["time", "timestamp", "frame", "sequence", "acknowledged", "outgoing", "incoming", "words"]
ENTITY = ["slot", "entity", "player", "number", "stat", "index", "entity number"]


class Name:
    """A name of fields: its key, and its classes."""

    known = {}

    def __init__(self, name):
        self.key = 0xCBF29CE484222325
        for byte in name.encode():
            self.key = (self.key ^ byte) * 0x100000001B3 & M64
        self.mask = any(part in name for part in ("bits", "mask", "flags"))
        self.moving = not self.mask and any(part in name for part in MOVING)
        self.steady = "origin" in name or name in STEADY
        self.entity = name in ENTITY
        self.kind = name in ("message", "number")

    @classmethod
    def of(cls, name):
        if name not in cls.known:
            cls.known[name] = cls(name)
        return cls.known[name]


class Past:
    def __init__(self):
        self.last = self.before = 0
        self.time = self.time_before = 0
        self.miss = self.count = self.message = self.same = 0

    def move(self, value, miss, memory):
        self.last, self.before = value, self.last
        self.time, self.time_before = memory.time, self.time
        self.miss, self.message = miss, memory.message
        self.count = min(self.count + 1, WORD)


class Memory:
    """What is known of fields: it goes on from message to message, and in an archive from member to member."""

    def __init__(self):
        self.pasts, self.recent, self.echoes, self.data = {}, {}, {}, {}
        self.firsts = [0, 0, 0]
        self.time = self.message = 0
        self.log, self.places, self.hashes = [], {}, [0] * 6
        self.place, self.held = 0, 0

    def past(self, key, entity):
        return self.pasts.setdefault(context(key, entity) % (1 << 15), Past())

    def echo(self, key):
        return self.echoes.setdefault(mix(key, 2) % (1 << 12), [0, 0])

    def echoed(self, key):
        """The value that the echo points at, or None."""
        distance = self.echo(key)[0]
        return self.log[-distance] if 0 < distance <= len(self.log) else None

    def trust(self):
        return self.held if self.held < 16 else 16 + min(15, (self.held - 16) // 16)

    def guess(self):
        return (self.log[self.place], self.trust()) if self.held else None

    def push(self, key, value):
        if self.held:
            self.held = self.held + 1 if self.log[self.place] == value else 0
            self.place += 1
        self.log.append(value)
        self.hashes = [mix(key, value)] + self.hashes[:5]
        at = context(*self.hashes) % (1 << 17)
        before = self.places.get(at, 0)
        self.places[at] = len(self.log)
        if not self.held and before and len(self.log) - before < 1 << 20:
            self.place, self.held = before, 1


def magnitude(x):
    return abs(x).bit_length() * 2 + (x < 0)


def towards_zero(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def looks_like_float(word):
    return int(word == 0 or 107 <= word >> 23 & 255 <= 146)


def fixed(word):
    """A float in 65536ths, cut off towards 0 and within 2^46."""
    exponent, mantissa = word >> 23 & 255, word & 0x7FFFFF | (0x800000 if word >> 23 & 255 else 0)
    shift = exponent - 134
    amount = min(mantissa << shift if shift >= 0 else mantissa >> -shift, 1 << 46)
    return -amount if word >> 31 else amount


def nearby(x):
    return max(-(1 << 40), min(1 << 40, x))


def float_of(fixed_value):
    amount = abs(fixed_value)
    if not amount:
        return 0
    top = amount.bit_length() - 1
    mantissa = amount >> top - 23 if top > 23 else amount << 23 - top
    return int(fixed_value < 0) << 31 | top + 111 << 23 | mantissa & 0x7FFFFF


def rank(word):
    return (1 << 31) - word if word >> 31 else word


def unranked(rank_value):
    value = ((rank_value + (1 << 31)) & WORD) - (1 << 31)
    return ((1 << 31) - value) & WORD if value < 0 else value


class Fields:
    """Decodes one message: what is asked for goes to `out`."""

    def __init__(self, model, history, memory, left_out=None):
        self.model, self.history, self.memory, self.left_out = model, history, memory, left_out
        memory.message += 1
        self.out = bytearray()
        self.parts, self.path, self.entity = [], 0, 0
        self.values, self.keys, self.misses, self.same = [0] * 3, [0] * 3, [0] * 2, 0
        self.enter("")

    def enter(self, name):
        self.called, self.name, self.ordinal = name, Name.of(name), 0

    def open(self, name, index=None):
        self.parts.append((self.path, self.entity))
        self.path = mix(self.path, Name.of(name).key)
        if index is not None:
            self.entity = index + 1
        self.enter("")

    def close(self):
        self.path, self.entity = self.parts.pop()
        self.enter("")

    def field(self, name, width):
        self.enter(name)
        return self.bits(width)

    def put(self, value, width):
        self.out += value.to_bytes(width // 8, "little")
        if len(self.out) > LONGEST // 8:
            raise Damaged("a message does not end")

    def more(self):
        m, path = self.memory, self.path
        a, b, c = m.firsts
        contexts = [context(3, a, path), context(3, a, b, path), context(3, a, b, c, path)]
        contexts += [context(4, a, self.values[0], path), context(5, a, b, m.trust())]
        return self.model.flag(contexts, 891, 56961)

    def bits(self, width):
        if self.called == self.left_out:
            self.put(0, width)
            return 0
        m, name = self.memory, self.name
        key = context(self.path, name.key, self.ordinal)
        first = name.kind and not self.parts and self.ordinal == 0
        if first:
            self.entity, self.values, self.keys = 4096, [0] * 3, [0] * 3
        value = self.repeated(key) if width >= 16 and not first else None
        if value is None:
            if name.moving and width >= 12 or width == 32 and not name.mask:
                value = self.by_difference(key, width)
            else:
                value = self.plainly(key, width)
        if width >= 16 and value and value != m.echoed(key):
            near = m.log[: -161 : -1]
            if value in near:
                m.echo(key)[0] = near.index(value) + 1
        at = mix(key, 1) % (1 << 12)
        m.recent[at] = (value, m.recent.get(at, (0, 0))[0])
        if first:
            m.firsts = [value] + m.firsts[:2]
        elif name.entity:
            self.entity = (value & 0xFFFF) + 1
        self.values, self.keys = [value] + self.values[:2], [key] + self.keys[:2]
        m.push(key, value)
        self.put(value, width)
        self.ordinal += 1
        return value

    def repeated(self, key):
        m, past, guess = self.memory, self.memory.past(key, self.entity), self.memory.guess()
        s, e = past.same, (int(guess[0] == past.last) << 8 | guess[1]) if guess else 512
        same = self.model.flag(
            [
                context(key, s, 60),
                context(key, self.entity, s & 7, 61),
                context(key, self.same & 255, int(past.last != past.before), 62),
                context(key, e, s & 1, 63),
                context(key, self.same & 7, self.values[0], 64),
                context(key, self.same & 65535, s & 3, 65),
            ],
            892,
            56962 + key % 64,
        )
        self.same = self.same << 1 | same
        past.same = past.same << 1 & 255 | same
        if same:
            past.move(past.last, 0, m)
            return past.last
        value = m.echoed(key)
        if value is None:
            return None
        right = m.echo(key)[1]
        contexts = [context(key, right, 66), context(key, int(value == past.last), right & 7, 67), context(key, e, right & 1, 68)]
        found = self.model.flag(contexts, 893, 57026 + key % 64)
        m.echo(key)[1] = right << 1 & 255 | found
        if found:
            past.move(value, 0, m)
            return value
        return None

    def plainly(self, key, width):
        m, past, guess = self.memory, self.memory.past(key, self.entity), self.memory.guess()
        recent, recent_before = m.recent.get(mix(key, 1) % (1 << 12), (0, 0))
        (a, b, _), (v0, v1, v2), (k0, k1, k2) = m.firsts, self.values, self.keys
        entity, last, left, high = self.entity, past.last, width, 1
        while left:
            take = left % 8 or 8
            left -= take
            z = context(key, high, left)
            contexts = [
                context(z, 40),
                context(z, entity, last, 41),
                context(z, v0, k0, 42),
                context(z, v0, v1, k1, 43),
                context(z, recent, recent_before, 44),
                context(z, entity, last, past.before, 45),
                context(z, a, b, last, 46),
                context(z, v0, v1, v2, k2, 47),
                context(z, entity, v0, last, 48),
                0,
            ]
            here = None
            if guess and guess[0] >> (left + take) | 1 << (width - left - take) == high:
                here = (guess[0] >> left & (1 << take) - 1, guess[1])
            high = high << take | self.model.symbol(take, contexts, 100 + key % 199, here, True)
        value = high & (1 << width) - 1
        past.move(value, value - last, m)
        return value

    def by_difference(self, key, width):
        m, past, guess = self.memory, self.memory.past(key, self.entity), self.memory.guess()
        last, new = past.last, int(past.count == 0)
        is_float = width == 32 and self.model.flag([context(key, 19), context(key, 18, looks_like_float(last))], 890, 56960)

        def signed(word):
            word &= (1 << width) - 1
            return word - (1 << width) if word >> (width - 1) else word

        speed = 0
        if self.name.steady and past.count > 1:
            speed = nearby(fixed(last)) - nearby(fixed(past.before)) if is_float else signed(last - past.before)
            between = past.time - past.time_before
            if between > 0:
                speed = towards_zero(speed * max(0, min(m.time - past.time, 3 * between)), between)
        if is_float:
            start = float_of(nearby(fixed(last)) + speed) if speed else last
            speed >>= 13
        else:
            start = last + speed

        def difference(value):
            return rank(value) - rank(start) if is_float else signed(value - start)

        s, v, (m0, m1) = magnitude(past.miss), magnitude(speed), self.misses
        contexts = [
            context(key, new, 20),
            context(key, s, new, 21),
            context(key, self.entity, 22),
            context(key, v, s, 23),
            context(key, m0, new, 24),
            context(key, past.miss, 25),
            context(key, m0, m1, s, 26),
            context(key, min(63, m.message - past.message), v, 27),
            context(key, self.values[0], new, 28),
            0,
        ]
        here = (difference(guess[0]), guess[1]) if guess else None
        miss = self.model.number(contexts, 300 + 4 * (key % 97), here, True)
        self.misses = [magnitude(miss), m0]
        value = unranked(rank(start) + miss) if is_float else (start + miss) & (1 << width) - 1
        if is_float and not self.name.steady:
            miss = nearby(fixed(value) - fixed(last)) >> 13
        past.move(value, miss, m)
        return value

    def text(self, name):
        self.enter(name)
        kind, found, total = 16 + (context(self.path, self.name.key) & 15), bytearray(), 0
        while True:
            byte = self.history.byte(self.model, kind)
            self.put(byte, 8)
            if not byte:
                break
            if len(found) == 1 << 16:
                raise Damaged("a text does not end")
            found.append(byte)
            total = mix(total, byte)
        self.memory.push(self.name.key, total & WORD)
        return bytes(found)

    def octets(self, count):
        m = self.memory
        key = context(self.path, self.name.key, m.firsts[0])
        if len(m.data) >= 256 and key not in m.data:
            m.data.clear()
        before, found, p1, p2 = m.data.get(key, b""), bytearray(), 0, 0
        for at in range(count):
            if count > 1024:
                byte = self.history.byte(self.model, 4)
            else:
                z, then, guess = context(key, at), before[at] if at < len(before) else 0, m.guess()
                contexts = [context(z, 50), context(z, then, 51), context(z, then, p1, 52), context(key, p1, p2, 53), context(key, p1, 54), 0]
                byte = self.model.symbol(8, contexts, 60, guess if guess and guess[0] < 256 else None, True)
            self.put(byte, 8)
            m.push(key, byte)
            found.append(byte)
            p1, p2 = byte, p1
        m.data[key] = bytes(found[:1024])
        return bytes(found)
