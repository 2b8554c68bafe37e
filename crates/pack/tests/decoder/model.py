"""The arithmetic coder, the models that drive it, symbols and numbers, and the history of bytes."""

import functools

M64 = (1 << 64) - 1


class Damaged(Exception):
    pass


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


def learn(weights, logits, miss):
    for at, logit in enumerate(logits):
        weights[at] = max(-(1 << 22), min(1 << 22, weights[at] + ((miss * logit + (1 << 23)) >> 24)))


def moved(state, bit):
    p, n = state
    p = p + (((1 << 22) - 1 - p) * RATE[n] >> 16) if bit else p - (p * RATE[n] >> 16)
    return p, min(n + 1, 255)


class Model:
    def __init__(self, bits, quick):
        self.mask, self.quick = (1 << bits) - 1, quick
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
        sets = [(self.fine, fine % 65536)]
        if self.quick:
            last = len(names) - 1
            names = [names[min(1, last)], names[min(2, last)], names[min(4, last)], names[last]]
        else:
            sets.insert(0, (self.broad, broad % 1024))
        names = [name & self.mask for name in names]
        states = [self.slots.get(name, (1 << 21, 0)) for name in names]
        logits = [stretch(p) * TRUST[n] >> 16 for p, n in states]
        if not self.quick:
            logits.append(1229)
        sums = []
        for table, number in sets:
            weights = table.get(number)
            if weights is None:
                weights = table[number] = [19661] * 11
            # the weight of what is always there stands behind those of the slots
            total = sum(weight * logit for weight, logit in zip(weights, logits)) >> 16
            sums.append((weights, max(-(1 << 20), min(1 << 20, total))))
        bit = self.code(squash(sum(total for _, total in sums) >> len(sums) - 1))
        for weights, total in sums:
            miss = ((bit << 16) - squash(total)) * 61
            learn(weights, logits, miss)
        for name, state in zip(names, states):
            self.slots[name] = moved(state, bit)
        return bit

    def flag(self, contexts, broad, fine):
        return self.bit(contexts, broad, fine)

    def symbol(self, width, contexts, number, guess=None, guesses=False):
        """A symbol of `width` bits. `guess` is a value and how far it is trusted; `guesses` says that there may be one."""
        left, found = width, 0
        while left:
            take = left % 4 or 4
            lines = lines_of(contexts, 1 + left + (found << 8))
            left -= take
            node = 1
            for at in range(left + take - 1, left - 1, -1):
                names = [line | node for line in lines]
                if guesses:
                    agrees = guess is not None and guess[0] >> (at + 1) == found
                    names[-1] = context(20, guess[1], guess[0] >> at & 1) if agrees else context(21, number)
                bit = self.bit(names, number, number * 64 + at)
                node, found = node << 1 | bit, found << 1 | bit
        return found

    def number(self, contexts, number, guess=None, guesses=False):
        value, trust = guess if guess is not None else (0, 0)
        amount, right = abs(value), guess is not None

        def decide(lines, node, expected, broad, fine):
            names = [line | node for line in lines]
            if guesses:
                names[-1] = context(20, trust, expected) if right else context(21, number)
            return self.bit(names, broad, fine)

        length, lines = 0, lines_of(contexts, 2 << 48)
        while length < 40:
            if length in (15, 30):
                lines = lines_of(contexts, 2 << 48 | length)
            ends = amount.bit_length() == length
            bit = decide(lines, 1 + length % 15, int(ends), number, number * 64 + length)
            right = right and bit == ends
            if bit:
                break
            length += 1
        if length == 0:
            return 0
        negative = decide(lines_of(contexts, 3 << 48 | length), 1, int(value < 0), number + 1, number * 64 + 41)
        right = right and negative == (value < 0)
        found, node = 1, 1
        lines = lines_of(contexts, 4 << 48 | length << 1 | negative)
        for at in range(length - 2, -1, -1):
            d = length - 2 - at
            if d and d % 4 == 0:
                node = 1
                if d < 12:
                    lines = lines_of(contexts, 4 << 48 | found << 8 | length << 1 | negative)
                else:
                    lines = [mix(k, 5 << 48 | number << 16 | length << 8 | at) & 0xFFFFFFF0 for k in range(len(contexts))]
            expected = amount >> at & 1
            bit = decide(lines, node, expected, number + 2, number * 64 + 42 + min(d, 20))
            right = right and bit == expected
            node, found = node << 1 | bit, found << 1 | bit
        return -found if negative else found


def lines_of(contexts, group):
    return [mix(c, (group << 4 | k) & M64) & 0xFFFFFFF0 for k, c in enumerate(contexts)]


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
                bit = model.bit([line | node for line in lines] + [repeated], 900 + far, 57600 + found)
                node, found = node << 1 | bit, found << 1 | bit
        self.push(found & 255)
        return found & 255

    def counted(self, model, kind, most):
        count = model.number([context(30, kind), context(31)], 0)
        if not 0 <= count <= most:
            raise Damaged("there are too many bytes")
        return bytes(self.byte(model, kind) for _ in range(count))

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


