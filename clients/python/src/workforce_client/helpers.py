"""What is done with several requests: all rows of a list, and a change that is no one else's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import ParamSpec, Protocol, TypeVar

from . import models
from .api.responses import Response
from .errors import PreconditionFailed

P = ParamSpec("P")
Read = TypeVar("Read")
Written = TypeVar("Written")
Row = TypeVar("Row", covariant=True)


class Page(Protocol[Row]):
    """What every list answers with."""

    @property
    def data(self) -> Sequence[Row]: ...

    @property
    def pagination(self) -> models.Pagination: ...


def rows(ask: Callable[P, Page[Row]], *args: P.args, **filters: P.kwargs) -> Iterator[Row]:
    """All rows of a list, asked for page by page as they are taken: rows(client.shifts.list, status=["open"])."""
    while True:
        page = ask(*args, **filters)
        yield from page.data
        if page.pagination.next_cursor is None:
            return
        filters["cursor"] = page.pagination.next_cursor


async def async_rows(ask: Callable[P, Awaitable[Page[Row]]], *args: P.args, **filters: P.kwargs) -> AsyncIterator[Row]:
    """The same of an AsyncClient."""
    while True:
        page = await ask(*args, **filters)
        for row in page.data:
            yield row
        if page.pagination.next_cursor is None:
            return
        filters["cursor"] = page.pagination.next_cursor


def edit(read: Callable[[], Response[Read]], write: Callable[[Read, str], Written], tries: int = 5) -> Written:
    """Writes what follows from what was read, once nobody else wrote in between: `write` gets what `read` gave and its ETag, for
    `if_match`, and both are called again after a PreconditionFailed, `tries` times in all.

    edit(lambda: client.leads.with_response.get(id=7),
         lambda lead, etag: client.leads.update(id=7, if_match=etag, body=models.UpdateLead(notes=f"{lead.notes} Called.")))"""
    while True:
        tries -= 1
        current = read()
        try:
            return write(current.data, current.info.headers.get("ETag") or "")
        except PreconditionFailed:
            if tries <= 0:
                raise
