"""What can travel to a host and into the journal, for every door that takes JSON."""

from math import isfinite

INTEGER_BITS_MAX = 63


def travels(value: object) -> bool:
    """Whether a value fits the wire and the journal: whole numbers have 64 bits there, and numbers are finite.

    Checked here, because requests of several callers share one message to a host, and one that cannot be packed must
    not spoil the others.
    """
    if isinstance(value, bool):
        return True
    if isinstance(value, int):
        return value.bit_length() <= INTEGER_BITS_MAX
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict):
        return all(travels(inner) for inner in value.values())
    if isinstance(value, list):
        return all(travels(inner) for inner in value)
    return True
