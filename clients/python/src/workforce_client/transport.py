"""Sends requests again where the API says that this helps and does no harm, and waits where it says for how long."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from dataclasses import dataclass

import httpx2

from .errors import ApiError, refusal

_KEYED = {"POST", "PUT", "PATCH"}
_KEYLESS = "/api/auth/"  # below it nothing takes an idempotency key
_HARMLESS = {"GET", "HEAD", "PUT", "DELETE"}  # to ask for twice
_LOST = (httpx2.NetworkError, httpx2.TimeoutException, httpx2.RemoteProtocolError)  # no answer came, whatever was done
_FIRST_WAIT, _LONGEST_BACKOFF = 0.25, 8.0  # seconds


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is sent again, and how many seconds the client waits for that at a time, at most."""

    retries: int = 4
    longest_wait: float = 60.0

    def wait(self, request: httpx2.Request, failure: Exception, attempt: int) -> float | None:
        """Seconds to wait before another attempt after so many; None: there is none."""
        if attempt > self.retries or not _may_repeat(request, failure):
            return None
        backoff = random.uniform(0.5, 1) * min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_BACKOFF)
        seconds = max(backoff, _told_wait(failure) if isinstance(failure, ApiError) else 0)
        return seconds if seconds <= self.longest_wait else None


def _may_repeat(request: httpx2.Request, failure: Exception) -> bool:
    if isinstance(failure, ApiError) and (not failure.retryable or failure.status == 429):
        return failure.retryable  # what a limit refuses was not done
    return request.method in _HARMLESS or "Idempotency-Key" in request.headers or isinstance(failure, httpx2.ConnectError)


def _told_wait(refused: ApiError) -> float:
    """Seconds that the answer says to wait."""
    if (after := refused.headers.get("Retry-After", "")).isdecimal():
        return float(after)
    if refused.status == 429 and (opens := refused.headers.get("X-RateLimit-Reset", "")).isdecimal():
        return max(0.0, float(opens) - time.time())
    return 0.0


def _name(request: httpx2.Request) -> None:
    """Gives a request that changes something the key by which the service knows its repetitions."""
    if request.method in _KEYED and not request.url.path.startswith(_KEYLESS):
        request.headers.setdefault("Idempotency-Key", str(uuid.uuid4()))


class Retrying(httpx2.BaseTransport):
    """Sends by another transport. Raises ApiError for what the service refuses in the end. For any number of threads."""

    def __init__(self, transport: httpx2.BaseTransport, policy: RetryPolicy) -> None:
        self._transport = transport
        self._policy = policy

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        _name(request)
        attempt = 0
        while True:
            attempt += 1
            failure: Exception
            try:
                response = self._transport.handle_request(request)
                if response.status_code < 400:
                    return response
                failure = refusal(response.status_code, response.read(), response.headers)
            except _LOST as lost:
                failure = lost
            if (seconds := self._policy.wait(request, failure, attempt)) is None:
                raise failure
            time.sleep(seconds)

    def close(self) -> None:
        self._transport.close()


class AsyncRetrying(httpx2.AsyncBaseTransport):
    """The same for asyncio."""

    def __init__(self, transport: httpx2.AsyncBaseTransport, policy: RetryPolicy) -> None:
        self._transport = transport
        self._policy = policy

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        _name(request)
        attempt = 0
        while True:
            attempt += 1
            failure: Exception
            try:
                response = await self._transport.handle_async_request(request)
                if response.status_code < 400:
                    return response
                failure = refusal(response.status_code, await response.aread(), response.headers)
            except _LOST as lost:
                failure = lost
            if (seconds := self._policy.wait(request, failure, attempt)) is None:
                raise failure
            await asyncio.sleep(seconds)

    async def aclose(self) -> None:
        await self._transport.aclose()
