# A stream proxy between the service and a server of its, which can slow down, stall or cut what goes through it. A process of
# its own (`python proxy.py LISTEN TARGET...`, each the path of a Unix socket or HOST:PORT), which takes its modes as lines of
# standard input.

import asyncio
import contextlib
import functools
import subprocess
import sys
from pathlib import Path

PASS, STALL, CUT = "pass", "stall", "cut"  # or a number: seconds that each piece takes longer
_PIECE = 65536


class Proxy:
    """A running proxy that forwards by these ways, pairs of where it listens and where that leads; its mode is that of all
    of them. A context manager."""

    def __init__(self, *ways):
        places = [str(place) for way in ways for place in way]
        self._process = subprocess.Popen([sys.executable, __file__, *places], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
        if self._process.stdout.readline() != "ready\n":
            self.close()
            raise AssertionError(f"no proxy by {ways}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._process.kill()
        self._process.communicate()

    def set(self, mode):
        """Pass everything on, hold everything back, cut all connections and refuse new ones, or be so many seconds slow."""
        self._process.stdin.write(f"{mode}\n")
        self._process.stdin.flush()


class _Switch:
    """The mode in force, and the connections that a cut has to end."""

    def __init__(self):
        self.delay = 0.0
        self.open = asyncio.Event()
        self.open.set()
        self.refuses = False
        self.writers = set()

    def set(self, mode):
        self.refuses = mode == CUT
        self.delay = float(mode) if mode not in (PASS, STALL, CUT) else 0.0
        if mode == STALL:
            self.open.clear()
            return
        if mode == CUT:
            for writer in self.writers:
                writer.transport.abort()
        self.open.set()

    async def pump(self, reader, writer):
        with contextlib.suppress(OSError):
            while piece := await reader.read(_PIECE):
                if self.delay:
                    await asyncio.sleep(self.delay)
                await self.open.wait()
                writer.write(piece)
                await writer.drain()
        await self.open.wait()  # of an end, too, nobody hears while all is held back
        writer.transport.abort()

    async def forward(self, target, reader, writer):
        """All of one connection."""
        await self.open.wait()
        if self.refuses:
            writer.transport.abort()
            return
        try:
            there, back = await _connect(target)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, back}
        self.writers |= both
        await asyncio.gather(self.pump(reader, back), self.pump(there, writer))
        self.writers -= both


def _connect(place):
    if place.startswith("/"):
        return asyncio.open_unix_connection(place)
    return asyncio.open_connection(*place.split(":"))


def _listen(place, accept):
    if place.startswith("/"):
        Path(place).unlink(missing_ok=True)
        return asyncio.start_unix_server(accept, place)
    return asyncio.start_server(accept, *place.split(":"))


async def _serve(*places):
    switch = _Switch()
    loop = asyncio.get_running_loop()
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    async with contextlib.AsyncExitStack() as servers:
        for listen, target in zip(places[::2], places[1::2]):
            await servers.enter_async_context(await _listen(listen, functools.partial(switch.forward, target)))
        print("ready", flush=True)
        while line := await commands.readline():
            switch.set(line.decode().strip())


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
