"""Many writes in a row over HTTP, faster than the model can follow: are they found at once, and who waits for whom?

python -m bench backlog [--memories 10000] [--calls 300]

Every write is a liking that differs from all others, so that none replaces another. Now and then one on a topic of its
own goes in and is asked for before the next one: by a word of its own, and in the other language, where only the vector
can find it. Then searches while the queue of vectors is full are held against the same searches after it has drained.
"""

import itertools
import json
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from bench.latency import settle
from bench.loads import Caller, Timing, timed
from tests.service import running

TOPICS = (
    ("I love playing the violin", "小提琴"),
    ("I enjoy growing tomatoes in my greenhouse", "温室里种西红柿"),
    ("I like baking sourdough bread", "烤酵母面包"),
    ("I adore looking at stars through my telescope", "用望远镜看星星"),
    ("I like keeping bees", "养蜂"),
    ("I love playing chess at the club", "国际象棋俱乐部"),
    ("I like sailing on the sea", "出海航行"),
    ("I enjoy painting portraits", "画肖像画"),
    ("I love swimming in the pool", "在游泳池游泳"),
    ("I like reading detective novels", "侦探小说"),
)
DISHES = ("noodle", "soup", "curry", "salad", "pie", "stew", "dumpling")
SHOPS = ("station", "harbour", "market", "bridge", "square")
PATH = "/v1/users/bench"


def backlog(writes: int, calls: int) -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory(prefix="rv-bench-") as name, running(Path(name) / "data") as service:
        assert service.ready is not None
        caller = Caller(service.ready.url, service.token)
        _written(caller, writes)
        waiting = _waiting(service.ready.url, service.token)
        full = timed(lambda: _search(caller, "which soup at the harbour?"), calls)
        left = _waiting(service.ready.url, service.token)
        print(f"{'search while vectors are made':36} {full}  {waiting} to {left} waited", flush=True)
        started = time.perf_counter()
        settle(service.ready.url, service.token, seconds=3600)
        seconds = time.perf_counter() - started
        print(f"{'queue drained':36} {left / max(seconds, 0.5):.1f} vectors a second")
        drained = timed(lambda: _search(caller, "which soup at the harbour?"), calls)
        note = f"p50 {full.p50 / drained.p50:.2f} x, p99 {full.p99 / drained.p99:.2f} x while they were made"
        print(f"{'search afterwards':36} {drained}  {note}", flush=True)


def _written(caller: Caller, writes: int) -> None:
    every = max(1, writes // len(TOPICS))
    seconds: list[float] = []
    found = {"first by word": 0, "by vector": 0, "among the first 8 by vector": 0}
    topics = iter(TOPICS)
    for number, text in enumerate(itertools.islice(_likings(), writes)):
        started = time.perf_counter()
        reply = caller.post(PATH + "/memories", {"content": text})
        seconds.append(time.perf_counter() - started)
        assert reply["outcome"] == "stored", reply
        if number % every == every - 1:
            said, asked = next(topics)
            code = f"Z{number:05d}X"
            memory = caller.post(PATH + "/memories", {"content": f"{said}, reference {code}."})["memory"]
            found["word"] += _search(caller, code)[0]["id"] == memory["id"]
            found["vector"] += memory["id"] in [hit["id"] for hit in _search(caller, asked)]
    print(f"{f'{writes} writes in a row':36} {Timing.of(seconds)}", flush=True)
    print(
        f"{'found at once, of ' + str(len(TOPICS)):36} {found['word']} by word, {found['vector']} by vector", flush=True
    )


def _likings() -> Iterator[str]:
    for number in itertools.count():
        dish, shop = DISHES[number % len(DISHES)], SHOPS[number // len(DISHES) % len(SHOPS)]
        yield f"I like the {dish} number {number} of the place at the {shop}."


def _search(caller: Caller, query: str, top_k: int = 8) -> list[dict]:
    return list(caller.post(PATH + "/search", {"query": query, "top_k": top_k, "min_relevance": 0.0})["memories"])


def _waiting(url: str, token: str) -> int:
    request = urllib.request.Request(f"{url}{PATH}/stats", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(json.loads(answer.read())["vectors_pending"])
