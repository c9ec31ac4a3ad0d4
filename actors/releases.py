"""Which release a host runs. Detached hosts outlive the service that started them, and with it an upgrade.

A service that finds hosts of an older release ends them in good order and starts its own; one that finds newer hosts
refuses, so that two services in the middle of a rolling upgrade do not end each other's hosts in turns.
"""

from engine.errors import Unavailable

NEWER_HOSTS = "newer_hosts"


def _numbers(release: str) -> tuple[int, ...]:
    """The leading numbers of a release such as 1.4.0; () for a host so old that it does not know its own."""
    numbers = []
    for part in release.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def must_be_replaced(theirs: str, ours: str) -> bool:
    """Whether a host of release `theirs` must give way to one of `ours`.

    Raises: Unavailable with code "newer_hosts" when it is this process that must give way.
    """
    if theirs == ours:
        return False
    if _numbers(theirs) > _numbers(ours):
        raise Unavailable.of(
            f"The hosts in this Ray cluster run release {theirs}, this service is {ours}: upgrade this service.",
            code=NEWER_HOSTS,
        )
    return True