class Passage:
    def __init__(self, alike):
        self.alike, self.places, self.place, self.held = alike, {}, 0, 0
        self.right, self.wrong = {}, {}

    def far(self):
        return self.held if self.held < 16 else 16 + min(15, (self.held - 16) // 8)

    def push(self, data):
        count = len(data)
        if self.held:
            self.held = self.held + 1 if data[self.place] == data[-1] else 0
            self.place += 1
        if count < self.alike:
            return
        key = mix(self.alike, int.from_bytes(data[-self.alike :], "big")) % (1 << 19)
        before = self.places.get(key, 0)
        self.places[key] = count
        if not self.held and before and count - before < (1 << 23) - 32:
            alike = 0
            while alike < min(32, before) and data[before - 1 - alike] == data[count - 1 - alike]:
                alike += 1
            if alike >= self.alike:
                self.place, self.held = before, alike


class Deep:
    """The larger model of bytes. Its bits go through the coder of `model`."""

    def __init__(self, bits):
        self.lines = 1 << min(bits, 22) - 4
        self.checks, self.slots = {}, {}
        self.sets = [{}, {}, {}, {}]
        self.curves = [{}, {}]
        self.all, self.word = bytearray(), 0
        self.passages = [Passage(3), Passage(6)]
        self.after_two, self.after_three = {}, {}

    counted = Bytes.counted

    def last(self, count):
        return int.from_bytes(self.all[-count:], "big")

    def line(self, key):
        at, check = key % self.lines, key >> 40 & 0xFFFF | 1
        for place in (at, at ^ 1):
            if self.checks.get(place) == check:
                return place
        uses = [self.slots.get(place << 4 | 1, (0, 0))[1] for place in (at, at ^ 1)]
        place = at if at not in self.checks or uses[0] <= uses[1] else at ^ 1
        self.checks[place] = check
        for slot in range(16):
            self.slots.pop(place << 4 | slot, None)
        return place

    def byte(self, model, kind):
        last = self.last
        three = mix(3, last(3)) % (1 << 19)
        contexts = [
            context(1, last(1), kind),
            context(2, last(2)),
            context(3, last(3)),
            context(4, last(4)),
            context(5, last(6)),
            context(6, self.word, last(1)),
            context(7, last(3) >> 8),
            context(8, last(3) >> 16, last(4) >> 24),
            context(9, last(4) >> 8),
            context(10, self.after_two.get(last(2), 0), last(1)),
            context(11, self.after_three.get(three, 0), last(1)),
        ]
        guesses = [self.all[passage.place] if passage.held else None for passage in self.passages]
        fars = [passage.far() for passage in self.passages]
        found, two, pair = 1, last(2) >> 8, last(2)
        for at in range(7, -1, -1):
            if at in (7, 3):
                lines, node = [self.line(mix(c, found)) for c in contexts], 1
            expected = [guess >> at & 1 if guess is not None and (guess | 256) >> (at + 1) == found else None for guess in guesses]
            first = 0 if expected[0] is None else expected[0] + 1
            tables = [(self.slots, line << 4 | node) for line in lines]
            for passage, far, bit in zip(self.passages, fars, expected):
                tables.append((passage.wrong, found) if bit is None else (passage.right, far << 1 | bit))
            numbers = [max(fars), found, last(1) << 8 | found, two * 3 + first]
            bit = self.bit(model, tables, numbers, [max(fars) * 3 + first << 8 | found, mix(found, pair) & 0xFFFF])
            found, node = found << 1 | bit, node << 1 | bit
        self.push(found & 255, three)
        return found & 255

    def bit(self, model, tables, numbers, curves):
        states = [table.get(at, (1 << 21, 0)) for table, at in tables]
        logits = [stretch(p) * TRUST[n] >> 16 for p, n in states] + [1229]
        sums = []
        for table, number in zip(self.sets, numbers):
            weights = table.setdefault(number, [12639] * 14)
            total = sum(weight * logit for weight, logit in zip(weights, logits)) >> 16
            sums.append((weights, max(-(1 << 20), min(1 << 20, total))))
        mean = sum(total for _, total in sums) >> 2
        low, part = divmod(max(-24575, min(24575, mean)) + 24576, 1536)
        found = [table.setdefault(at, CURVE[:]) for table, at in zip(self.curves, curves)]
        one = 2 * squash(mean) + sum((curve[low] * (1536 - part) + curve[low + 1] * part) // 1536 for curve in found) >> 2
        bit = model.code(max(1, min(65535, one)))
        for weights, total in sums:
            learn(weights, logits, ((bit << 16) - squash(total)) * 122)
        nearest = low + 1 if part >= 768 else low
        for curve in found:
            curve[nearest] += 65535 - curve[nearest] >> 6 if bit else -(curve[nearest] >> 6)
        for (table, at), state in zip(tables, states):
            table[at] = moved(state, bit)
        return bit

    def push(self, byte, three):
        for table, at in ((self.after_two, self.last(2)), (self.after_three, three)):
            table[at] = table.get(at, 0) << 8 & 0xFFFF | byte
        self.all.append(byte)
        self.word = mix(self.word, byte) if byte < 128 and chr(byte).isalnum() else 0
        for passage in self.passages:
            passage.push(self.all)


CURVE = [squash((at - 16) * 1536) for at in range(33)]
