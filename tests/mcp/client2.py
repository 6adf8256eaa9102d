"""The official client of both eras, PyPI's mcp 2.3: client2.py URL legacy|auto"""

import sys

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

import steps


async def pages(client):
    """All pages of tools/list."""
    page = await client.list_tools()
    yield page
    while page.next_cursor is not None:
        page = await client.list_tools(cursor=page.next_cursor)
        yield page


async def main(url, mode):
    wire, seen = [], {}
    async with httpx2.AsyncClient(headers=steps.HEADERS, event_hooks=steps.watch(wire), timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            seen["version"] = client.protocol_version
            seen["tools"] = steps.tools_of([page async for page in pages(client)])
            await steps.play(seen, wire, client.call_tool, MCPError)
            steps.report(seen, client.server_info, client.server_capabilities)


anyio.run(main, *sys.argv[1:])
