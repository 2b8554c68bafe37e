"""The small model: slots of 16 bits, and guesses that are decisions of their own."""

from model import M64, Model, mix, squash

EXP_STEP = 1109488734420


def probabilities():
    upper, e = [], 1 << 40
    for _ in range(1024):
        upper.append((e << 32) // (e + (1 << 40)))
        e = e * EXP_STEP >> 40
    return [(1 << 32) - p for p in upper[:0:-1]] + upper


def rate(n):
    return 655 if n == 31 else 655360 // (10 * n + 14)


def trust(n):
    return 65536 - 58982 // (2 * n + 1) if n else 0


class Levels:
    """The level after a set bit, by uses and level."""

    def __init__(self):
        p = probabilities()
        middles = [p[at] + p[at + 1] >> 1 for at in range(2046)]
        self.after = []
        for n in range(32):
            row, nearest = [], 0
            for at in range(2047):
                moved = p[at] + (((1 << 32) - p[at]) * rate(n) >> 16)
                while nearest < 2046 and middles[nearest] <= moved:
                    nearest += 1
                row.append(nearest - 1023)
            self.after.append(row)

    def moved(self, slot, bit):
        level, n = slot
        row = self.after[n]
        return row[level + 1023] if bit else -row[1023 - level], min(n + 1, 31)


def chance(total):
    return squash(max(-2048, min(2047, total >> 13)) * 32 + 16)


def wrapped(weight):
    return (weight + (1 << 31) & 0xFFFFFFFF) - (1 << 31)


class Small(Model):
    levels = None

    def __init__(self, bits):
        super().__init__(bits, False)
        Small.levels = Small.levels or Levels()

    def bit(self, names, broad, fine):
        names = [name & self.mask for name in names]
        slots = [self.slots.get(name, (0, 0)) for name in names]
        logits = [level * 37 * (trust(n) >> 4) >> 15 for level, n in slots] + [256]
        sums = []
        for table, number in ((self.broad, broad % 2048), (self.fine, fine % 65536)):
            weights = table.setdefault(number, [7000000] * 11)
            total = sum(max(-32768, min(32767, weight >> 14)) * logit for weight, logit in zip(weights, logits))
            sums.append((weights, total))
        bit = self.code(chance((sums[0][1] >> 1) + (sums[1][1] >> 1)))
        for weights, total in sums:
            error = (bit << 16) - chance(total) >> 1
            if abs(error) > 1:
                for at, logit in enumerate(logits):
                    weights[at] = wrapped(weights[at] + (logit * error >> 5))
        for name, slot in zip(names, slots):
            self.slots[name] = self.levels.moved(slot, bit)
        return bit

    def is_guessed(self, guess, held, contexts, number):
        names = [mix(6 << 48, held), mix(contexts[0], 7 << 48 | held)]
        for at, tag in zip((0, 1, 2, 3, 4, 5, 6, 8), range(8, 16)):
            names.append(mix(contexts[min(at, len(contexts) - 2)], tag << 48 ^ guess & M64))
        return self.bit(names, 1024 + held, 64000 + number)

    def symbol(self, width, contexts, number, guess=None, guesses=False):
        if guess is not None and guess[1] >= 8:
            if self.is_guessed(*guess, contexts, number):
                return guess[0]
            guess = None
        return super().symbol(width, contexts, number, guess, guesses)

    def number(self, contexts, number, guess=None, guesses=False):
        if guess is not None and guess[1] >= 8:
            if self.is_guessed(*guess, contexts, number):
                return guess[0]
            guess = None
        return super().number(contexts, number, guess, guesses)
