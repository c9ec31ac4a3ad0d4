"""The baseline of throughput: the same HTTP server, coalescer and Ray, with nothing decided behind them.

    python -m bench.ray_http_echo PORT

`POST /echo` goes through one coalescer to one actor that answers each request of a batch with an empty reply.
"""

import itertools
import os
import sys

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from actors.coalescer import Coalescer
from actors.requests import OK, Answer, Request, pack_answers, unpack_requests


class Body(BaseModel):
    """As a search's."""

    query: str


def main(port: int) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import asyncio

    import ray

    ray.init(
        address="local",
        num_cpus=1,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        log_to_driver=False,
        logging_level="error",
        object_store_memory=80 * 1024 * 1024,
    )

    @ray.remote(num_cpus=0)
    class Echo:
        async def call(self, batch: bytes) -> bytes:
            return pack_answers(Answer(r.request_id, OK, {"query": r.args["query"]}) for r in unpack_requests(batch))

    echo = Echo.remote()

    async def call(batch: bytes) -> bytes:
        return await asyncio.wrap_future(echo.call.remote(batch).future())

    ids = itertools.count(1)
    coalescer = Coalescer(call)
    app = FastAPI()

    @app.post("/echo")
    async def answer(body: Body) -> object:
        return (await coalescer.ask(Request(next(ids), "bench", "search", {"query": body.query}))).value

    uvicorn.run(app, port=port, log_level="error", loop="uvloop", http="httptools")


if __name__ == "__main__":
    main(int(sys.argv[1]))
