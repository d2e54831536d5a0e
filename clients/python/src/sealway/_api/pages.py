"""Lists, page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeAlias, TypeVar

from .._drive_async import AsyncDriver
from .._drive_sync import SyncDriver
from .._flow import Done, Emit, Flow, Stream, step
from .._requests.request import Request
from .._requests.send import CallOptions, Sender
from ..errors import unexpected

T = TypeVar("T")


@dataclass(frozen=True)
class ListedPage(Generic[T]):
    """A page of a list."""

    data: list[T]
    next: str | None
    """What selects the next page; None after the last one."""


FetchPage: TypeAlias = Callable[[str | None], Flow[ListedPage[T]]]
"""Fetches the page that ``next`` selects; the first one if that is None."""


def page_source(sender: Sender, request: Request[T], options: CallOptions) -> FetchPage[T]:
    def fetch(selected: str | None) -> Flow[ListedPage[T]]:
        query = dict(request.query)
        if selected is not None and request.cursor is not None:
            query[request.cursor] = selected
        answer = yield from sender.send(replace(request, query=query), options)
        return _read_page(answer.content)

    return fetch


def all_pages(fetch: FetchPage[T]) -> Stream[list[T]]:
    seen = set()
    page = yield from fetch(None)
    yield Emit(page.data)
    while page.next is not None:
        # The list would never end.
        if page.next in seen:
            raise unexpected("The list does not advance.")
        seen.add(page.next)
        page = yield from fetch(page.next)
        yield Emit(page.data)


def all_items(fetch: FetchPage[T]) -> Flow[list[T]]:
    """Results in the items of all pages."""
    items: list[T] = []
    pages = all_pages(fetch)
    state = step(pages)
    while not isinstance(state, Done):
        if isinstance(state, Emit):
            items += state.item
            state = step(pages)
        else:
            state = step(pages, (yield state))
    return items


class Pages(Generic[T]):
    """A list. Nothing is fetched until it is asked for, and no more than is read.

    Iterating over it yields the items of all pages.
    """

    def __init__(self, driver: SyncDriver, fetch: FetchPage[T]) -> None:
        self._driver = driver
        self._fetch = fetch

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[list[T]]:
        """Iterates over the pages."""
        return self._driver.iterate(all_pages(self._fetch))

    def page(self, after: str | None = None) -> ListedPage[T]:
        """Returns one page: the first one, or that after the page whose ``next`` is given."""
        return self._driver.run(self._fetch(after))

    def first(self) -> list[T]:
        """Returns the items of the first page."""
        return self.page().data


class AsyncPages(Generic[T]):
    """A list. Nothing is fetched until it is asked for, and no more than is read.

    Iterating over it yields the items of all pages.
    """

    def __init__(self, driver: AsyncDriver, fetch: FetchPage[T]) -> None:
        self._driver = driver
        self._fetch = fetch

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page:
                yield item

    def pages(self) -> AsyncIterator[list[T]]:
        """Iterates over the pages."""
        return self._driver.iterate(all_pages(self._fetch))

    async def page(self, after: str | None = None) -> ListedPage[T]:
        """Returns one page: the first one, or that after the page whose ``next`` is given."""
        return await self._driver.run(self._fetch(after))

    async def first(self) -> list[T]:
        """Returns the items of the first page."""
        return (await self.page()).data


def _read_page(answer: object) -> ListedPage[Any]:
    if not isinstance(answer, dict) or not isinstance(answer.get("data"), list):
        raise unexpected("The answer is not a list.")
    return ListedPage(answer["data"], _next_of(answer))


def _next_of(answer: dict[str, Any]) -> str | None:
    if isinstance(answer.get("nextPage"), int):
        return str(answer["nextPage"])
    if answer.get("hasMore") is not True:
        return None
    if isinstance(answer.get("continueAfter"), str):
        return str(answer["continueAfter"])
    last = answer["data"][-1] if answer["data"] else None
    if not isinstance(last, dict) or not isinstance(last.get("id"), str):
        raise unexpected("The list does not say how it continues.")
    return str(last["id"])
