"""The quick model: bits by three contexts."""

from model import M64, Bytes, Model, context, squash, stretch

TRUST = [0] + [256 - 1536 // (10 * min(n, 30) + 5) for n in range(1, 128)]


def place(c, g):
    return (c + g * 0x9E3779B97F4A7C15 & M64) * 0xD6E8FEB86659FD93 >> 32 & 0xFFFFFFFF


def logit(slot):
    p, n = slot
    return max(-32767, min(32767, stretch((p >> 8) << 10 | 512))) * TRUST[n] >> 12


def moved(slot, bit):
    p, n = slot
    return p + (((1048575 if bit else 0) - p) * (20480 // (10 * n + 16)) >> 11), min(n + 1, 127)


def chosen(contexts):
    count = len(contexts)
    numbers = {1: (0, 0, 0), 2: (0, 1, 1), 3: (0, 1, 2), 6: (1, 2, 3), 9: (2, 3, 7)}.get(count, (1, 2, count - 1))
    return [contexts[number] for number in numbers]


def before_guess(contexts):
    return [contexts[min(number, len(contexts) - 1)] for number in (0, 1, 2)]


class Quick(Model):
    def __init__(self, bits):
        super().__init__(bits, True)
        self.lines = (1 << max(12, min(18, bits - 4))) - 1
        self.weights = {}

    def mixed(self, names, weights):
        slots = [self.slots.get(name, (1 << 19, 0)) for name in names]
        logits = [logit(slot) for slot in slots]
        weights = self.weights.setdefault(weights, [26214] * 3)
        total = sum(weight * logit for weight, logit in zip(weights, logits))
        one = squash(max(-2048, min(2047, total >> 17)) * 32)
        bit = self.code(one)
        miss = (bit << 16) - one
        if abs(miss) > 64:
            for at, logit_here in enumerate(logits):
                weights[at] = max(-(1 << 18), min(1 << 18, weights[at] + (miss * logit_here + (1 << 13) >> 14)))
        for name, slot in zip(names, slots):
            self.slots[name] = moved(slot, bit)
        return bit

    def group(self, width, contexts, g, number):
        lines = [place(c, g) & self.lines for c in contexts]
        node = 1
        for _ in range(width):
            node = node * 2 + self.mixed([("line", line, node) for line in lines], ("group", number % 1024, node))
        return node - (1 << width)

    def group_of_one(self, width, line):
        node = 1
        for _ in range(width):
            name = ("line", line & self.lines, node)
            slot = self.slots.get(name, (1 << 19, 0))
            bit = self.code(max(1, min(65535, slot[0] >> 4)))
            self.slots[name] = moved(slot, bit)
            node = node * 2 + bit
        return node - (1 << width)

    def decision(self, places, number):
        return self.mixed([("decision", place % (1 << 18)) for place in places], ("decision", number % 4096))

    def flag(self, contexts, broad, fine):
        return self.decision([c >> 32 for c in chosen(contexts)], fine)

    def is_guessed(self, guess, held, contexts):
        places = [place(held, 6 << 48), place(contexts[0], 7 << 48 | held), place(contexts[1], 8 << 48 | guess & M64)]
        return self.decision(places, 2048 + held)

    def symbol(self, width, contexts, number, guess=None, guesses=False):
        contexts = before_guess(contexts) if guesses else chosen(contexts)
        if guess is not None and self.is_guessed(*guess, contexts):
            return guess[0]
        left, found = width, 0
        while left:
            take = left % 4 or 4
            found = found << take | self.group(take, contexts, 1 + left + (found << 8), number)
            left -= take
        return found

    def number(self, contexts, number, guess=None, guesses=False):
        contexts = before_guess(contexts) if guesses else chosen(contexts)
        if guess is not None and self.is_guessed(*guess, contexts):
            return guess[0]
        kind = self.group(4, contexts, 2 << 48, number)
        if kind == 0:
            return 0
        behind = min(3, kind - 1)
        second = self.group(behind + 1, contexts, 3 << 48 | kind, number + 1)
        negative = second >> behind
        length, take = kind, behind
        if kind >= 10:
            longer, take = second >> 2 & 1, 2
            length = 2 * kind - 10 + longer
            if kind == 15 and longer:
                high = self.group_of_one(3, place(number, 6 << 48))
                length = min(40, 21 + 4 * high + self.group_of_one(2, place(number, 7 << 48)))
        found = 1 << take | second & (1 << take) - 1
        left, depth = length - 1 - take, 0
        while left:
            take = min(4, left)
            left -= take
            if depth < 2:
                part = self.group(take, contexts, 4 << 48 | left << 40 | found << 2 | negative, number + 2)
            else:
                part = self.group_of_one(take, place(number, 5 << 48 | left << 8 | length))
            found = found << take | part
            depth += 1
        return -found if negative else found


class QuickBytes(Bytes):
    def byte(self, model, kind):
        last = self.last
        contexts = [context(11, last(1), kind), context(12, last(2)), context(14, last(4))]
        expected = self.expected()
        if expected and model.is_guessed(expected[0], 32 + expected[1], contexts):
            found = expected[0]
        else:
            found = model.symbol(8, contexts, 60)
        self.push(found)
        return found
