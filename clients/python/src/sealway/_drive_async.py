"""Carries out flows with asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack, aclosing, closing
from typing import TypeVar

import httpx

from ._flow import (
    END,
    Acquire,
    Done,
    Effect,
    Emit,
    Exchange,
    Flow,
    HttpAnswer,
    HttpRequest,
    Next,
    NoAnswer,
    Open,
    Read,
    Sleep,
    Stream,
    step,
)
from ._fork import renew_after_fork
from ._http import DIRECT, build_request, failure, forget_request, is_compressed

T = TypeVar("T")


class AsyncStream:
    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.pieces = response.aiter_bytes()


class AsyncDriver:
    def __init__(self, given: httpx.AsyncClient | None) -> None:
        self.is_own = given is None
        self.http = httpx.AsyncClient(mounts=DIRECT) if given is None else given
        if self.is_own:
            renew_after_fork(self)

    def renew(self) -> None:
        """Opens connections of its own. Closing the others would end them for the process that has them."""
        if not self.http.is_closed:
            self.http = httpx.AsyncClient(mounts=DIRECT)

    async def run(self, flow: Flow[T]) -> T:
        """Returns the result of a flow."""
        async with AsyncExitStack() as opened:
            with closing(flow):
                state = step(flow)
                while not isinstance(state, Done):
                    state = step(flow, *await self._try(state, opened))
                result: T = state.result
                return result

    async def iterate(self, flow: Stream[T]) -> AsyncGenerator[T, None]:
        """Yields the items of a flow. Closing the iterator closes the answers that the flow reads."""
        async with AsyncExitStack() as opened:
            with closing(flow):
                state = step(flow)
                while not isinstance(state, Done):
                    if isinstance(state, Emit):
                        yield state.item
                        state = step(flow)
                    else:
                        state = step(flow, *await self._try(state, opened))

    async def _try(self, effect: Effect, opened: AsyncExitStack) -> tuple[object, BaseException | None]:
        try:
            return await self._perform(effect, opened), None
        except BaseException as error:
            return None, error

    async def _perform(self, effect: Effect, opened: AsyncExitStack) -> object:
        if isinstance(effect, Exchange):
            try:
                return await asyncio.wait_for(self._exchange(effect.request), effect.request.timeout)
            except asyncio.TimeoutError:
                return NoAnswer("connection-timeout")
        if isinstance(effect, Open):
            return await self._open(effect.request, opened)
        if isinstance(effect, Read):
            return await self._read(effect)
        if isinstance(effect, Next):
            source = effect.source
            if isinstance(source, Iterator):
                # It may read a file.
                return await asyncio.to_thread(lambda: next(source, END))
            return await anext(source, END)
        if isinstance(effect, Sleep):
            await asyncio.sleep(effect.seconds)
            return None
        if isinstance(effect, Acquire):
            return await effect.lock.acquire()
        return await asyncio.to_thread(effect.call)

    async def _exchange(self, request: HttpRequest) -> HttpAnswer | NoAnswer:
        content = bytearray()
        try:
            response = await self._send(request)
            async with aclosing(response):
                async for piece in response.aiter_bytes():
                    content += piece
                    if len(content) > request.limit(response.status_code):
                        return NoAnswer("response-too-large")
            forget_request(response)
        except httpx.HTTPError as error:
            return failure(error)
        return HttpAnswer(response.status_code, response.headers, bytes(content))

    async def _open(self, request: HttpRequest, opened: AsyncExitStack) -> AsyncStream | NoAnswer:
        try:
            response = await self._send(request)
        except httpx.HTTPError as error:
            return failure(error)
        opened.push_async_callback(response.aclose)
        return AsyncStream(response)

    async def _read(self, effect: Read) -> bytes | NoAnswer:
        assert isinstance(effect.stream, AsyncStream)
        try:
            return await anext(effect.stream.pieces, b"")
        except httpx.HTTPError as error:
            return failure(error)

    async def _send(self, request: HttpRequest) -> httpx.Response:
        built = build_request(self.http, request)
        response = await self.http.send(built, stream=True, auth=None, follow_redirects=False)
        if is_compressed(response):
            await response.aclose()
            raise httpx.DecodingError("The answer is compressed")
        return response
