"""Small whole numbers mapped to others, as one array: a hundred look-ups cost what five cost in a dict, and an entry
8 bytes instead of a hundred. For keys that count upwards: the array is as long as the highest key.
"""

import numpy as np

from engine.memory import Int64Array

NOWHERE = -1
_EMPTY: Int64Array = np.empty(0, dtype=np.int64)


class Places:
    """A map from keys of 0 and above to values of 0 and above."""

    __slots__ = ("_count", "_values")

    def __init__(self) -> None:
        self._values = _EMPTY
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def of(self, key: int) -> int:
        """The value of a key, NOWHERE without one."""
        return int(self._values[key]) if 0 <= key < len(self._values) else NOWHERE

    def of_many(self, keys: Int64Array) -> Int64Array:
        """The same for many keys. Shapes: (n,) -> (n,)."""
        if len(keys) == 0 or int(keys.max()) < len(self._values):
            return self._values[keys]
        found = np.full(len(keys), NOWHERE, dtype=np.int64)
        inside = keys < len(self._values)
        found[inside] = self._values[keys[inside]]
        return found

    def put(self, key: int, value: int) -> None:
        """Map a key to a value, whatever it was mapped to."""
        self._reserve(key)
        self._count += int(self._values[key] == NOWHERE)
        self._values[key] = value

    def put_many(self, keys: Int64Array, values: Int64Array) -> None:
        """The same for many keys that all differ and are mapped to nothing yet."""
        if len(keys):
            self._reserve(int(keys.max()))
            self._values[keys] = values
            self._count += len(keys)

    def move(self, keys: Int64Array, values: Int64Array) -> None:
        """Map keys that are mapped already to other values."""
        self._values[keys] = values

    def drop(self, key: int) -> None:
        """Map a key to nothing; one that is mapped to nothing is no error."""
        if self.of(key) != NOWHERE:
            self._values[key] = NOWHERE
            self._count -= 1

    @property
    def nbytes(self) -> int:
        """What the array takes."""
        return self._values.nbytes

    def _reserve(self, key: int) -> None:
        if key >= len(self._values):
            grown = np.full(max(8, key + 1, len(self._values) * 5 // 4), NOWHERE, dtype=np.int64)
            grown[: len(self._values)] = self._values
            self._values = grown
