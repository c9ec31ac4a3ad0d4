"""An address where no cluster answers is said so at once, before Ray is loaded."""

import asyncio
import socket
from typing import cast

import pytest

from actors.ray_address import answers
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


async def test_a_cluster_that_has_gone_is_told_from_one_that_is_there() -> None:
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    assert await answers(f"127.0.0.1:{port}")
    server.close()
    await server.wait_closed()
    assert not await answers(f"127.0.0.1:{port}")
    assert await answers("auto"), "a form that Ray alone understands"
    assert await answers(""), "no cluster of somebody else's"
