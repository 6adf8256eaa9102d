"""What somebody does with the Python client: orders as JSON on standard input, what came of them as JSON on standard output."""

import asyncio
import base64
import json
import sys
from collections.abc import Callable
from typing import Any

import httpx2

from workforce_client import (ApiError, AsyncClient, Client, Conflict, InvalidRequest, PreconditionFailed, RateLimited, RetryPolicy,
                              WebhookVerificationError, async_rows, edit, models, rows, verify_webhook)


class Watched(httpx2.BaseTransport):
    """Sends and keeps what was answered; the first `lost` answers don't arrive."""

    def __init__(self, lost: int = 0) -> None:
        self.sent: list[dict[str, object]] = []
        self._lost = lost
        self._transport = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._transport.handle_request(request)
        response.read()
        self.sent.append({"status": response.status_code, "key": request.headers.get("Idempotency-Key"),
                          "replayed": response.headers.get("Idempotency-Replayed"), "version": request.headers["Service-Version"]})
        if len(self.sent) <= self._lost:
            response.close()
            raise httpx2.ReadError("the answer is lost", request=request)
        return response


class AsyncLosing(httpx2.AsyncHTTPTransport):
    """Sends; the first answer doesn't arrive."""

    lost = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if not self.lost:
            self.lost = True
            await response.aclose()
            raise httpx2.ReadError("the answer is lost", request=request)
        return response


async def play_async(orders: dict[str, Any]) -> dict[str, object]:
    """A retry that replays, and pages, by the client for asyncio."""
    async with AsyncClient(orders["url"], orders["key"], transport=AsyncLosing()) as client:
        made = await client.staff.create(body=person(f"async.{orders['name']}@example.com"))
        return {"replayed": made.id, "rows": [row.id async for row in async_rows(client.shifts.list, facility_id=orders["facility"], limit=200)]}


def refused(kind: type[ApiError], ask: Callable[[], object]) -> dict[str, object]:
    """What the client raises."""
    try:
        ask()
    except kind as error:
        return {"kind": type(error).__name__, "status": error.status, "code": error.code, "fields": [each.field for each in error.fields],
                "requestId": error.request_id, "suggestion": error.suggestion}
    return {"kind": None}


def person(email: str) -> models.CreateStaff:
    return models.CreateStaff(first_name="Ada", last_name="Byron", email=email)


def play(orders: dict[str, Any]) -> dict[str, object]:
    seen: dict[str, object] = {}
    with Client(orders["url"], orders["key"]) as client:
        ada = client.staff.create(body=person(f"ada.{orders['name']}@example.com"))
        seen["created"] = {"id": ada.id, "email": ada.email, "isActive": ada.is_active}
        seen["rows"] = [shift.id for shift in rows(client.shifts.list, facility_id=orders["facility"], limit=120, status=["open", "assigned"])]

        before = client.staff.with_response.get(id=ada.id)
        client.staff.update(id=ada.id, body=models.UpdateStaff(phone="+1 555 0100"))
        seen["stale"] = refused(PreconditionFailed, lambda: client.staff.update(
            id=ada.id, if_match=before.info.headers.get("ETag") or "", body=models.UpdateStaff(phone="+1 555 0101")))
        read: list[str] = []

        def write(current: models.Staff, etag: str) -> models.Staff:
            if not read:  # somebody else is faster, the first time
                client.staff.update(id=ada.id, body=models.UpdateStaff(skills=["Triage"]))
            read.append(etag)
            return client.staff.update(id=ada.id, if_match=etag, body=models.UpdateStaff(skills=[*current.skills, "Suture"]))

        edited = edit(lambda: client.staff.with_response.get(id=ada.id), write)
        seen["edited"] = {"skills": edited.skills, "reads": len(read)}
        seen["duplicate"] = refused(Conflict, lambda: client.staff.create(body=person(ada.email)))
        seen["invalid"] = refused(InvalidRequest, lambda: client.staff.create(body=models.CreateStaff(
            first_name="", last_name="Byron", email="nobody")))

    watched = Watched()
    with Client(orders["url"], orders["limited"], transport=watched) as client:
        seen["waited"] = [client.auth.me().organization.id for _ in range(orders["limit"] + 1)]
        seen["statuses"] = [each["status"] for each in watched.sent]
    with Client(orders["url"], orders["limited"], retry=RetryPolicy(longest_wait=0)) as client:
        seen["limited"] = refused(RateLimited, lambda: [client.auth.me() for _ in range(orders["limit"] + 1)])

    watched = Watched(lost=1)
    with Client(orders["url"], orders["key"], transport=watched) as client:
        seen["replayed"] = client.staff.create(body=person(f"replayed.{orders['name']}@example.com")).id
        seen["sent"] = watched.sent

    hook = orders["webhook"]
    body = base64.b64decode(hook["body"])
    event = verify_webhook(hook["secret"], body, hook["headers"])
    seen["event"] = {"type": event.type, "staffId": event.data.staff_id if event.type == "staff_onboarded" else None}
    try:
        verify_webhook(hook["secret"], body + b" ", hook["headers"])
    except WebhookVerificationError:
        seen["forged"] = True
    return seen | {"async": asyncio.run(play_async(orders))}


print(json.dumps(play(json.load(sys.stdin))))
