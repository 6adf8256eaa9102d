# A stream proxy between the service and a server of its, which can slow down, stall or cut what goes through it. A process of
# its own (`python proxy.py LISTEN TARGET`, Unix sockets), which takes its modes as lines of standard input.

import asyncio
import contextlib
import subprocess
import sys
from pathlib import Path

PASS, STALL, CUT = "pass", "stall", "cut"  # or a number: seconds that each piece takes longer
_PIECE = 65536


class Proxy:
    """A running proxy that forwards `listen` to `target`, both paths of Unix sockets. A context manager."""

    def __init__(self, listen, target):
        self._process = subprocess.Popen([sys.executable, __file__, str(listen), str(target)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        if self._process.stdout.readline() != "ready\n":
            self.close()
            raise AssertionError(f"no proxy at {listen}")

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
        writer.transport.abort()


async def _serve(listen, target):
    switch = _Switch()

    async def accept(reader, writer):
        await switch.open.wait()
        if switch.refuses:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_unix_connection(target)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, back}
        switch.writers |= both
        await asyncio.gather(switch.pump(reader, back), switch.pump(there, writer))
        switch.writers -= both

    loop = asyncio.get_running_loop()
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    Path(listen).unlink(missing_ok=True)
    async with await asyncio.start_unix_server(accept, listen):
        print("ready", flush=True)
        while line := await commands.readline():
            switch.set(line.decode().strip())


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
