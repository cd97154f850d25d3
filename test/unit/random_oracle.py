# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers as docs/random.md defines them, written again with NumPy alone."""

import numpy as np

_ROTATIONS = [[13, 15, 26, 6], [17, 29, 16, 24]]


def threefry(key, counter, rounds=20):
    """Threefry-2x32 by the description of Salmon and others, on arrays of uint64."""
    low = np.uint64(0xFFFFFFFF)
    k = [np.uint64(key[0]), np.uint64(key[1])]
    k.append(np.uint64(0x1BD11BDA) ^ k[0] ^ k[1])
    x = [(np.asarray(c, np.uint64) + k[i]) & low for i, c in enumerate(counter)]
    for number in range(rounds):
        bits = _ROTATIONS[number // 4 % 2][number % 4]
        x[0] = (x[0] + x[1]) & low
        x[1] = ((x[1] << np.uint64(bits)) | (x[1] >> np.uint64(32 - bits))) & low
        x[1] ^= x[0]
        if number % 4 == 3:
            turn = number // 4 + 1
            x[0] = (x[0] + k[turn % 3]) & low
            x[1] = (x[1] + k[(turn + 1) % 3] + np.uint64(turn)) & low
    return x


class Oracle:
    """A generator of a seed; each method takes one draw or two."""

    def __init__(self, seed):
        self.key = np.random.SeedSequence(seed).generate_state(2, np.uint32).tolist()
        self.number = 0

    def block(self, n):
        """The words of n elements, as uint64."""
        found = threefry(self.key, (np.arange(n), np.full(n, self.number)))
        self.number += 1
        return found

    def whole(self, n):
        """53 bits of each element."""
        first, second = self.block(n)
        return (second >> np.uint64(5)) * np.uint64(1 << 26) + (first >> np.uint64(6))

    def random(self, n, dtype):
        if dtype == "float64":
            return self.whole(n) * 2.0**-53
        bits = {"float32": 24, "float16": 11, "bfloat16": 8}[dtype]
        return (self.block(n)[0] >> np.uint64(32 - bits)) * 2.0**-bits

    def logarithm(self, n, dtype):
        """Of a fraction in (0, 1], and the words."""
        if dtype == "float64":
            return np.log((self.whole(n) + 1.0) * 2.0**-53), None
        first, second = self.block(n)
        whole = first.astype(np.float32) + np.float32(0.5)
        return np.log((whole * np.float32(2.0**-32)).astype(np.float64)), second

    def exponential(self, n, dtype):
        return 0.0 - self.logarithm(n, dtype)[0]

    def normal(self, n, dtype):
        """The elements, and the radii, which errors are measured by."""
        log, second = self.logarithm(n, dtype)
        radius = np.sqrt(-2 * log)
        if dtype == "float64":
            angle = self.whole(n) * (2 * np.pi * 2.0**-53)
        else:
            whole = (second >> np.uint64(8)).astype(np.float32)
            angle = (whole * np.float32(2 * np.pi * 2.0**-24)).astype(np.float64)
        return radius * np.cos(angle), radius

    def integers(self, low, high, n):
        """Python's ints from low up to, not including, high."""
        count = high - low
        first, second = (w.tolist() for w in self.block(n))
        words = [b << 32 | a for a, b in zip(first, second, strict=True)]
        if count == 1 << 64:
            return [low + w for w in words]
        if count <= 1 << 32:
            return [low + (w * count >> 64) for w in words]
        first, second = (w.tolist() for w in self.block(n))
        more = [(b << 32 | a) << 64 | w for a, b, w in zip(first, second, words, strict=True)]
        return [low + (w * count >> 128) for w in more]

    def bernoulli(self, p, n):
        return (self.block(n)[0] >> np.uint64(1)) < round(p * 2**31)
