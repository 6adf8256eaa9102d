"""The OAuth flow of PyPI's mcp 2.3, from nothing: oauth2.py URL. It prints where its user has to go, and reads from its input
where the service sent them; then it prints what it saw."""

import json
import sys
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata


class Storage:
    """What a client keeps, in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def redirect(url):
    print(url, flush=True)


async def callback():
    line = await anyio.to_thread.run_sync(sys.stdin.readline)
    sent = {name: value[0] for name, value in parse_qs(urlsplit(line.strip()).query).items()}
    return AuthorizationCodeResult(code=sent["code"], state=sent.get("state"), iss=sent.get("iss"))


async def main(url):
    storage = Storage()
    metadata = OAuthClientMetadata(client_name="The SDK", redirect_uris=["http://127.0.0.1:4711/callback"],
                                   grant_types=["authorization_code", "refresh_token"], response_types=["code"],
                                   token_endpoint_auth_method="none")
    auth = OAuthClientProvider(url, metadata, storage, redirect, callback)
    async with httpx2.AsyncClient(auth=auth, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode="auto") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            me = await client.call_tool("whoami", {})
    print(json.dumps({"client": storage.client.model_dump(mode="json"), "tokens": storage.tokens.model_dump(mode="json"),
                      "tools": tools, "me": me.structured_content}))


anyio.run(main, *sys.argv[1:])
