"""The official client of the handshake era, PyPI's mcp 1.30: client1.py URL"""

import sys

import anyio
import httpx
from mcp import ClientSession, McpError, types
from mcp.client.streamable_http import streamable_http_client

import steps


async def pages(session):
    """All pages of tools/list."""
    cursor = None
    while True:
        page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        yield page
        cursor = page.nextCursor
        if cursor is None:
            return


async def main(url):
    wire, seen = [], {}
    async with (httpx.AsyncClient(headers=steps.HEADERS, event_hooks=steps.watch(wire), timeout=60) as http,
                streamable_http_client(url, http_client=http) as (read, write, _), ClientSession(read, write) as session):
        opened = await session.initialize()
        seen["version"] = opened.protocolVersion
        seen["tools"] = steps.tools_of([page async for page in pages(session)])

        async def cancelled():
            # This client ends its wait alone; who waits no longer has to say so.
            number = session._request_id - 1  # pylint: disable=protected-access
            await session.send_notification(types.ClientNotification(types.CancelledNotification(
                params=types.CancelledNotificationParams(requestId=number, reason="enough"))))
        await steps.play(seen, wire, session.call_tool, McpError, cancelled)
        steps.report(seen, opened.serverInfo, opened.capabilities)


anyio.run(main, sys.argv[1])
