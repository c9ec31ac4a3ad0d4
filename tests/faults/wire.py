"""A proxy between host and store that delays, cuts, stalls, refuses or repeats."""

import asyncio
import contextlib
import threading
from pathlib import Path

CHUNK = 65_536


class Wire:
    """Listens on a unix socket and passes bytes on. `fault` may change while it runs; it runs in a thread of its own.

    "" passes everything on, "delay" holds every reply for 300 ms, "cut" closes after `bytes_left` more bytes of
    replies, "stall" swallows replies, "refuse" closes at once, "twice" sends every request a second time.
    """

    def __init__(self, socket: Path, target: Path) -> None:
        self.socket = socket
        self.fault = ""
        self.bytes_left = 0
        self._target = str(target)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._pairs: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._stop = asyncio.Event()

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> "Wire":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def cut_all(self) -> None:
        """Close every connection that is open now."""
        self._loop.call_soon_threadsafe(lambda: [writer.close() for writer in list(self._pairs)])

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(5)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # Its end cancels what is still open.
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        server = await asyncio.start_unix_server(self._serve, str(self.socket))
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.fault == "refuse":
            writer.close()
            return
        try:
            back, forth = await asyncio.open_unix_connection(self._target)
        except OSError:
            writer.close()
            return
        self._pairs |= {writer, forth}
        try:
            await asyncio.gather(self._requests(reader, forth), self._replies(back, writer))
        finally:
            self._pairs -= {writer, forth}
            writer.close()
            forth.close()

    async def _requests(self, reader: asyncio.StreamReader, forth: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                forth.write(data)
                if self.fault == "twice" and b"rearview_append" in data:
                    await self._once_more(data)
                await forth.drain()
        forth.close()

    async def _once_more(self, data: bytes) -> None:
        """The same bytes on a connection of their own, as a network that repeats a request does."""
        back, forth = await asyncio.open_unix_connection(self._target)
        forth.write(data)
        await back.read(16)
        forth.close()

    async def _replies(self, back: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await back.read(CHUNK):
                if self.fault == "delay":
                    await asyncio.sleep(0.3)
                elif self.fault == "stall":
                    continue
                elif self.fault == "cut":
                    data, self.bytes_left = data[: self.bytes_left], self.bytes_left - len(data)
                    if self.bytes_left <= 0:
                        writer.write(data)
                        break
                writer.write(data)
                await writer.drain()
        writer.close()
