"""Random draws of our own: the same words from a seed with every NumPy release."""

from __future__ import annotations

import numpy as np


class Stream:
    """Fair draws from a PCG64's raw words, which every NumPy release draws alike."""

    def __init__(self, seed: int, *key: int) -> None:
        """Seed the stream that `key` spawns from `seed`."""
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1, each as likely as the others."""
        # The words beyond the last whole multiple of n would favour low numbers.
        limit = 2**64 - 2**64 % n
        while (word := int(self._bits.random_raw())) >= limit:
            pass
        return word % n

    def throw(self) -> tuple[int, int]:
        """Return two dice."""
        both = self.below(36)
        return both // 6 + 1, both % 6 + 1
