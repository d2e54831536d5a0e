"""Operations of the API, declared once and callable through both clients."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import httpx

from .._flow import Flow
from .._requests.answer import request_id_of
from .._requests.request import Request
from .._requests.send import DEFAULT_OPTIONS, CallOptions, Sender
from .callers import AsyncCaller, SyncCaller
from .pages import AsyncPages, Pages, page_source

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C")
Self = TypeVar("Self", bound="_Bound[Any, Any, Any]")


@dataclass(frozen=True)
class Response(Generic[T]):
    """An answer, and what came with it."""

    data: T = field(repr=False)
    status: int
    """The HTTP status."""
    headers: httpx.Headers = field(repr=False)
    request_id: str | None
    """Names the request in the service's logs, for support. None: the service has given none."""


def call(sender: Sender, request: Request[T], options: CallOptions = DEFAULT_OPTIONS) -> Flow[Response[T]]:
    """Sends a request. The answer's type is the document's: the service is trusted to keep to it."""
    answer = yield from sender.send(request, options)
    return Response(answer.content, answer.status, answer.headers, request_id_of(answer.headers))


class _Bound(Generic[P, T, C]):
    """An operation of one client, with the options of its calls."""

    def __init__(self, build: Callable[P, Request[T]], caller: C) -> None:
        self._build = build
        self._caller = caller
        self._options = DEFAULT_OPTIONS
        # What `help` shows.
        functools.update_wrapper(self, build)  # type: ignore[arg-type]

    def with_options(
        self: Self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> Self:
        """Returns the same operation with other options than the client's.

        The same ``idempotency_key`` within 24 hours returns the first answer again.
        """
        had, other = self._options, copy.copy(self)
        other._options = CallOptions(
            had.timeout if timeout is None else timeout,
            had.max_retries if max_retries is None else max_retries,
            had.idempotency_key if idempotency_key is None else idempotency_key,
        )
        return other


class Operation(_Bound[P, T, SyncCaller[Any]]):
    """Calls one operation of the API."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.with_response(*args, **kwargs).data

    def with_response(self, *args: P.args, **kwargs: P.kwargs) -> Response[T]:
        """Calls it, and returns the answer with its status, its headers and the request's id."""
        caller, request = self._caller, self._build(*args, **kwargs)
        return caller._driver.run(call(caller._core.sender, request, self._options))


class AsyncOperation(_Bound[P, T, AsyncCaller[Any]]):
    """Calls one operation of the API."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        return (await self.with_response(*args, **kwargs)).data

    async def with_response(self, *args: P.args, **kwargs: P.kwargs) -> Response[T]:
        """Calls it, and returns the answer with its status, its headers and the request's id."""
        caller, request = self._caller, self._build(*args, **kwargs)
        return await caller._driver.run(call(caller._core.sender, request, self._options))


class ListOperation(_Bound[P, T, SyncCaller[Any]]):
    """Lists what one operation of the API lists, over all its pages."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Pages[T]:
        caller, request = self._caller, self._build(*args, **kwargs)
        return Pages(caller._driver, page_source(caller._core.sender, request, self._options))


class AsyncListOperation(_Bound[P, T, AsyncCaller[Any]]):
    """Lists what one operation of the API lists, over all its pages."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> AsyncPages[T]:
        caller, request = self._caller, self._build(*args, **kwargs)
        return AsyncPages(caller._driver, page_source(caller._core.sender, request, self._options))


class operation(Generic[P, T]):  # noqa: N801
    """Declares an operation: the method says what is sent, and the client that it is called on sends it."""

    def __init__(self, build: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    def request(self, *args: P.args, **kwargs: P.kwargs) -> Request[T]:
        """Returns what is sent, for flows."""
        return self._build(None, *args, **kwargs)

    @overload
    def __get__(self, caller: SyncCaller[Any], owner: object) -> Operation[P, T]: ...
    @overload
    def __get__(self, caller: AsyncCaller[Any], owner: object) -> AsyncOperation[P, T]: ...
    @overload
    def __get__(self, caller: None, owner: object) -> operation[P, T]: ...
    def __get__(self, caller: SyncCaller[Any] | AsyncCaller[Any] | None, owner: object) -> object:
        if caller is None:
            return self
        build = self._build.__get__(caller)
        if isinstance(caller, AsyncCaller):
            return AsyncOperation(build, caller)
        return Operation(build, caller)


class list_operation(Generic[P, T]):  # noqa: N801
    """Declares an operation that lists items of the type T."""

    def __init__(self, build: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    def request(self, *args: P.args, **kwargs: P.kwargs) -> Request[T]:
        """Returns what is sent, for flows."""
        return self._build(None, *args, **kwargs)

    @overload
    def __get__(self, caller: SyncCaller[Any], owner: object) -> ListOperation[P, T]: ...
    @overload
    def __get__(self, caller: AsyncCaller[Any], owner: object) -> AsyncListOperation[P, T]: ...
    @overload
    def __get__(self, caller: None, owner: object) -> list_operation[P, T]: ...
    def __get__(self, caller: SyncCaller[Any] | AsyncCaller[Any] | None, owner: object) -> object:
        if caller is None:
            return self
        build = self._build.__get__(caller)
        if isinstance(caller, AsyncCaller):
            return AsyncListOperation(build, caller)
        return ListOperation(build, caller)
