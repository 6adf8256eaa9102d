"""The clients: the operations of the API as methods, by resource, over a transport that retries."""

from __future__ import annotations

import httpx2

from . import api, models
from .transport import AsyncRetrying, Retrying, RetryPolicy

API_VERSION = models.OPENAPI_INFO_VERSION


def _headers(version: str, sandbox: bool) -> dict[str, str | None]:
    return {"Service-Version": version, **({"Service-Sandbox": "true"} if sandbox else {})}


class Client(api.Client):
    """Calls the service at `base_url`. `token` is an API key, or a token of POST /api/auth/token. `sandbox` has a person's token
    act on sandbox rows; keys have their own side. `transport` is what sends, for a proxy or certificates of your own. Close it,
    or use it as a context manager. For any number of threads."""

    def __init__(self, base_url: str, token: str | None = None, *, sandbox: bool = False, version: str = API_VERSION,
                 retry: RetryPolicy = RetryPolicy(), timeout: float = 60.0, transport: httpx2.BaseTransport | None = None) -> None:
        self._http = httpx2.Client(transport=Retrying(transport or httpx2.HTTPTransport(), retry), timeout=timeout)
        super().__init__(base_url=base_url, bearer=token, http_client=self._http, max_retries=0,
                         default_headers=_headers(version, sandbox))

    def close(self) -> None:
        """Closes its connections."""
        super().close()
        self._http.close()


class AsyncClient(api.AsyncClient):
    """The same for asyncio."""

    def __init__(self, base_url: str, token: str | None = None, *, sandbox: bool = False, version: str = API_VERSION,
                 retry: RetryPolicy = RetryPolicy(), timeout: float = 60.0,
                 transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._http = httpx2.AsyncClient(transport=AsyncRetrying(transport or httpx2.AsyncHTTPTransport(), retry), timeout=timeout)
        super().__init__(base_url=base_url, bearer=token, http_client=self._http, max_retries=0,
                         default_headers=_headers(version, sandbox))

    async def aclose(self) -> None:
        """Closes its connections."""
        await super().aclose()
        await self._http.aclose()
