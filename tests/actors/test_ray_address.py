"""An address where no cluster answers is said so at once, before Ray is loaded."""

import socket
from typing import cast

import pytest

from actors.ray_runtime import HostSpec, connect
from engine.errors import Unavailable


def a_free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_address_where_nobody_answers_is_named(host: str) -> None:
    address = f"{host}:{a_free_port()}"
    with pytest.raises(Unavailable, match=address):
        connect(cast(HostSpec, None), address=address)
